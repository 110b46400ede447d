import GrainSnapshots

/// Each snapshot with every optional member, and with none: what the first two examples of each
/// model in `Schemas/v1/examples/models` show.
enum SnapshotSamples {
  static let bareLogin = LoginSnapshot(
    status: .idle, phase: .signedOut, can: [.loginStart, .loginCreateAccount])

  static let fullLogin = LoginSnapshot(
    status: .failed, phase: .failed,
    can: [.loginSetHandle, .loginSubmitHandle, .loginCancel, .loginDismissProblem],
    operation: "op-1",
    problem: Problem(
      .loginHandleNotFound, params: ["handle": "alise.example.com"], field: "/handle"),
    reason: Message(
      key: "session.permissionsChanged",
      fallback: "Grain was updated. Please sign in again to use its new features."),
    provider: [
      "grain": .init(available: true, needs: .handle),
      "platrium": .init(available: true, needs: .server),
      "pixiv": .init(
        available: false, reason: Problem(.loginProviderUnavailable).message, needs: .none),
    ],
    chosen: "grain", handle: "alise.example.com",
    suggestion: [
      "did:plc:ewvi7nxzyoun6zhxrhs64oiz": .init(
        handle: "alice.example.com", displayName: "Alice",
        avatar: Media(
          uri: "https://cdn.example.com/avatar/alice.jpg", width: 128, height: 128, alt: "Alice")),
      "did:plc:z72i7hdynmk6r22z27h6tvur": .init(handle: "alice.test"),
    ],
    highlighted: "did:plc:z72i7hdynmk6r22z27h6tvur", serverHost: "pds.example.com",
    userCode: "WDJB-MJHT", verificationURL: "https://platrium.example.com/device")

  static let bareAccounts = AccountListSnapshot(
    status: .idle, phase: .empty, can: [], session: .signedOut)

  static let fullAccounts = AccountListSnapshot(
    status: .failed, phase: .ready, can: [.accountsMove, .accountsSwitch], operation: "op-3",
    problem: Problem(.accountSessionExpired, params: ["account": "@bob.test"]),
    session: .signedIn,
    sessionReason: Message(
      key: "session.permissionsChanged",
      fallback: "Grain was updated. Please sign in again to use its new features."),
    account: [
      "did:plc:ewvi7nxzyoun6zhxrhs64oiz": .init(
        provider: "grain", handle: "alice.test", displayName: "Alice",
        avatar: Media(uri: "https://cdn.example.com/avatar/alice.jpg"), standing: .scopeMissing,
        unavailable: ["crossPost"],
        can: [.accountsSwitch, .accountsReauthenticate, .accountsMove, .accountsSignOut]),
      "did:web:bob.test": .init(
        provider: "grain", standing: .expired, can: [.accountsReauthenticate, .accountsSignOut]),
      "platrium:dev-1": .init(
        provider: "platrium", displayName: "Studio", standing: .ok, can: [.accountsSignOut]),
    ],
    active: "did:plc:ewvi7nxzyoun6zhxrhs64oiz", accountCount: 1000)

  static let bareDrafts = DraftListSnapshot(
    status: .idle, phase: .ready, can: [.galleryCreateDraft])

  static let fullDrafts = DraftListSnapshot(
    status: .busy, phase: .ready, can: [.galleryCreateDraft], operation: "op-9",
    problem: Problem(.storeFull),
    draft: [
      "d-2": .init(
        kind: .gallery, title: "Lake", photoCount: 3, updatedAt: "2026-03-01T12:00:00.000Z",
        expiresAt: "2026-03-08T12:00:00.000Z", resumable: false),
      "d-1": .init(
        kind: .story, title: "", photoCount: 1, updatedAt: "2026-02-28T08:30:00.250Z",
        resumable: true),
    ], draftCount: 1000)

  static let bareGallery = GalleryPublishSnapshot(
    status: .idle, phase: .editing,
    can: [.galleryAddPhotos, .gallerySetDetails, .galleryDiscardDraft], includeExif: true,
    crossPost: false)

  static let fullGallery = GalleryPublishSnapshot(
    status: .failed, phase: .failed, can: [.galleryRetry, .galleryDiscardDraft],
    operation: "op-2",
    problem: Problem(
      .networkOffline,
      fallback: "You are offline. The gallery is saved and can be published later."),
    title: "Lake", description: "Three mornings", labels: ["nudity"],
    location: GalleryLocation(
      h3: "8a2656088b17fff", name: "Kansas City, Missouri, United States",
      address: .init(
        country: "US", postalCode: "64105", region: "Missouri", locality: "Kansas City",
        street: "1 Main Street", name: "Union Station")),
    includeExif: true, crossPost: true,
    photo: [
      "p-2": .init(
        media: Media(uri: "file:///data/drafts/d-2/p-2.jpg", width: 2000, height: 1500),
        alt: "A lake at dawn", step: .uploaded),
      "p-1": .init(
        media: Media(
          uri: "file:///home/alice/Pictures/boat.jpg", width: 1200, height: 1600, alt: "A boat"),
        alt: "A boat", step: .failed,
        problem: Problem(.galleryPhotoUnreadable, params: ["name": "boat.jpg"])),
      "p-3": .init(
        media: Media(uri: "file:///home/alice/Pictures/reed.jpg"), step: .waiting),
    ],
    percent: 62,
    publishedURI: "at://did:plc:ewvi7nxzyoun6zhxrhs64oiz/social.grain.gallery/3ke6kg3wk22k2",
    crossPostStatus: .pending, photoCount: 3, cut: ["/description"])
}

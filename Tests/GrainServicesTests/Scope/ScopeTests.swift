import ATOAuth
import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import StrictJSON
import SystemClients
import Testing

@Suite("What a grant allows")
struct ScopeTests {
  private typealias World = AccountsWorld
  private static let all = CoreConfiguration().appView?.scopeItems ?? []

  private static func record(missing: [String]) -> AccountRecord {
    AccountRecord(did: World.alice, handle: nil, missingScopes: missing)
  }

  /// Features that go when an item was unticked.
  static let features: [(item: String, gone: [AccountFeature])] = [
    ("blob:image/*", [.publish, .story]),
    ("repo:social.grain.gallery", [.publish, .edit]),
    ("repo:social.grain.gallery.item", [.publish, .edit]),
    ("repo:social.grain.photo", [.publish, .edit]),
    ("repo:social.grain.photo.exif", [.exif]),
    ("repo:social.grain.actor.profile", [.profile]),
    ("repo:social.grain.graph.follow", [.follow]),
    ("repo:social.grain.graph.block", [.block]),
    ("repo:social.grain.favorite", [.favorite]),
    ("repo:social.grain.comment", [.comment]),
    ("repo:social.grain.story", [.story]),
    ("repo:app.bsky.feed.post?action=create", [.crossPost]),
    ("rpc:*?aud=did:web:grain.social%23grain_appview", [.appview]),
    ("repo:social.grain.gallery?action=update", [.edit]),
    ("repo:social.grain.gallery?action=create", [.publish]),
  ]

  @Test("an item that was unticked makes its features unavailable, no others", arguments: features)
  func unavailable(item: String, gone: [AccountFeature]) {
    #expect(Self.record(missing: [item]).unavailable == gone)
  }

  @Test("every feature goes with some item that is asked for")
  func everyFeature() {
    #expect(Self.record(missing: Self.all).unavailable == AccountFeature.allCases)
    #expect(Self.record(missing: []).unavailable.isEmpty)
  }

  @Test("what is missing of an item is named by action; order and spelling do not matter (FB-A23)")
  func partly() {
    let granted = ScopeSet(
      "repo?collection=social.grain.gallery&action=create  atproto repo:social.grain.photo")
    #expect(
      granted.missing(from: ["atproto", "repo:social.grain.gallery", "repo:social.grain.photo"])
        == ["repo:social.grain.gallery?action=update", "repo:social.grain.gallery?action=delete"])
    #expect(granted.missing(from: ["rpc:*?aud=*", "blob:image/*"]) == ["blob:image/*"])
  }
}

@Suite("Calls a grant does not allow")
struct ScopedCallTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld

  init() async throws { world = try await AccountsWorld() }

  private func scope(without items: String...) -> String {
    let all = CoreConfiguration().appView?.scopeItems ?? []
    return all.filter { !items.contains($0) }.joined(separator: " ")
  }

  private func client(scope: String) async throws -> RepositoryClient {
    try await world.restored(World.grant(scope: scope)).client(World.alice)
  }

  private func write(_ collection: NSID) -> RecordWrite {
    RecordWrite(collection: collection, key: .literalSelf, value: [:])
  }

  @Test("what the server would refuse is refused here, without a request (G109)")
  func refused() async throws {
    let client = try await client(scope: "atproto")
    await #expect(throws: CallFault.scopeMissing(World.alice, scope: "blob:image/jpeg")) {
      try await client.uploadBlob("/nowhere", "image/jpeg") { _ in }
    }
    await #expect(
      throws: CallFault.scopeMissing(World.alice, scope: "repo:social.grain.gallery?action=create")
    ) {
      try await client.applyWrites([write(CollectionNames.gallery)])
    }
    await #expect(
      throws: CallFault.scopeMissing(
        World.alice,
        scope: "rpc:social.grain.sync.indexRecords?aud=did:web:grain.social%23grain_appview")
    ) {
      try await client.indexRecords([])
    }
    #expect(world.http.requests.isEmpty)
  }

  @Test("a narrower or older grant that allows the call is enough")
  func enough() async throws {
    world.http.answer("pds.alice.test/xrpc/com.atproto.repo.applyWrites", .json("{}"))
    let client = try await client(scope: "atproto repo:social.grain.gallery?action=create")
    try await client.applyWrites([write(CollectionNames.gallery)])
    let older = try await self.client(scope: "atproto transition:generic")
    try await older.applyWrites([write(CollectionNames.photo)])
  }

  /// A draft of Alice's, ready but for its upload.
  private func draft(exif: PhotoEXIF? = nil) async throws -> Draft {
    let draft = try await world.drafts.create(repo: World.alice)
    let changed = try await world.drafts.change(draft.id) { draft in
      draft.title = "Harbour"
      draft.photoOrder = ["p"]
      draft.photos["p"] = DraftPhoto(id: "p", source: "/nowhere")
      draft.photos["p"]?.prepared = .init(
        file: "p.image", mediaType: "image/jpeg", width: 4, height: 3, bytes: 9, exif: exif)
    }
    return try #require(changed)
  }

  private func publisher(_ service: AccountService) -> GalleryPublisher {
    let limits = CoreConfiguration().limits
    return GalleryPublisher(
      drafts: world.drafts,
      workshop: PhotoWorkshop(
        drafts: world.drafts, preparer: ImagePreparer(limits: ImageLimits(), resizers: [])),
      clients: { did async throws(CallFault) in try await service.client(did) }, limits: limits,
      clock: world.clock.clock, random: .live, log: .silent)
  }

  @Test(
    "publishing is refused with the first missing item before anything is uploaded (G110)",
    arguments: [
      ("blob:image/*", "blob:image/*"),
      ("repo:social.grain.photo", "repo:social.grain.photo?action=create"),
      ("repo:social.grain.gallery", "repo:social.grain.gallery?action=create"),
      ("repo:social.grain.gallery.item", "repo:social.grain.gallery.item?action=create"),
      ("repo:social.grain.photo.exif", "repo:social.grain.photo.exif?action=create"),
    ])
  func publishing(item: String, missing: String) async throws {
    let service = try await world.restored(World.grant(scope: scope(without: item)))
    let draft = try await draft(exif: PhotoEXIF(make: "Camera"))
    await #expect(throws: PublishError.commit(.scopeMissing(World.alice, scope: missing))) {
      try await publisher(service).publish(draft.id) { _ in }
    }
    #expect(world.http.requests.isEmpty)
    #expect(try await world.drafts.draft(draft.id) != nil)
  }

  @Test("camera data that are left out need no scope")
  func withoutEXIF() async throws {
    let full = ScopeSet(scope(without: "repo:social.grain.photo.exif"))
    var draft = try await draft(exif: PhotoEXIF(make: "Camera"))
    #expect(full.firstMissing(of: ScopeNeed.publishing(draft)) != nil)
    draft.includeExif = false
    #expect(full.firstMissing(of: ScopeNeed.publishing(draft)) == nil)
    #expect(full.firstMissing(of: ScopeNeed.publishing(try await self.draft())) == nil)
  }

  @Test("a refresh that grants less or more is shown, and kept (wire §8.4, G110)")
  func refreshChanges() async throws {
    world.http.answer(
      "as.alice.test/token",
      .tokens("1", expiresIn: 30, scope: scope(without: "repo:social.grain.comment")),
      .tokens("2"))
    world.http.answer("pds.alice.test/xrpc/com.atproto.repo.getRecord", .json(#"{"value":{}}"#))
    let service = try await world.restored(world.grant(endsIn: 10))
    let client = try await service.client(World.alice)
    _ = try await client.getRecord(CollectionNames.gallery, .literalSelf)
    #expect(await service.state()?.accounts.first?.unavailable == [.comment])
    await world.clock.advance(by: .seconds(30))
    #expect(
      try await world.reopenedStore().load().accounts.first?.missingScopes
        == ["repo:social.grain.comment"])
    _ = try await client.getRecord(CollectionNames.gallery, .literalSelf)
    #expect(await service.state()?.accounts.first?.unavailable == [])
  }

  @Test("a 403 is told as the missing scope and refreshes nothing (G109, FB-A31)")
  func forbidden() async throws {
    world.http.answer(
      "pds.alice.test/xrpc/com.atproto.repo.applyWrites",
      .json(
        #"{"error":"ScopeMissingError","message":"Missing required scope \"repo:x.y.z?action=create\""}"#,
        status: 403))
    let client = try await client(scope: scope())
    await #expect(throws: CallFault.scopeMissing(World.alice, scope: "repo:x.y.z?action=create")) {
      try await client.applyWrites([write(CollectionNames.gallery)])
    }
    #expect(world.http.requests.count == 1)
  }
}

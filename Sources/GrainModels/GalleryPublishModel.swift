package import ATSyntax
package import GrainServices
package import GrainSnapshots
import Observation

/// One draft on its way to a gallery: intents in, ``GalleryPublishSnapshot`` out.
///
/// An accepted edit is on disk before its verdict is written. Nothing is edited while the draft is being
/// sent, nor after a commit was sent whose fate is unknown; while photographs are being prepared,
/// everything but the photographs to come is.
@MainActor
@Observable
package final class GalleryPublishModel {
  typealias Phase = GalleryPublishSnapshot.Phase

  /// The draft's id.
  package let id: String
  var draft: Draft
  var phase: Phase = .editing
  var percent: Int?
  var problem: Problem?
  var publishedURI: String?
  /// What becomes of the Bluesky post of a gallery that is up.
  var crossPostStatus: GalleryPublishSnapshot.CrossPostStatus?
  /// The running operation and the intent that started it.
  var running: (operation: String, intent: IntentName)?
  /// Photographs being prepared now.
  var preparing: Set<String> = []
  /// Edits on their way to the disk.
  @ObservationIgnored private var edits = 0
  @ObservationIgnored private var entries = PhotoMemo<GalleryPublishSnapshot.Photo>()
  /// What each photograph takes of a message.
  @ObservationIgnored var sizes = PhotoMemo<Int>()

  @ObservationIgnored let galleries: GalleryDoor
  @ObservationIgnored let operations: OperationCenter
  /// Called after the draft changed on disk, so that the list of drafts follows.
  @ObservationIgnored package var onDraftChange: @MainActor () async -> Void = {}
  /// Called once the gallery is published and that was told: the draft is gone.
  @ObservationIgnored package var onPublished: @MainActor () -> Void = {}
  /// What a person calls an account.
  @ObservationIgnored package var nameOfAccount: @MainActor (DID) -> String = { $0.rawValue }

  /// What fits into the shell's messages.
  @ObservationIgnored var budget: @MainActor () -> StateBudget = { StateBudget() }

  /// The screen of one draft as it is on disk.
  package init(draft: Draft, galleries: GalleryDoor, operations: OperationCenter) {
    self.id = draft.id
    self.draft = draft
    self.galleries = galleries
    self.operations = operations
    // An earlier run has brought the gallery up and not its post.
    if draft.owesPost {
      phase = .published
      publishedURI = GalleryRecords(draft)?.galleryURI.rawValue
      crossPostStatus = .pending
    }
  }

  /// The account this draft belongs to, whoever is active.
  package var repo: DID { draft.repo }

  // MARK: State

  /// The whole screen, as far as it fits into a message.
  package var snapshot: GalleryPublishSnapshot { windowed(whole) }

  private var whole: GalleryPublishSnapshot {
    var photos = OrderedMap<GalleryPublishSnapshot.Photo>()
    photos.reserveCapacity(draft.photoOrder.count)
    let (preparing, isUploading) = (preparing, phase == .uploading)
    for photo in draft.orderedPhotos {
      var entry = entry(photo)
      entry.step = step(photo, isPreparing: preparing.contains(photo.id), isUploading)
      photos[photo.id] = entry
    }
    return GalleryPublishSnapshot(
      status: status, phase: phase, can: can, operation: running?.operation, problem: problem,
      title: draft.title, description: draft.description, labels: draft.labels,
      location: GalleryLocation(draft),
      includeExif: draft.includeExif, crossPost: draft.crossPost, photo: photos, percent: percent,
      publishedURI: publishedURI, crossPostStatus: crossPostStatus)
  }

  private var status: ModelStatus {
    switch phase {
    case .editing: running == nil ? .idle : .busy
    case .preparing, .uploading, .committing: .busy
    case .published: .done
    case .failed: .failed
    }
  }

  /// A commit was sent and may have landed: only sending on, or giving up, makes sense.
  private var isSealed: Bool { (draft.sending?.unansweredCommits ?? 0) > 0 }

  /// Whether an operation or an edit on this draft is under way.
  package var isBusy: Bool { running != nil || isEdited }

  /// Whether an edit is on its way to the disk.
  var isEdited: Bool { edits > 0 }

  /// Takes over a draft as it was saved; an answer that comes late never undoes a later one.
  func take(_ saved: Draft) {
    if saved.revision > draft.revision { draft = saved }
  }

  var can: [IntentName] {
    if phase == .published {
      if running != nil { return [.galleryCancelPublish] }
      return crossPostStatus == .pending || crossPostStatus == .failed
        ? [.galleryRetry, .galleryRetryCrossPost, .galleryDiscardDraft] : []
    }
    let photos: [IntentName] =
      draft.photoOrder.isEmpty
      ? [] : [.gallerySetAlt, .galleryMovePhoto, .galleryRemovePhoto]
    if let running {
      // Preparing changes one photograph at a time, and nothing that a person types.
      if running.intent == .galleryAddPhotos { return [.gallerySetDetails] + photos }
      return Self.sending.contains(running.intent) ? [.galleryCancelPublish] : []
    }
    if draft.opening != nil { return [.galleryDiscardDraft] }
    let send: [IntentName] =
      draft.sending == nil ? [.galleryPublish] : [.galleryPublish, .galleryRetry]
    if isSealed { return send + [.galleryDiscardDraft] }
    return [.galleryAddPhotos, .gallerySetDetails] + photos + send + [.galleryDiscardDraft]
  }

  /// A photograph as it is shown, but for the step it is at.
  private func entry(_ photo: DraftPhoto) -> GalleryPublishSnapshot.Photo {
    entries.result(for: photo) {
      GalleryPublishSnapshot.Photo(
        media: media(photo), alt: photo.alt, step: .waiting,
        problem: photo.failure.map { Problem($0, name: name(photo.id)) })
    }
  }

  private func media(_ photo: DraftPhoto) -> Media {
    if photo.source.hasPrefix("http") {
      return Media(
        uri: photo.source, width: photo.prepared?.width, height: photo.prepared?.height)
    }
    guard let prepared = photo.prepared else { return Media(uri: FileURI.text(photo.source)) }
    let path = galleries.preparedPath(id, prepared.file)
    return Media(uri: FileURI.text(path), width: prepared.width, height: prepared.height)
  }

  private func step(
    _ photo: DraftPhoto, isPreparing: Bool, _ isUploading: Bool
  ) -> PhotoStep {
    if photo.failure != nil { return .failed }
    if photo.blob != nil { return .uploaded }
    if isPreparing { return .preparing }
    if photo.prepared == nil { return .waiting }
    return isUploading ? .uploading : .ready
  }

  /// What the person calls a photograph: its file name.
  func name(_ photo: String) -> String {
    draft.photos[photo]?.source.split(separator: "/").last.map(String.init) ?? photo
  }

  // MARK: Edits

  /// Changes texts, labels, place and switches; what is absent stays.
  package func setDetails(_ details: GalleryDetails) async throws(IntentRejection) -> Accepted {
    try require(.gallerySetDetails)
    try details.check()
    let title = details.title.map { StateBudget.bytes(of: $0) } ?? 0
    let description = details.description.map { StateBudget.bytes(of: $0) } ?? 0
    return try await edit(growing: description >= title ? "/description" : "/title") {
      details.apply(to: &$0)
    }
  }

  /// Describes a photograph for those who cannot see it.
  package func setAlt(_ photo: String, _ alt: String) async throws(IntentRejection) -> Accepted {
    try require(.gallerySetAlt)
    try known(photo, "/photo")
    return try await edit(growing: "/alt") { $0.photos[photo]?.alt = alt }
  }

  /// Moves a photograph in front of another, or to the end.
  package func movePhoto(
    _ photo: String, before: String?
  ) async throws(IntentRejection) -> Accepted {
    try require(.galleryMovePhoto)
    try known(photo, "/photo")
    if let before { try known(before, "/before") }
    if photo == before { return Accepted() }
    return try await edit { draft in
      draft.photoOrder.removeAll { $0 == photo }
      let end = draft.photoOrder.endIndex
      draft.photoOrder.insert(
        photo, at: before.flatMap(draft.photoOrder.firstIndex(of:)) ?? end)
    }
  }

  /// Takes a photograph out.
  package func removePhoto(_ photo: String) async throws(IntentRejection) -> Accepted {
    try require(.galleryRemovePhoto)
    try known(photo, "/photo")
    return try await edit { draft in
      draft.photos[photo] = nil
      draft.photoOrder.removeAll { $0 == photo }
    }
  }

  /// Deletes the draft; the instance is over.
  package func discard() async throws(IntentRejection) -> Accepted {
    try require(.galleryDiscardDraft)
    do throws(StoreFault) {
      try await galleries.remove(id)
    } catch {
      throw IntentRejection(Problem(error))
    }
    await onDraftChange()
    return Accepted()
  }

  func require(_ intent: IntentName) throws(IntentRejection) {
    guard can.contains(intent) else { throw .notAvailable(intent, phase: phase.rawValue) }
  }

  func known(_ photo: String, _ field: String) throws(IntentRejection) {
    if draft.photos[photo] == nil { throw .invalid(field) }
  }

  /// Changes the draft, on disk first.
  ///
  /// - Parameters:
  ///   - text: the param that may make the draft larger than a message; `nil` where none can.
  ///   - change: the edit.
  /// - Returns: the verdict.
  /// - Throws: why the edit is refused, or is not on disk; nothing has changed then.
  func edit(
    growing text: String? = nil, _ change: @escaping @Sendable (inout Draft) -> Void
  ) async throws(IntentRejection) -> Accepted {
    if let text {
      var next = draft
      change(&next)
      try refuseOutgrowing(next) { bytes, limit in
        Problem(
          .galleryTextTooLong,
          fallback: "With this text the draft becomes too large for the app. Shorten it.",
          field: text, details: ["bytes": .integer(bytes), "limit": .integer(limit)])
      }
    }
    edits += 1
    defer { edits -= 1 }
    let saved: Draft?
    do throws(StoreFault) {
      saved = try await galleries.change(id, change)
    } catch {
      throw IntentRejection(Problem(error))
    }
    guard let saved else {
      throw IntentRejection(Problem(.galleryDraftUnknown, field: "/draft"))
    }
    // The list first, and nothing awaited after it: both change in one instant (O8).
    await onDraftChange()
    take(saved)
    problem = nil
    if phase == .failed { phase = .editing }
    return Accepted()
  }
}

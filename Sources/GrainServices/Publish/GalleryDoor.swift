package import ATSyntax

/// Drafts and publishing, as the models ask for them.
package struct GalleryDoor: Sendable {
  /// What may be published.
  package var limits: CoreConfiguration.PublishLimits
  /// Makes an empty draft for an account, or one that a published gallery is about to be read into; on disk
  /// when it returns.
  package var create:
    @Sendable (_ repo: DID, _ opening: RecordKey?) async throws(StoreFault) -> Draft
  /// One draft, or `nil` when it is gone.
  package var draft: @Sendable (_ id: String) async throws(StoreFault) -> Draft?
  /// The drafts of an account, oldest first.
  package var drafts: @Sendable (_ repo: DID) async throws(StoreFault) -> [Draft]
  /// Changes a draft; on disk when it returns.
  package var change:
    @Sendable (_ id: String, _ edit: @escaping @Sendable (inout Draft) -> Void)
      async throws(StoreFault) -> Draft?
  /// Removes a draft and its pictures.
  package var remove: @Sendable (_ id: String) async throws(StoreFault) -> Void
  /// Removes drafts that have expired, of whatever account, and pictures that belong to no draft.
  package var sweep: @Sendable () async throws(StoreFault) -> Void
  /// Makes the publishable copy of one photograph.
  package var prepare:
    @Sendable (_ photo: String, _ draft: String) async throws(PhotoWorkshop.Failure) -> Draft?
  /// Publishes a draft, or continues; the draft is gone when it returns, unless its Bluesky post is still
  /// owed (``CrossPostStep``). Cancelling the task stops it
  /// at the next safe point.
  package var publish:
    @Sendable (
      _ draft: String, _ progress: @escaping @Sendable (PublishProgress) async -> Void
    ) async throws(PublishError) -> ATURI
  /// What is done with galleries that are up.
  package var published = PublishedDoor.unavailable
  /// A fresh photograph id.
  package var makePhotoID: @Sendable () -> String
  /// Where a photograph's publishable copy lies.
  package var preparedPath: @Sendable (_ draft: String, _ file: String) -> String

  /// A door made of its calls.
  package init(
    limits: CoreConfiguration.PublishLimits,
    create: @escaping @Sendable (DID, RecordKey?) async throws(StoreFault) -> Draft,
    draft: @escaping @Sendable (String) async throws(StoreFault) -> Draft?,
    drafts: @escaping @Sendable (DID) async throws(StoreFault) -> [Draft],
    change:
      @escaping @Sendable (String, @escaping @Sendable (inout Draft) -> Void)
      async throws(StoreFault) -> Draft?,
    remove: @escaping @Sendable (String) async throws(StoreFault) -> Void,
    sweep: @escaping @Sendable () async throws(StoreFault) -> Void,
    prepare: @escaping @Sendable (String, String) async throws(PhotoWorkshop.Failure) -> Draft?,
    publish:
      @escaping @Sendable (
        String, @escaping @Sendable (PublishProgress) async -> Void
      ) async throws(PublishError) -> ATURI,
    makePhotoID: @escaping @Sendable () -> String,
    preparedPath: @escaping @Sendable (String, String) -> String
  ) {
    self.limits = limits
    self.create = create
    self.draft = draft
    self.drafts = drafts
    self.change = change
    self.remove = remove
    self.sweep = sweep
    self.prepare = prepare
    self.publish = publish
    self.makePhotoID = makePhotoID
    self.preparedPath = preparedPath
  }
}

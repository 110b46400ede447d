package import ATSyntax

/// Published galleries, as the models ask for them.
package struct PublishedDoor: Sendable {
  /// Reads a gallery of a draft's account into that draft; gives it back as saved, or `nil` when it is
  /// gone.
  package var open:
    @Sendable (_ gallery: RecordKey, _ draft: String) async throws(PublishedGalleryError) -> Draft?
  /// Deletes a gallery of an account and all that hangs off it.
  package var delete:
    @Sendable (_ gallery: RecordKey, _ repo: DID) async throws(PublishedGalleryError) -> Void

  /// A door made of its calls.
  package init(
    open: @escaping @Sendable (RecordKey, String) async throws(PublishedGalleryError) -> Draft?,
    delete: @escaping @Sendable (RecordKey, DID) async throws(PublishedGalleryError) -> Void
  ) {
    self.open = open
    self.delete = delete
  }

  /// Knows of no gallery.
  package static let unavailable = PublishedDoor(
    open: { _, _ async throws(PublishedGalleryError) in throw .unknown },
    delete: { _, _ async throws(PublishedGalleryError) in throw .unknown })
}

package import ATSyntax

/// A gallery as it was in the repository when a draft over it was opened: what the draft's difference
/// is measured against, and what must still be there when the difference is written.
package struct PublishedGallery: Codable, Equatable, Sendable {
  /// The newest commit of the repository then: while it is, nothing else has changed.
  package let commit: CID
  /// The head record.
  package let gallery: RepositoryRecord
  /// The photographs of the draft that were published, by their id in the draft.
  package let photos: [String: Photo]

  /// The records of one photograph.
  package struct Photo: Codable, Equatable, Sendable {
    /// The `social.grain.photo` record.
    package let photo: RepositoryRecord
    /// The `social.grain.gallery.item` record.
    package let item: RepositoryRecord
    /// What is said about the photograph; one record as a rule.
    package let exif: [RepositoryRecord]
    /// Another gallery shows the same photograph: only its place in this one may go.
    package let isShared: Bool

    /// A photograph that is published.
    package init(
      photo: RepositoryRecord, item: RepositoryRecord, exif: [RepositoryRecord], isShared: Bool
    ) {
      self.photo = photo
      self.item = item
      self.exif = exif
      self.isShared = isShared
    }
  }

  /// A gallery that was read.
  package init(commit: CID, gallery: RepositoryRecord, photos: [String: Photo]) {
    self.commit = commit
    self.gallery = gallery
    self.photos = photos
  }
}

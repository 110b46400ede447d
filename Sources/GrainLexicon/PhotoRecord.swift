package import ATSyntax
package import StrictJSON

/// `social.grain.photo`: one picture.
package struct PhotoRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.photo

  /// At most 1 000 000 bytes.
  package var photo: BlobReference
  /// What it shows, for who cannot see it; empty means absent.
  package var alt: String?
  /// Final pixels, orientation applied.
  package var aspectRatio: AspectRatio
  /// When its author made it.
  package var createdAt: ATDateTime

  /// A photo of an uploaded blob.
  package init(
    photo: BlobReference, alt: String? = nil, aspectRatio: AspectRatio, createdAt: ATDateTime
  ) {
    self.photo = photo
    self.alt = alt
    self.aspectRatio = aspectRatio
    self.createdAt = createdAt
  }

  /// As it is written, `$type` first.
  package var json: JSONObject {
    object([
      ("photo", photo.json), ("alt", .text(alt)), ("aspectRatio", aspectRatio.json),
      ("createdAt", .date(createdAt)),
    ])
  }

  /// A blob that is too large or no image, sides below 1.
  package var violations: [LexiconViolation] {
    (BlobLimit.photo.excess(of: photo).map { [LexiconViolation("photo", $0)] } ?? [])
      + aspectRatio.violations
  }
}

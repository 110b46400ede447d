package import ATSyntax
package import StrictJSON

/// `social.grain.photo`: one picture.
package struct PhotoRecord: LexiconRecord {
  package static let collection = CollectionNames.photo

  package var photo: BlobReference
  package var alt: String?
  package var aspectRatio: AspectRatio
  package var createdAt: ATDateTime

  package init(
    photo: BlobReference, alt: String? = nil, aspectRatio: AspectRatio, createdAt: ATDateTime
  ) {
    self.photo = photo
    self.alt = alt
    self.aspectRatio = aspectRatio
    self.createdAt = createdAt
  }

  package var json: JSONObject {
    object([
      ("photo", photo.json), ("alt", .text(alt)), ("aspectRatio", aspectRatio.json),
      ("createdAt", .date(createdAt)),
    ])
  }

  package var violations: [LexiconViolation] {
    (BlobLimit.photo.excess(of: photo).map { [LexiconViolation("photo", $0)] } ?? [])
      + aspectRatio.violations
  }
}

package import ATSyntax
package import StrictJSON

/// `social.grain.story`: one picture that is shown for a day.
package struct StoryRecord: LexiconRecord {
  package static let collection = CollectionNames.story

  package var media: BlobReference
  package var aspectRatio: AspectRatio
  package var location: GridLocation?
  package var address: PostalAddress?
  package var labels: [String]
  package var createdAt: ATDateTime

  package init(
    media: BlobReference, aspectRatio: AspectRatio, location: GridLocation? = nil,
    address: PostalAddress? = nil, labels: [String] = [], createdAt: ATDateTime
  ) {
    self.media = media
    self.aspectRatio = aspectRatio
    self.location = location
    self.address = address
    self.labels = labels
    self.createdAt = createdAt
  }

  package var json: JSONObject {
    object([
      ("media", media.json), ("aspectRatio", aspectRatio.json), ("location", location?.json),
      ("address", address?.json), ("labels", SelfLabels.json(labels)),
      ("createdAt", .date(createdAt)),
    ])
  }

  package var violations: [LexiconViolation] {
    (BlobLimit.story.excess(of: media).map { [LexiconViolation("media", $0)] } ?? [])
      + aspectRatio.violations + SelfLabels.violations(labels) + (address?.violations ?? [])
  }
}

package import ATSyntax
package import StrictJSON

/// `social.grain.story`: one picture that is shown for a day.
package struct StoryRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.story

  /// Image or video, at most 5 000 000 bytes.
  package var media: BlobReference
  /// Final pixels, orientation applied.
  package var aspectRatio: AspectRatio
  /// Where it was, as a cell.
  package var location: GridLocation?
  /// Where it was, in words.
  package var address: PostalAddress?
  /// Self-labels; at most ten.
  package var labels: [String]
  /// When its author made it.
  package var createdAt: ATDateTime

  /// A story; members without a value are left out.
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

  /// As it is written, `$type` first.
  package var json: JSONObject {
    object([
      ("media", media.json), ("aspectRatio", aspectRatio.json), ("location", location?.json),
      ("address", address?.json), ("labels", SelfLabels.json(labels)),
      ("createdAt", .date(createdAt)),
    ])
  }

  /// A blob that is too large or of another kind, sides below 1, too many labels.
  package var violations: [LexiconViolation] {
    (BlobLimit.story.excess(of: media).map { [LexiconViolation("media", $0)] } ?? [])
      + aspectRatio.violations + SelfLabels.violations(labels) + (address?.violations ?? [])
  }
}

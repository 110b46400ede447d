package import ATSyntax
package import StrictJSON

/// `social.grain.gallery`: the head record that items point to.
package struct GalleryRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.gallery

  /// At most 100 bytes; required.
  package var title: String
  /// At most 1000 bytes; empty means absent.
  package var description: String?
  /// Links, mentions and tags in the description.
  package var facets: [Facet]
  /// Self-labels, such as `nudity`; at most ten.
  package var labels: [String]
  /// Where it was, as a cell.
  package var location: GridLocation?
  /// Where it was, in words.
  package var address: PostalAddress?
  /// When it was last edited.
  package var updatedAt: ATDateTime?
  /// When its author made it.
  package var createdAt: ATDateTime

  /// A gallery; members without a value are left out.
  package init(
    title: String, description: String? = nil, facets: [Facet] = [], labels: [String] = [],
    location: GridLocation? = nil, address: PostalAddress? = nil, updatedAt: ATDateTime? = nil,
    createdAt: ATDateTime
  ) {
    self.title = title
    self.description = description
    self.facets = facets
    self.labels = labels
    self.location = location
    self.address = address
    self.updatedAt = updatedAt
    self.createdAt = createdAt
  }

  /// As it is written, `$type` first.
  package var json: JSONObject {
    object([
      ("title", .string(title)), ("description", .text(description)),
      ("facets", .list(facets.map(\.json))), ("labels", SelfLabels.json(labels)),
      ("location", location?.json), ("address", address?.json),
      ("updatedAt", updatedAt.map(JSONValue.date)), ("createdAt", .date(createdAt)),
    ])
  }

  /// Title missing or too long, description too long, too many labels; a negative position.
  package var violations: [LexiconViolation] {
    var found: [LexiconViolation] = []
    if title.isEmpty { found.append(LexiconViolation("title", .empty)) }
    found += TextLimit.galleryTitle.excess(of: title).map { [LexiconViolation("title", $0)] } ?? []
    found +=
      TextLimit.galleryDescription.excess(of: description ?? "")
      .map { [LexiconViolation("description", $0)] } ?? []
    return found + SelfLabels.violations(labels) + (address?.violations ?? [])
  }
}

/// `social.grain.gallery.item`: places one photo in one gallery.
package struct GalleryItemRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.galleryItem

  /// The head record.
  package var gallery: ATURI
  /// The photo.
  package var item: ATURI
  /// Counted from 0.
  package var position: Int
  /// When its author made it.
  package var createdAt: ATDateTime

  /// Places a photo.
  package init(gallery: ATURI, item: ATURI, position: Int, createdAt: ATDateTime) {
    self.gallery = gallery
    self.item = item
    self.position = position
    self.createdAt = createdAt
  }

  /// As it is written, `$type` first.
  package var json: JSONObject {
    object([
      ("gallery", .uri(gallery)), ("item", .uri(item)), ("position", .integer(position)),
      ("createdAt", .date(createdAt)),
    ])
  }

  /// Title missing or too long, description too long, too many labels; a negative position.
  package var violations: [LexiconViolation] {
    position < 0 ? [LexiconViolation("position", .outOfRange(position))] : []
  }
}

package import ATSyntax
package import StrictJSON

/// `social.grain.gallery`: the head record that items point to.
package struct GalleryRecord: LexiconRecord {
  package static let collection = CollectionNames.gallery

  package var title: String
  package var description: String?
  package var facets: [Facet]
  /// Self-labels, such as `nudity`; at most ten.
  package var labels: [String]
  package var location: GridLocation?
  package var address: PostalAddress?
  package var updatedAt: ATDateTime?
  package var createdAt: ATDateTime

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

  package var json: JSONObject {
    object([
      ("title", .string(title)), ("description", .text(description)),
      ("facets", .list(facets.map(\.json))), ("labels", SelfLabels.json(labels)),
      ("location", location?.json), ("address", address?.json),
      ("updatedAt", updatedAt.map(JSONValue.date)), ("createdAt", .date(createdAt)),
    ])
  }

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
  package static let collection = CollectionNames.galleryItem

  package var gallery: ATURI
  /// The photo.
  package var item: ATURI
  /// Counted from 0.
  package var position: Int
  package var createdAt: ATDateTime

  package init(gallery: ATURI, item: ATURI, position: Int, createdAt: ATDateTime) {
    self.gallery = gallery
    self.item = item
    self.position = position
    self.createdAt = createdAt
  }

  package var json: JSONObject {
    object([
      ("gallery", .uri(gallery)), ("item", .uri(item)), ("position", .integer(position)),
      ("createdAt", .date(createdAt)),
    ])
  }

  package var violations: [LexiconViolation] {
    position < 0 ? [LexiconViolation("position", .outOfRange(position))] : []
  }
}

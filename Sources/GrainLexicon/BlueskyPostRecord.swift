package import ATSyntax
package import StrictJSON

/// `app.bsky.feed.post`: the cross-post of a gallery or a story.
///
/// The account's server validates this type itself, so ``violations`` are refusals.
package struct BlueskyPostRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.blueskyPost

  /// One picture of the embed.
  package struct Image: Hashable, Sendable {
    /// The same blob the gallery references.
    package var image: BlobReference
    /// Written even when empty: the lexicon requires it.
    package var alt: String
    /// Lets a reader reserve the room.
    package var aspectRatio: AspectRatio?

    /// A picture of the embed.
    package init(image: BlobReference, alt: String, aspectRatio: AspectRatio? = nil) {
      self.image = image
      self.alt = alt
      self.aspectRatio = aspectRatio
    }
  }

  /// At most 300 graphemes and 3000 bytes.
  package var text: String
  /// Links, mentions and tags in the text.
  package var facets: [Facet]
  /// At most four.
  package var images: [Image]
  /// Without `#`; not shown in the text.
  package var tags: [String]
  /// At most three.
  package var languages: [LanguageTag]
  /// Self-labels; at most ten.
  package var labels: [String]
  /// When its author made it.
  package var createdAt: ATDateTime

  /// A post; members without a value are left out.
  package init(
    text: String, facets: [Facet] = [], images: [Image] = [], tags: [String] = [],
    languages: [LanguageTag] = [], labels: [String] = [], createdAt: ATDateTime
  ) {
    self.text = text
    self.facets = facets
    self.images = images
    self.tags = tags
    self.languages = languages
    self.labels = labels
    self.createdAt = createdAt
  }

  /// As it is written, `$type` first.
  package var json: JSONObject {
    object([
      ("text", .string(text)), ("facets", .list(facets.map(\.json))), ("embed", embed),
      ("tags", .list(tags.map(JSONValue.string))),
      ("langs", .list(languages.map { .string($0.rawValue) })),
      ("labels", SelfLabels.json(labels)), ("createdAt", .date(createdAt)),
    ])
  }

  /// What the server would refuse: text, tags, languages, pictures, labels.
  package var violations: [LexiconViolation] {
    var found = TextLimit.post.excess(of: text).map { [LexiconViolation("text", $0)] } ?? []
    for (member, count, maximum) in [
      ("embed", images.count, 4), ("tags", tags.count, 8), ("langs", languages.count, 3),
    ] where count > maximum {
      found.append(LexiconViolation(member, .tooManyItems(count, maximum: maximum)))
    }
    found += tags.compactMap { TextLimit.tag.excess(of: $0) }.map { LexiconViolation("tags", $0) }
    found += images.compactMap { BlobLimit.photo.excess(of: $0.image) }
      .map { LexiconViolation("embed", $0) }
    return found + SelfLabels.violations(labels)
  }

  private var embed: JSONValue? {
    guard !images.isEmpty else { return nil }
    let members = images.map { image in
      JSONValue.object(
        .present([
          ("image", image.image.json), ("alt", .string(image.alt)),
          ("aspectRatio", image.aspectRatio?.json),
        ]))
    }
    return ["$type": "app.bsky.embed.images", "images": .array(members)]
  }
}

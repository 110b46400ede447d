package import ATSyntax
package import StrictJSON

/// `social.grain.favorite`: likes a gallery, a story or a comment.
package struct FavoriteRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.favorite

  /// What it is about.
  package var subject: ATURI
  /// When its author made it.
  package var createdAt: ATDateTime

  /// Likes the subject.
  package init(subject: ATURI, createdAt: ATDateTime) {
    self.subject = subject
    self.createdAt = createdAt
  }

  /// As it is written, `$type` first.
  package var json: JSONObject {
    object([("subject", .uri(subject)), ("createdAt", .date(createdAt))])
  }
}

/// `social.grain.comment`: says something about a gallery or a story.
package struct CommentRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.comment

  /// At most 300 graphemes and 3000 bytes; never empty.
  package var text: String
  /// Links, mentions and tags in the text.
  package var facets: [Facet]
  /// What it is about.
  package var subject: ATURI
  /// The photo of the gallery that is meant.
  package var focus: ATURI?
  /// Always the root comment: threads are two levels deep.
  package var replyTo: ATURI?
  /// When its author made it.
  package var createdAt: ATDateTime

  /// A comment; members without a value are left out.
  package init(
    text: String, facets: [Facet] = [], subject: ATURI, focus: ATURI? = nil,
    replyTo: ATURI? = nil, createdAt: ATDateTime
  ) {
    self.text = text
    self.facets = facets
    self.subject = subject
    self.focus = focus
    self.replyTo = replyTo
    self.createdAt = createdAt
  }

  /// As it is written, `$type` first.
  package var json: JSONObject {
    object([
      ("text", .string(text)), ("facets", .list(facets.map(\.json))), ("subject", .uri(subject)),
      ("focus", focus.map(JSONValue.uri)), ("replyTo", replyTo.map(JSONValue.uri)),
      ("createdAt", .date(createdAt)),
    ])
  }

  /// A text that is empty or too long.
  package var violations: [LexiconViolation] {
    if text.isEmpty { return [LexiconViolation("text", .empty)] }
    return TextLimit.comment.excess(of: text).map { [LexiconViolation("text", $0)] } ?? []
  }
}

/// `social.grain.graph.follow`.
package struct FollowRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.follow

  /// Whom it is about.
  package var subject: DID
  /// When its author made it.
  package var createdAt: ATDateTime

  /// Points at an account.
  package init(subject: DID, createdAt: ATDateTime) {
    self.subject = subject
    self.createdAt = createdAt
  }

  /// As it is written, `$type` first.
  package var json: JSONObject {
    object([("subject", .string(subject.rawValue)), ("createdAt", .date(createdAt))])
  }
}

/// `social.grain.graph.block`.
package struct BlockRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.block

  /// Whom it is about.
  package var subject: DID
  /// When its author made it.
  package var createdAt: ATDateTime

  /// Points at an account.
  package init(subject: DID, createdAt: ATDateTime) {
    self.subject = subject
    self.createdAt = createdAt
  }

  /// As it is written, `$type` first.
  package var json: JSONObject {
    object([("subject", .string(subject.rawValue)), ("createdAt", .date(createdAt))])
  }
}

package import ATSyntax
package import StrictJSON

/// `social.grain.favorite`: likes a gallery, a story or a comment.
package struct FavoriteRecord: LexiconRecord {
  package static let collection = CollectionNames.favorite

  package var subject: ATURI
  package var createdAt: ATDateTime

  package init(subject: ATURI, createdAt: ATDateTime) {
    self.subject = subject
    self.createdAt = createdAt
  }

  package var json: JSONObject {
    object([("subject", .uri(subject)), ("createdAt", .date(createdAt))])
  }
}

/// `social.grain.comment`: says something about a gallery or a story.
package struct CommentRecord: LexiconRecord {
  package static let collection = CollectionNames.comment

  package var text: String
  package var facets: [Facet]
  package var subject: ATURI
  /// The photo of the gallery that is meant.
  package var focus: ATURI?
  /// Always the root comment: threads are two levels deep.
  package var replyTo: ATURI?
  package var createdAt: ATDateTime

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

  package var json: JSONObject {
    object([
      ("text", .string(text)), ("facets", .list(facets.map(\.json))), ("subject", .uri(subject)),
      ("focus", focus.map(JSONValue.uri)), ("replyTo", replyTo.map(JSONValue.uri)),
      ("createdAt", .date(createdAt)),
    ])
  }

  package var violations: [LexiconViolation] {
    if text.isEmpty { return [LexiconViolation("text", .empty)] }
    return TextLimit.comment.excess(of: text).map { [LexiconViolation("text", $0)] } ?? []
  }
}

/// `social.grain.graph.follow`.
package struct FollowRecord: LexiconRecord {
  package static let collection = CollectionNames.follow

  package var subject: DID
  package var createdAt: ATDateTime

  package init(subject: DID, createdAt: ATDateTime) {
    self.subject = subject
    self.createdAt = createdAt
  }

  package var json: JSONObject {
    object([("subject", .string(subject.rawValue)), ("createdAt", .date(createdAt))])
  }
}

/// `social.grain.graph.block`.
package struct BlockRecord: LexiconRecord {
  package static let collection = CollectionNames.block

  package var subject: DID
  package var createdAt: ATDateTime

  package init(subject: DID, createdAt: ATDateTime) {
    self.subject = subject
    self.createdAt = createdAt
  }

  package var json: JSONObject {
    object([("subject", .string(subject.rawValue)), ("createdAt", .date(createdAt))])
  }
}

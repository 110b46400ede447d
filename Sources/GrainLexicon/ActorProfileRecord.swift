package import ATSyntax
package import StrictJSON

/// `social.grain.actor.profile` (key `self`): how an account presents itself.
///
/// An edit starts from the stored record and keeps its `createdAt` and every member this core does
/// not know.
package struct ActorProfileRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.actorProfile

  /// At most 64 graphemes; empty means absent.
  package var displayName: String?
  /// At most 256 graphemes; empty means absent.
  package var description: String?
  /// PNG or JPEG, at most 1 000 000 bytes.
  package var avatar: BlobReference?
  /// The original one; older profiles may lack it.
  package var createdAt: ATDateTime?
  /// Members of the stored record that are not ours.
  package private(set) var unknownMembers: JSONObject

  /// A first profile; ``init(json:)`` starts an edit.
  package init(
    displayName: String? = nil, description: String? = nil, avatar: BlobReference? = nil,
    createdAt: ATDateTime?
  ) {
    self.displayName = displayName
    self.description = description
    self.avatar = avatar
    self.createdAt = createdAt
    unknownMembers = [:]
  }

  /// Reads a stored profile, Grain's or Bluesky's (whose three members mean the same, G114).
  ///
  /// A member of the wrong shape is treated as absent.
  package init(json: JSONObject) {
    displayName = json["displayName"]?.stringValue
    description = json["description"]?.stringValue
    avatar = json["avatar"].flatMap(BlobReference.init(json:))
    // A date this core cannot read is left out rather than repeated wrongly.
    createdAt = json["createdAt"]?.stringValue.flatMap { try? ATDateTime($0) }
    unknownMembers = json
    let ours = ["$type", "displayName", "description", "avatar", "createdAt"]
    unknownMembers.removeAll { key, _ in ours.contains(key) }
  }

  /// As it is written, `$type` first.
  package var json: JSONObject {
    let known = object([
      ("displayName", .text(displayName)), ("description", .text(description)),
      ("avatar", avatar?.json), ("createdAt", createdAt.map(JSONValue.date)),
    ])
    return JSONObject((known.members + unknownMembers.members).map { ($0.key, $0.value) })
  }

  /// Names and texts too long, an avatar of the wrong kind or size.
  package var violations: [LexiconViolation] {
    [
      TextLimit.displayName.excess(of: displayName ?? "").map {
        LexiconViolation("displayName", $0)
      },
      TextLimit.profileDescription.excess(of: description ?? "").map {
        LexiconViolation("description", $0)
      },
      avatar.flatMap(BlobLimit.avatar.excess(of:)).map { LexiconViolation("avatar", $0) },
    ].compactMap(\.self)
  }
}

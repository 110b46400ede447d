package import ATSyntax
package import StrictJSON

/// One record to create, change or delete; keys are always ours, so that a create can be repeated
/// (grain-product §8).
package struct RecordWrite: Equatable, Sendable {
  /// What becomes of the record.
  package enum Action: String, Sendable {
    case create, update, delete
  }

  /// What becomes of the record.
  package let action: Action
  /// Where the record goes.
  package let collection: NSID
  /// Its key there.
  package let key: RecordKey
  /// The record as it will be, `$type` included; empty for a deletion.
  package let value: JSONObject

  /// A record to create.
  package init(collection: NSID, key: RecordKey, value: JSONObject) {
    self.init(.create, collection, key, value)
  }

  private init(_ action: Action, _ collection: NSID, _ key: RecordKey, _ value: JSONObject) {
    self.action = action
    self.collection = collection
    self.key = key
    self.value = value
  }

  /// A record that is there and gets another value.
  package static func update(
    _ collection: NSID, _ key: RecordKey, _ value: JSONObject
  ) -> RecordWrite {
    RecordWrite(.update, collection, key, value)
  }

  /// A record that goes.
  package static func delete(_ collection: NSID, _ key: RecordKey) -> RecordWrite {
    RecordWrite(.delete, collection, key, [:])
  }

  /// The record's address in a repository.
  package func uri(in repo: DID) -> ATURI {
    ATURI(repo, collection, key)
  }

  /// One element of `applyWrites` (G44).
  var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("$type", .string("com.atproto.repo.applyWrites#\(action.rawValue)")),
      ("collection", .string(collection.rawValue)), ("rkey", .string(key.rawValue)),
    ]
    if action != .delete { members.append(("value", .object(value))) }
    return .object(JSONObject(members))
  }
}

package import ATSyntax
package import StrictJSON

/// A record of one collection, as a value.
package protocol LexiconRecord: Sendable, Equatable {
  /// The collection it is written to; also its `$type`.
  static var collection: NSID { get }

  /// The record as it is written, `$type` first; absent members are left out, never null.
  var json: JSONObject { get }

  /// What the lexicon would refuse, in the order of the members; empty for a good record.
  var violations: [LexiconViolation] { get }
}

extension LexiconRecord {
  /// None, unless the record says otherwise.
  package var violations: [LexiconViolation] { [] }

  /// An object that starts with this collection's `$type`.
  func object(_ members: [(String, JSONValue?)]) -> JSONObject {
    JSONObject.present([("$type", .string(Self.collection.rawValue))] + members)
  }
}

extension JSONObject {
  /// An object of the members that have a value.
  static func present(_ members: [(String, JSONValue?)]) -> JSONObject {
    JSONObject(members.compactMap { key, value in value.map { (key, $0) } })
  }
}

extension JSONValue {
  /// A text, or nothing for an absent or empty one: an empty text is absent in a record.
  static func text(_ text: String?) -> JSONValue? {
    text.flatMap { $0.isEmpty ? nil : .string($0) }
  }

  static func integer(_ number: Int?) -> JSONValue? { number.map { .number(JSONNumber($0)) } }

  static func uri(_ uri: ATURI) -> JSONValue { .string(uri.rawValue) }

  static func date(_ date: ATDateTime) -> JSONValue { .string(date.rawValue) }

  static func list(_ values: [JSONValue]) -> JSONValue? { values.isEmpty ? nil : .array(values) }
}

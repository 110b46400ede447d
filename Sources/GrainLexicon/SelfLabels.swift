package import StrictJSON

/// Labels an author puts on their own record: `com.atproto.label.defs#selfLabels`.
package enum SelfLabels {
  /// The values the app offers.
  package static let offered = ["nudity", "sexual", "gore"]

  /// The most values one record may carry.
  package static let maximum = 10

  /// `nil` when there are none: the member is left out then.
  package static func json(_ values: [String]) -> JSONValue? {
    guard !values.isEmpty else { return nil }
    return [
      "$type": "com.atproto.label.defs#selfLabels",
      "values": .array(values.map { ["val": .string($0)] }),
    ]
  }

  static func violations(_ values: [String]) -> [LexiconViolation] {
    values.count > maximum
      ? [LexiconViolation("labels", .tooManyItems(values.count, maximum: maximum))] : []
  }
}

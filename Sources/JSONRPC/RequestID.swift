package import StrictJSON

/// Names one request until it is answered: a whole number from 0 to 2^53 − 1, or text of at most 64 bytes.
///
/// `1` and `"1"` are different ids, and `0` and `""` are ids like any other (FB-C11).
package enum RequestID: Hashable, Sendable {
  /// A whole number.
  case number(Int)
  /// Text, compared by its bytes.
  case string(String)

  /// The longest text an id may be, in bytes of UTF-8.
  package static let maximumBytes = 64

  /// The id in a message; `nil` for what may not be one: null, fractions, negatives, too large, too long.
  package init?(_ json: JSONValue) {
    switch json {
    case .number(let number):
      guard let value = number.intValue, 0...Self.maximumNumber ~= value else { return nil }
      self = .number(value)
    case .string(let text):
      guard text.utf8.count <= Self.maximumBytes else { return nil }
      self = .string(text)
    default: return nil
    }
  }

  /// The id as it stands in a message.
  package var json: JSONValue {
    switch self {
    case .number(let value): JSONValue(value)
    case .string(let text): .string(text)
    }
  }

  /// Same kind and same content; text by bytes, so two spellings of one letter are two ids.
  package static func == (left: RequestID, right: RequestID) -> Bool { left.json == right.json }

  /// Hashes kind and content.
  package func hash(into hasher: inout Hasher) { hasher.combine(json) }

  private static let maximumNumber = 1 << 53 - 1
}

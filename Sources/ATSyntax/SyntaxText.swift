/// A text whose grammar was checked once, in its throwing initialiser, and is carried as a type.
///
/// Conforming types encode as the bare string and refuse a malformed one when decoding.
package protocol SyntaxText: Sendable, Hashable, Codable, CustomStringConvertible, Comparable {
  /// Reads `text` by the type's grammar.
  ///
  /// - Throws: ``SyntaxError`` naming the grammar that was broken.
  init(_ text: String) throws(SyntaxError)

  /// The text in the form that is stored, compared and sent.
  var rawValue: String { get }
}

extension SyntaxText {
  package var description: String { rawValue }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  package init(from decoder: any Decoder) throws {
    try self.init(try decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

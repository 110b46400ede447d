/// A JSON number with its digits as they were written: `1`, `1.0` and `1e0` are three different values.
///
/// Nothing is lost in transit (9007199254740993 stays what it is), and nothing is guessed: a fraction is
/// never an integer, even `1.0` (FB-F8).
package struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
  /// The number as RFC 8259 §6 spells it.
  package let literal: String

  /// A whole number.
  package init(_ value: Int) { literal = String(value) }

  /// A whole number of any width.
  package init(_ value: some BinaryInteger) { literal = String(value) }

  /// The shortest digits that read back as `value`; `nil` for infinities and NaN, which JSON lacks.
  package init?(_ value: Double) {
    guard value.isFinite else { return nil }
    literal = value.description
  }

  /// Digits already written elsewhere; `nil` unless they follow RFC 8259 §6 to the letter.
  package init?(literal: String) {
    guard Self.isNumber(literal.utf8) else { return nil }
    self.literal = literal
  }

  /// For the parser, which has checked the grammar.
  init(checked literal: String) { self.literal = literal }

  /// The value as an `Int`; `nil` with a fraction or exponent, and outside its range.
  package var intValue: Int? { Int(literal) }

  /// The value as an `Int64`; `nil` with a fraction or exponent, and outside its range.
  package var int64Value: Int64? { Int64(literal) }

  /// The nearest `Double`; `nil` when that would be infinite.
  package var doubleValue: Double? {
    guard let value = Double(literal), value.isFinite else { return nil }
    return value
  }

  /// The literal.
  package var description: String { literal }

  private static func isNumber(_ bytes: String.UTF8View) -> Bool {
    let copy = Array(bytes)
    return copy.withUnsafeBufferPointer { NumberGrammar.end(in: $0, from: 0) == $0.count }
  }
}

/// The grammar of RFC 8259 §6, shared by the parser and `JSONNumber(literal:)`.
enum NumberGrammar {
  /// - Returns: the offset behind the number that starts at `start`; `nil` when none does.
  static func end(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var position = start
    func digits() -> Bool {
      let first = position
      while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
      return position > first
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
    guard position < bytes.count else { return nil }
    if bytes[position] == UInt8(ascii: "0") {
      position += 1
    } else {
      guard digits() else { return nil }
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      guard digits() else { return nil }
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count,
        bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      guard digits() else { return nil }
    }
    return position
  }
}

/// A value that does not fit the type asked for.
package struct JSONDecodingError: Error, Equatable, Sendable {
  /// Where, as a JSON Pointer into the value that was decoded (RFC 6901).
  package let pointer: String
  /// What would have fitted, in a word or two: `string`, `integer`, `a member`, `no such member`.
  package let expected: String

  /// An error at a place.
  package init(pointer: String, expected: String) {
    self.pointer = pointer
    self.expected = expected
  }

  init(_ path: [any CodingKey], _ expected: String) {
    self.init(
      pointer: JSONPointer.text(of: path.map { $0.intValue.map(String.init) ?? $0.stringValue }),
      expected: expected)
  }
}

/// The place of an element in an array, or a name made up on the way.
struct PlainKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

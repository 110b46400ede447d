/// The header fields of a request or a response; names are compared without case (RFC 9110 §5.1).
package struct HTTPHeaders: Sendable {
  /// A field as it stands in the message.
  package struct Field: Sendable, Equatable {
    /// The name as it was spelled.
    package let name: String
    /// The value without surrounding white space.
    package let value: String
  }

  /// All fields, in order.
  package private(set) var fields: [Field] = []

  /// No fields.
  package init() {}

  /// The values of all fields of that name, joined by `, ` (RFC 9110 §5.3), or `nil` without one.
  ///
  /// Setting replaces all fields of the name; setting `nil` removes them.
  package subscript(_ name: String) -> String? {
    get {
      let values = all(name)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
    set {
      fields.removeAll { $0.name.isSameFieldName(as: name) }
      if let newValue { add(name, newValue) }
    }
  }

  /// The value of each field of that name.
  package func all(_ name: String) -> [String] {
    fields.filter { $0.name.isSameFieldName(as: name) }.map(\.value)
  }

  /// Adds a field beside those of the same name.
  ///
  /// Line ends and zero bytes in the value become spaces, so that no value can forge a field
  /// (RFC 9110 §5.5); a name that is no token is not added.
  package mutating func add(_ name: String, _ value: String) {
    guard name.isToken else { return }
    // By bytes: those looked for are no part of a longer character, and a header with a token and a
    // proof is too long to be read scalar by scalar.
    var bytes = Array(value.utf8)
    for index in bytes.indices where Self.lineEnds.contains(bytes[index]) {
      bytes[index] = UInt8(ascii: " ")
    }
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    fields.append(Field(name: name, value: String(decoding: bytes[start..<end], as: UTF8.self)))
  }

  /// What may not stand in a value (RFC 9110 §5.5).
  private static let lineEnds: [UInt8] = [0x0D, 0x0A, 0x00]
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// The fields in the order written; a name may stand twice.
  package init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }
}

extension HTTPHeaders: Equatable {
  /// Equal when names (without case) and values are the same in the same order.
  package static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.elementsEqual(right.fields) {
      $0.name.isSameFieldName(as: $1.name) && $0.value == $1.value
    }
  }
}

extension String {
  /// Whether both are the same name of a header field.
  func isSameFieldName(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
  }

  /// Whether the text is a token (RFC 9110 §5.6.2): a method or the name of a field.
  package var isToken: Bool {
    !utf8.isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}

extension UInt8 {
  fileprivate var asciiLowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}

/// A JSON value without `null`, for the few members whose shape is open: message parameters and
/// the `details` of a problem.
package enum PlainValue: Hashable, Sendable {
  /// A string.
  case text(String)
  /// A whole number within ±(2^53−1).
  case integer(Int)
  /// A fraction.
  case number(Double)
  /// True or false.
  case flag(Bool)
  /// An array.
  case list([PlainValue])
  /// An object; written with its names sorted, so that equal values have equal bytes.
  case members([String: PlainValue])
}

extension PlainValue: Codable {
  /// Reads any JSON but `null`.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // `try?` asks "is it one of these?"; the last attempt reports what is wrong.
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let integer = try? container.decode(Int.self) {
      self = .integer(integer)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([PlainValue].self) {
      self = .list(list)
    } else {
      self = .members(try container.decode([String: PlainValue].self))
    }
  }

  /// Writes the bare value.
  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .text(let text): try encoder.encodeSingle(text)
    case .integer(let integer): try encoder.encodeSingle(integer)
    case .number(let number): try encoder.encodeSingle(number)
    case .flag(let flag): try encoder.encodeSingle(flag)
    case .list(let list): try encoder.encodeSingle(list)
    case .members(let members): try SortedMembers(members).encode(to: encoder)
    }
  }
}

extension PlainValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
  /// Text.
  package init(stringLiteral value: String) { self = .text(value) }
  /// A whole number.
  package init(integerLiteral value: Int) { self = .integer(value) }
  /// True or false.
  package init(booleanLiteral value: Bool) { self = .flag(value) }
  /// An array.
  package init(arrayLiteral elements: PlainValue...) { self = .list(elements) }
}

extension PlainValue: CustomStringConvertible {
  /// The value as it reads inside a sentence.
  package var description: String {
    switch self {
    case .text(let text): text
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .list(let list): list.map(\.description).joined(separator: ", ")
    case .members(let members):
      members.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
  }
}

extension Encoder {
  fileprivate func encodeSingle(_ value: some Encodable) throws {
    var container = singleValueContainer()
    try container.encode(value)
  }
}

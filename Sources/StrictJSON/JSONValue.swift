/// A JSON value as it was written: digits kept, members in order, `true` never equal to `1`.
package enum JSONValue: Sendable {
  /// The literal `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, by its digits.
  case number(JSONNumber)
  /// Text, by its bytes.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Members in order.
  case object(JSONObject)
}

extension JSONValue: Hashable {
  /// Same kind and same content; text by bytes, numbers by digits, objects in any order.
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): ExactText.equal(left, right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes kind and content.
  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(ExactText(value))
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

// MARK: Reading

extension JSONValue {
  /// The text, if this is text.
  package var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  /// The truth value, if this is one; `1` is not.
  package var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The whole number, if this is one within `Int`; `1.0` is not.
  package var intValue: Int? { if case .number(let value) = self { value.intValue } else { nil } }

  /// The nearest finite `Double`, if this is a number and has one.
  package var doubleValue: Double? {
    if case .number(let value) = self { value.doubleValue } else { nil }
  }

  /// The elements, if this is an array.
  package var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  /// The object, if this is one.
  package var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }

  /// Whether this is the literal `null`.
  package var isNull: Bool { if case .null = self { true } else { false } }

  /// The member of this name; `nil` when there is none or this is no object.
  package subscript(_ key: String) -> JSONValue? { objectValue?[key] }

  /// The value a JSON Pointer leads to; the empty pointer is the whole value.
  ///
  /// - SeeAlso: RFC 6901
  package subscript(pointer pointer: String) -> JSONValue? {
    guard let steps = JSONPointer.steps(of: pointer) else { return nil }
    var value = self
    for step in steps {
      switch value {
      case .object(let object):
        guard let next = object[step] else { return nil }
        value = next
      case .array(let elements):
        guard let index = JSONPointer.index(step), index < elements.count else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }
}

extension JSONValue: CustomStringConvertible {
  /// The same as `text()`.
  package var description: String { text() }
}

// MARK: Writing values in code

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// `true` or `false`.
  package init(booleanLiteral value: Bool) { self = .bool(value) }

  /// A whole number.
  package init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }

  /// Text.
  package init(stringLiteral value: String) { self = .string(value) }

  /// An array.
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// An object with its members in this order.
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}

extension JSONValue {
  /// A whole number held in a variable.
  package init(_ value: Int) { self = .number(JSONNumber(value)) }

  /// Text held in a variable.
  package init(_ value: String) { self = .string(value) }
}

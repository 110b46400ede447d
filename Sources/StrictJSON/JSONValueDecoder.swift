/// Turns JSON values into `Decodable` ones without bending: a `Bool` refuses `1`, a whole number refuses
/// `true`, `1.0` and `1e2`, and each error says where it is (FB-F8).
package struct JSONValueDecoder: Sendable {
  /// What a `null` for an optional property means.
  package enum NullMembers: Sendable {
    /// The same as leaving the member out: for documents of foreign servers.
    case absent
    /// A fault: for parameters of the bridge (FB-C13).
    case refused
  }

  /// What a member nobody asks for means.
  package enum UnknownMembers: Sendable {
    /// Nothing.
    case ignored
    /// A fault: for closed schemas (bridge protocol §5).
    case refused
  }

  /// What a `null` for an optional property means.
  package let nullMembers: NullMembers
  /// What a member nobody asks for means.
  package let unknownMembers: UnknownMembers

  /// A decoder; as it comes, it reads foreign documents.
  package init(nullMembers: NullMembers = .absent, unknownMembers: UnknownMembers = .ignored) {
    self.nullMembers = nullMembers
    self.unknownMembers = unknownMembers
  }

  /// - Throws: `JSONDecodingError`, or whatever a hand-written `init(from:)` throws.
  package func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T {
    let visits = unknownMembers == .refused ? VisitedMembers() : nil
    let source = ValueDecoder(
      value: value, codingPath: [], nullIsAbsent: nullMembers == .absent, visits: visits)
    let result = try source.decode(type)
    if let pointer = visits?.firstUnknownMember() {
      throw JSONDecodingError(pointer: pointer, expected: "no such member")
    }
    return result
  }
}

/// Which members of which objects were asked for; one per decoding, on one thread.
final class VisitedMembers {
  private var present: [String: JSONObject] = [:]
  private var asked: [String: Set<ExactText>] = [:]
  private var order: [String] = []

  func open(_ object: JSONObject, at path: [any CodingKey]) -> String {
    let pointer = JSONPointer.text(of: path.map { $0.intValue.map(String.init) ?? $0.stringValue })
    if present.updateValue(object, forKey: pointer) == nil { order.append(pointer) }
    return pointer
  }

  func ask(_ key: String, in pointer: String) { asked[pointer, default: []].insert(ExactText(key)) }

  func firstUnknownMember() -> String? {
    for pointer in order {
      let known = asked[pointer] ?? []
      if let key = present[pointer]?.keys.first(where: { !known.contains(ExactText($0)) }) {
        return pointer + JSONPointer.text(of: [key])
      }
    }
    return nil
  }
}

/// One value with its place; also what Codable calls a decoder and a single-value container.
struct ValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  let codingPath: [any CodingKey]
  let nullIsAbsent: Bool
  let visits: VisitedMembers?
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func inner(_ value: JSONValue, _ key: any CodingKey) -> ValueDecoder {
    ValueDecoder(
      value: value, codingPath: codingPath + [key], nullIsAbsent: nullIsAbsent, visits: visits)
  }

  func mismatch(_ expected: String) -> JSONDecodingError { JSONDecodingError(codingPath, expected) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = value else { throw mismatch("object") }
    return KeyedDecodingContainer(
      MemberContainer<Key>(
        object: object, source: self, pointer: visits?.open(object, at: codingPath)))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = value else { throw mismatch("array") }
    return ElementContainer(elements: elements, source: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value.isNull }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .bool(let value) = value else { throw mismatch("boolean") }
    return value
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .string(let value) = value else { throw mismatch("string") }
    return value
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard let value = value.doubleValue else { throw mismatch("number") }
    return value
  }

  func decode(_ type: Float.Type) throws -> Float {
    guard case .number(let number) = value, let value = Float(number.literal), value.isFinite
    else { throw mismatch("number") }
    return value
  }

  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    // Our own values pass through untouched: going through Codable would lose digits and order.
    if type == JSONValue.self, let value = value as? T { return value }
    if type == JSONObject.self {
      guard let object = value.objectValue as? T else { throw mismatch("object") }
      return object
    }
    if type == JSONNumber.self {
      guard case .number(let number) = value, let number = number as? T
      else { throw mismatch("number") }
      return number
    }
    return try T(from: self)
  }

  private func integer<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
    guard case .number(let number) = value, let value = I(number.literal)
    else { throw mismatch("integer") }
    return value
  }
}

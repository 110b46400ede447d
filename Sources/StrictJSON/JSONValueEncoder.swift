#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Turns `Encodable` values into JSON values.
///
/// Members come in the order they are encoded, so in order of declaration; those of a dictionary are
/// sorted by name, because a dictionary has no order to keep. An optional property that is `nil` is left
/// out. Dates, data, URLs and decimals are refused: on our wires they are strings whose form somebody chose.
package struct JSONValueEncoder: Sendable {
  /// An encoder; it has no settings.
  package init() {}

  /// - Parameters:
  ///   - value: what is to be encoded.
  ///   - userInfo: what the value's own `encode(to:)` may want to know.
  /// - Returns: the value as JSON.
  /// - Throws: `EncodingError.invalidValue` for numbers that are not finite and for the types refused.
  package func encode(
    _ value: some Encodable, userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> JSONValue {
    let node = EncodedNode(userInfo)
    try node.encode(value, at: [])
    return node.json
  }
}

/// One value under construction.
///
/// A class because nested containers are filled after their parent has handed them out. Plain values go
/// straight into the object or array; only what is nested needs a node of its own.
private final class EncodedNode {
  private enum Kind { case none, value, array, object }

  let userInfo: [CodingUserInfoKey: Any]
  private var kind = Kind.none
  private var value = JSONValue.null
  private var object = JSONObject()
  private var elements: [JSONValue] = []
  private var nestedMembers: [(key: String, node: EncodedNode)] = []
  private var nestedElements: [(index: Int, node: EncodedNode)] = []

  init(_ userInfo: [CodingUserInfoKey: Any]) { self.userInfo = userInfo }

  var json: JSONValue {
    switch kind {
    case .none: return .object([:])
    case .value: return value
    case .array:
      var elements = elements
      for (index, node) in nestedElements { elements[index] = node.json }
      return .array(elements)
    case .object:
      var object = object
      for (key, node) in nestedMembers { object[key] = node.json }
      return .object(object)
    }
  }

  var count: Int { elements.count }

  func set(_ value: JSONValue) {
    kind = .value
    self.value = value
  }

  func becomeObject() { kind = .object }

  func becomeArray() { kind = .array }

  func setMember(_ key: String, _ value: JSONValue) { object[key] = value }

  func append(_ value: JSONValue) { elements.append(value) }

  func member(_ key: String) -> EncodedNode {
    if object[key] != nil,
      let known = nestedMembers.last(where: { ExactText.equal($0.key, key) })
    {
      return known.node
    }
    let node = EncodedNode(userInfo)
    object[key] = .null  // holds the place
    nestedMembers.append((key, node))
    return node
  }

  func element() -> EncodedNode {
    let node = EncodedNode(userInfo)
    nestedElements.append((elements.count, node))
    elements.append(.null)  // holds the place
    return node
  }

  func encode<Value: Encodable>(_ value: Value, at path: @autoclosure () -> [any CodingKey]) throws
  {
    if let plain = plainValue(value) { return set(plain) }
    if value is any Refused {
      throw EncodingError.invalidValue(
        value, .init(codingPath: path(), debugDescription: "no agreed form in JSON"))
    }
    let path = path()
    guard let dictionary = value as? any StringKeyed else {
      return try value.encode(to: NodeEncoder(node: self, codingPath: path))
    }
    becomeObject()
    for (key, inner) in dictionary.sortedMembers {
      try member(key).encode(inner, at: path + [PlainKey(stringValue: key)])
    }
  }

  // `literal` is the shortest digits of `value`; they are no JSON number when it is not finite.
  func set(_ literal: String, for value: some Encodable, at path: [any CodingKey]) throws {
    guard let number = JSONNumber(literal: literal) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: path, debugDescription: "not finite"))
    }
    set(.number(number))
  }
}

/// What is JSON already, or as good as; `nil` for what Codable has to take apart.
private func plainValue<Value: Encodable>(_ value: Value) -> JSONValue? {
  // Comparing types is much cheaper than a cast that fails.
  if Value.self == String.self { return (value as? String).map { .string($0) } }
  if Value.self == Int.self { return (value as? Int).map { JSONValue($0) } }
  if Value.self == Bool.self { return (value as? Bool).map { .bool($0) } }
  if Value.self == JSONValue.self { return value as? JSONValue }
  if Value.self == JSONObject.self { return (value as? JSONObject).map { .object($0) } }
  if Value.self == JSONNumber.self { return (value as? JSONNumber).map { .number($0) } }
  return nil
}

/// Types whose Codable form is not what anybody wants on a wire.
private protocol Refused {}
extension Date: Refused {}
extension Data: Refused {}
extension URL: Refused {}
extension Decimal: Refused {}

/// A dictionary that becomes an object.
private protocol StringKeyed {
  var sortedMembers: [(String, any Encodable)] { get }
}

extension Dictionary: StringKeyed where Key == String, Value: Encodable {
  fileprivate var sortedMembers: [(String, any Encodable)] {
    map { ($0.key, $0.value as any Encodable) }.sorted { ExactText.precedes($0.0, $1.0) }
  }
}

// MARK: The containers Codable asks for

private struct NodeEncoder: Encoder {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { node.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.becomeObject()
    return KeyedEncodingContainer(KeyedContainer<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.becomeArray()
    return UnkeyedContainer(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleContainer(node: node, codingPath: codingPath)
  }
}

private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodedNode
  let codingPath: [any CodingKey]

  private func inner(_ key: any CodingKey) -> NodeEncoder {
    NodeEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
  }

  func encodeNil(forKey key: Key) { node.setMember(key.stringValue, .null) }

  func encode(_ value: Bool, forKey key: Key) { node.setMember(key.stringValue, .bool(value)) }

  func encode(_ value: String, forKey key: Key) { node.setMember(key.stringValue, .string(value)) }

  func encode(_ value: Int, forKey key: Key) {
    node.setMember(key.stringValue, .number(JSONNumber(value)))
  }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    if let plain = plainValue(value) { return node.setMember(key.stringValue, plain) }
    try node.member(key.stringValue).encode(value, at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { inner(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    inner(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { inner(PlainKey(stringValue: "super")) }

  func superEncoder(forKey key: Key) -> any Encoder { inner(key) }
}

private struct UnkeyedContainer: UnkeyedEncodingContainer {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  var count: Int { node.count }

  private func inner() -> NodeEncoder {
    let key = PlainKey(intValue: count)
    return NodeEncoder(node: node.element(), codingPath: codingPath + [key])
  }

  func encodeNil() { node.append(.null) }

  func encode(_ value: some Encodable) throws {
    if let plain = plainValue(value) { return node.append(plain) }
    let key = PlainKey(intValue: count)
    try node.element().encode(value, at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { inner().container(keyedBy: type) }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inner().unkeyedContainer() }

  func superEncoder() -> any Encoder { inner() }
}

private struct SingleContainer: SingleValueEncodingContainer {
  let node: EncodedNode
  let codingPath: [any CodingKey]

  func encodeNil() { node.set(.null) }
  func encode(_ value: Bool) { node.set(.bool(value)) }
  func encode(_ value: String) { node.set(.string(value)) }
  func encode(_ value: Double) throws {
    try node.set(value.description, for: value, at: codingPath)
  }
  func encode(_ value: Float) throws {
    try node.set(value.description, for: value, at: codingPath)
  }
  func encode(_ value: Int) { node.set(.number(JSONNumber(value))) }
  func encode(_ value: Int8) { node.set(.number(JSONNumber(value))) }
  func encode(_ value: Int16) { node.set(.number(JSONNumber(value))) }
  func encode(_ value: Int32) { node.set(.number(JSONNumber(value))) }
  func encode(_ value: Int64) { node.set(.number(JSONNumber(value))) }
  func encode(_ value: UInt) { node.set(.number(JSONNumber(value))) }
  func encode(_ value: UInt8) { node.set(.number(JSONNumber(value))) }
  func encode(_ value: UInt16) { node.set(.number(JSONNumber(value))) }
  func encode(_ value: UInt32) { node.set(.number(JSONNumber(value))) }
  func encode(_ value: UInt64) { node.set(.number(JSONNumber(value))) }
  func encode(_ value: some Encodable) throws { try node.encode(value, at: codingPath) }
}

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

  /// - Throws: `EncodingError.invalidValue` for numbers that are not finite and for the types refused.
  package func encode(_ value: some Encodable) throws -> JSONValue {
    let node = EncodedNode()
    try node.encode(value, at: [])
    return node.json
  }
}

/// One value under construction.
///
/// A class because nested containers are filled after their parent has handed them out.
private final class EncodedNode {
  private enum Content {
    case none
    case value(JSONValue)
    case array([EncodedNode])
    case object(keys: [String], nodes: [ExactText: EncodedNode])
  }

  private var content = Content.none

  var json: JSONValue {
    switch content {
    case .none: .object([:])
    case .value(let value): value
    case .array(let nodes): .array(nodes.map(\.json))
    case .object(let keys, let nodes):
      .object(JSONObject(keys.compactMap { key in nodes[ExactText(key)].map { (key, $0.json) } }))
    }
  }

  var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

  func set(_ value: JSONValue) { content = .value(value) }

  func becomeObject() {
    if case .object = content {} else { content = .object(keys: [], nodes: [:]) }
  }

  func becomeArray() { if case .array = content {} else { content = .array([]) } }

  func member(_ key: String) -> EncodedNode {
    guard case .object(var keys, var nodes) = content else { return EncodedNode() }
    if let known = nodes[ExactText(key)] { return known }
    let node = EncodedNode()
    content = .none  // so that the two below are not copied
    keys.append(key)
    nodes[ExactText(key)] = node
    content = .object(keys: keys, nodes: nodes)
    return node
  }

  func element() -> EncodedNode {
    guard case .array(var nodes) = content else { return EncodedNode() }
    let node = EncodedNode()
    content = .none
    nodes.append(node)
    content = .array(nodes)
    return node
  }

  func encode(_ value: some Encodable, at path: [any CodingKey]) throws {
    switch value {
    case let value as JSONValue: set(value)
    case let value as JSONObject: set(.object(value))
    case let value as JSONNumber: set(.number(value))
    case is Date, is Data, is URL, is Decimal:
      throw EncodingError.invalidValue(
        value, .init(codingPath: path, debugDescription: "no agreed form in JSON"))
    case let value as any StringKeyed:
      becomeObject()
      for (key, inner) in value.sortedMembers {
        try member(key).encode(inner, at: path + [PlainKey(stringValue: key)])
      }
    default: try value.encode(to: NodeEncoder(node: self, codingPath: path))
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
  var userInfo: [CodingUserInfoKey: Any] { [:] }

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

  func encodeNil(forKey key: Key) { node.member(key.stringValue).set(.null) }

  func encode(_ value: Bool, forKey key: Key) { node.member(key.stringValue).set(.bool(value)) }

  func encode(_ value: String, forKey key: Key) { node.member(key.stringValue).set(.string(value)) }

  func encode(_ value: Int, forKey key: Key) {
    node.member(key.stringValue).set(.number(JSONNumber(value)))
  }

  func encode(_ value: some Encodable, forKey key: Key) throws {
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

  func encodeNil() { node.element().set(.null) }

  func encode(_ value: some Encodable) throws {
    let path = codingPath + [PlainKey(intValue: count)]
    try node.element().encode(value, at: path)
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

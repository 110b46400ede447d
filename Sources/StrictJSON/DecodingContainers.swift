/// An object being decoded.
struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: JSONObject
  let source: ValueDecoder
  /// Where the object is, when visits are recorded.
  let pointer: String?

  var codingPath: [any CodingKey] { source.codingPath }

  var allKeys: [Key] {
    // Whoever lists the members looks at each of them.
    object.keys.compactMap { key in
      noteVisit(key)
      return Key(stringValue: key)
    }
  }

  func contains(_ key: Key) -> Bool {
    noteVisit(key.stringValue)
    return object[key.stringValue] != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    // "No" lets the typed decoding that follows refuse the null by name.
    source.nullIsAbsent ? try member(key).value.isNull : false
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try member(key).decode(type)
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try member(key).decode(type)
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).decode(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).decode(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).decode(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).decode(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).decode(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).decode(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).decode(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try member(key).decode(type)
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try member(key).decode(type)
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try member(key).decode(type)
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try member(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try member(PlainKey(stringValue: "super")) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

  private func member(_ key: any CodingKey) throws -> ValueDecoder {
    noteVisit(key.stringValue)
    guard let value = object[key.stringValue] else {
      throw JSONDecodingError(codingPath + [key], "a member")
    }
    return source.inner(value, key)
  }

  private func noteVisit(_ key: String) {
    if let pointer { source.visits?.ask(key, in: pointer) }
  }
}

/// An array being decoded.
struct ElementContainer: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let source: ValueDecoder
  var currentIndex = 0

  init(elements: [JSONValue], source: ValueDecoder) {
    self.elements = elements
    self.source = source
  }

  var codingPath: [any CodingKey] { source.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try current().value.isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let value = try current().decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try current().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try current().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try current()
    currentIndex += 1
    return decoder
  }

  private func current() throws -> ValueDecoder {
    let key = PlainKey(intValue: currentIndex)
    guard !isAtEnd else { throw JSONDecodingError(codingPath + [key], "an element") }
    return source.inner(elements[currentIndex], key)
  }
}

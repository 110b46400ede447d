extension KeyedEncodingContainer {
  /// Writes a collection as its two members, the order first; the entries as the encoder's ``EntryWriter``
  /// does, where it has one.
  mutating func encode<Value: Encodable & Equatable>(
    _ map: OrderedMap<Value>, order: Key, values: Key
  ) throws {
    try encode(map.order, forKey: order)
    let encoder = superEncoder(forKey: values)
    if let writer = encoder.userInfo[.entryWriter] as? any EntryWriter {
      try writer.write(map, named: values.stringValue, to: encoder)
    } else {
      var container = encoder.container(keyedBy: MemberName.self)
      for (key, value) in map { try container.encode(value, forKey: MemberName(key)) }
    }
  }
}

extension KeyedDecodingContainer {
  /// Reads a collection from its two members; both must hold the same keys.
  func decode<Value: Decodable>(
    _ type: OrderedMap<Value>.Type, order: Key, values: Key
  ) throws -> OrderedMap<Value> {
    let map = OrderedMap(
      order: try decode([String].self, forKey: order),
      values: try decode([String: Value].self, forKey: values))
    guard let map else {
      throw DecodingError.dataCorruptedError(
        forKey: order, in: self,
        debugDescription: "\(order.stringValue) and \(values.stringValue) hold different keys")
    }
    return map
  }
}

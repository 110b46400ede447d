package import StrictJSON

/// The binary form of the atproto data model that record CIDs are computed over.
///
/// Deterministic CBOR (RFC 8949 §4.2 with DAG-CBOR's rules): shortest lengths, map keys ordered by
/// length and then bytewise, no floats, links as tag 42.
package enum DAGCBOR {
  /// Encodes a JSON value of the data model: `{"$link": …}` becomes a link, `{"$bytes": …}` a byte
  /// string; a number with an integral value (`123.0`) becomes an integer.
  ///
  /// - Parameters:
  ///   - value: the record, or any part of one.
  ///   - malformed: what to do with a `$link` or `$bytes` object that is not one.
  /// - Returns: the encoding; its SHA-256 makes the record's ``CID``.
  /// - Throws: ``DataModelError`` with the place of the first value that has no encoding.
  package static func encode(
    _ value: JSONValue, malformed: MalformedSpecials = .refuse
  ) throws(DataModelError) -> [UInt8] {
    var writer = DAGCBORWriter(malformed: malformed)
    try writer.write(value, at: "$")
    return writer.bytes
  }

  /// How to read an object that uses `$link` or `$bytes` wrongly.
  package enum MalformedSpecials: Sendable {
    /// Refuse it, as the specification says.
    case refuse
    /// Store it as a plain map, as the reference PDS does (wire reference §11.5).
    case keepAsMap
  }
}

private struct DAGCBORWriter {
  let malformed: DAGCBOR.MalformedSpecials
  var bytes: [UInt8] = []

  init(malformed: DAGCBOR.MalformedSpecials) { self.malformed = malformed }

  mutating func write(_ value: JSONValue, at path: String) throws(DataModelError) {
    switch value {
    case .null: bytes.append(0xf6)
    case .bool(let flag): bytes.append(flag ? 0xf5 : 0xf4)
    case .number(let number):
      let integer = try DataModel.integer(number, at: path)
      if integer < 0 { head(1, UInt64(~integer)) } else { head(0, UInt64(integer)) }
    case .string(let text): write(text)
    case .array(let elements):
      head(4, UInt64(elements.count))
      for (index, element) in elements.enumerated() { try write(element, at: "\(path)[\(index)]") }
    case .object(let object): try write(object, at: path)
    }
  }

  private mutating func write(_ object: JSONObject, at path: String) throws(DataModelError) {
    do {
      switch try DataModel.special(object, at: path) {
      case .link(let cid):
        head(6, 42)
        head(2, 37)
        bytes.append(0)  // the multibase prefix of a binary CID
        bytes += cid.bytes
        return
      case .bytes(let content):
        head(2, UInt64(content.count))
        bytes += content
        return
      case nil: break
      }
    } catch  where malformed == .keepAsMap {
      // Falls through to the plain map below.
    } catch {
      throw error
    }
    let members = object.members.sorted { left, right in
      let (left, right) = (left.key.utf8, right.key.utf8)
      return left.count == right.count
        ? left.lexicographicallyPrecedes(right) : left.count < right.count
    }
    head(5, UInt64(members.count))
    for member in members {
      write(member.key)
      try write(member.value, at: "\(path).\(member.key)")
    }
  }

  private mutating func write(_ text: String) {
    head(3, UInt64(text.utf8.count))
    bytes += text.utf8
  }

  /// The initial byte and length of an item, in the shortest form.
  private mutating func head(_ major: UInt8, _ value: UInt64) {
    let type = major << 5
    switch value {
    case ..<24: bytes.append(type | UInt8(value))
    case ..<0x100: bytes += [type | 24, UInt8(value)]
    case ..<0x1_0000: bytes += [type | 25] + bigEndian(value, 2)
    case ..<0x1_0000_0000: bytes += [type | 26] + bigEndian(value, 4)
    default: bytes += [type | 27] + bigEndian(value, 8)
    }
  }

  private func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }
}

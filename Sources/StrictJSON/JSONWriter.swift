extension JSONValue {
  /// The value as compact UTF-8, without a line break.
  ///
  /// Escaped are quote, backslash, U+0000–1F, U+007F–9F, U+2028 and U+2029, so that a reader splitting at
  /// any Unicode line break still sees one line (bridge protocol §1). Slashes are not escaped.
  ///
  /// - Parameter sortedKeys: members by the bytes of their names, not in their own order.
  /// - Returns: one line, without the break at its end.
  package func serialized(sortedKeys: Bool = false) -> [UInt8] {
    var writer = JSONWriter(sortedKeys: sortedKeys)
    writer.write(self)
    return writer.bytes
  }

  /// Whether `serialized()` has at least so many bytes; writes no more than it must to know.
  package func takes(atLeast bytes: Int) -> Bool {
    var writer = JSONWriter(sortedKeys: false, enough: bytes)
    writer.write(self)
    return writer.bytes.count >= bytes
  }

  /// The same as `serialized`, as text.
  package func text(sortedKeys: Bool = false) -> String {
    String(decoding: serialized(sortedKeys: sortedKeys), as: UTF8.self)
  }
}

extension JSONObject {
  /// The object as compact UTF-8; see `JSONValue.serialized(sortedKeys:)`.
  package func serialized(sortedKeys: Bool = false) -> [UInt8] {
    JSONValue.object(self).serialized(sortedKeys: sortedKeys)
  }
}

/// Appends values to one growing buffer.
private struct JSONWriter {
  var bytes: [UInt8] = []
  let sortedKeys: Bool
  /// Elements and members are no longer written once there are so many bytes.
  let enough: Int

  init(sortedKeys: Bool, enough: Int = .max) {
    self.sortedKeys = sortedKeys
    self.enough = enough
  }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(true): bytes += "true".utf8
    case .bool(false): bytes += "false".utf8
    case .number(let number): bytes += number.literal.utf8
    case .string(let text): write(text)
    case .array(let elements): write(elements)
    case .object(let object): write(object)
    }
  }

  private mutating func write(_ elements: [JSONValue]) {
    bytes.append(UInt8(ascii: "["))
    for (offset, element) in elements.enumerated() {
      if bytes.count >= enough { return }
      if offset > 0 { bytes.append(UInt8(ascii: ",")) }
      write(element)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ object: JSONObject) {
    let members =
      sortedKeys ? object.members.sorted { ExactText.precedes($0.key, $1.key) } : object.members
    bytes.append(UInt8(ascii: "{"))
    for (offset, member) in members.enumerated() {
      if bytes.count >= enough { return }
      if offset > 0 { bytes.append(UInt8(ascii: ",")) }
      write(member.key)
      bytes.append(UInt8(ascii: ":"))
      write(member.value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func write(_ text: String) {
    var text = text
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8 { utf8 in
      var start = 0
      var position = 0
      while position < utf8.count {
        guard let (scalar, width) = escapedScalar(in: utf8, at: position) else {
          position += 1
          continue
        }
        bytes.append(contentsOf: utf8[start..<position])
        escape(scalar)
        position += width
        start = position
      }
      bytes.append(contentsOf: utf8[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// The code point that starts here and how many bytes it takes, if it must be escaped.
  @inline(__always)
  private func escapedScalar(
    in utf8: UnsafeBufferPointer<UInt8>, at position: Int
  ) -> (scalar: UInt16, width: Int)? {
    let byte = utf8[position]
    if byte >= 0x80 {
      // C2 80…9F are the C1 controls, E2 80 A8 and A9 the two Unicode line breaks.
      if byte == 0xC2, position + 1 < utf8.count, utf8[position + 1] < 0xA0 {
        return (UInt16(utf8[position + 1]), 2)
      }
      if byte == 0xE2, position + 2 < utf8.count, utf8[position + 1] == 0x80,
        utf8[position + 2] & 0xFE == 0xA8
      {
        return (0x2000 | UInt16(utf8[position + 2] & 0x3F), 3)
      }
      return nil
    }
    let isPlain =
      byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != 0x7F
    return isPlain ? nil : (UInt16(byte), 1)
  }

  private mutating func escape(_ scalar: UInt16) {
    bytes.append(UInt8(ascii: "\\"))
    switch scalar {
    case 0x22, 0x5C: bytes.append(UInt8(scalar))
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(UInt8(ascii: "u"))
      for shift in [12, 8, 4, 0] {
        let digit = UInt8(scalar >> UInt16(shift) & 0xF)
        bytes.append(digit < 10 ? 0x30 + digit : 0x61 - 10 + digit)
      }
    }
  }
}

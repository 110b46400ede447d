/// Base64 with the URL alphabet and no padding (RFC 4648 §5, as RFC 7515 §2 uses it).
package enum Base64URL {
  /// The text of the bytes, without padding.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: characters(of: bytes), as: UTF8.self)
  }

  /// The text as ASCII bytes, for what is signed as bytes anyway.
  static func characters(of bytes: some Sequence<UInt8>) -> [UInt8] {
    let direct = bytes.withContiguousStorageIfAvailable { characters($0) }
    return direct ?? Array(bytes).withUnsafeBufferPointer { characters($0) }
  }

  private static func characters(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let count = (bytes.count * 4 + 2) / 3
    return [UInt8](unsafeUninitializedCapacity: count) { text, used in
      var pending: UInt32 = 0
      var bits: UInt32 = 0
      for byte in bytes {
        pending = pending << 8 | UInt32(byte)
        bits += 8
        while bits >= 6 {
          bits -= 6
          text[used] = character(pending >> bits)
          used += 1
        }
      }
      if bits > 0 {
        text[used] = character(pending << (6 - bits))
        used += 1
      }
    }
  }

  /// The character of the lowest six bits.
  private static func character(_ value: UInt32) -> UInt8 {
    alphabet[Int(value & 0x3f)]
  }

  /// The bytes of a text, or nil where it is not exactly what ``encode(_:)`` would have written:
  /// padding, another alphabet, white space, an impossible length or left-over bits that are not
  /// zero. So no two texts decode to the same bytes.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let count = text.utf8.count
    guard count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 3 / 4)
    var pending: UInt32 = 0
    var bits = 0
    for character in text.utf8 {
      let value = values[Int(character)]
      guard value != invalid else { return nil }
      pending = pending << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
      }
    }
    guard pending & (1 << bits - 1) == 0 else { return nil }
    return bytes
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let invalid: UInt8 = 0xff
  private static let values = {
    var values = [UInt8](repeating: invalid, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}

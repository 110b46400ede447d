/// RFC 4648 base32 in lower case without padding, as multibase `b` and `did:plc` write it.
package enum Base32 {
  /// The bytes as text, left-over bits zero.
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
      }
      buffer &= 1 << UInt32(bits) - 1
    }
    if bits > 0 { text.append(alphabet[Int(buffer << UInt32(5 - bits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text; `nil` for any other character and for left-over bits that are not zero.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for character in text {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      buffer = buffer << 5 | UInt32(value)
      bits += 5
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(buffer >> UInt32(bits)))
      buffer &= 1 << UInt32(bits) - 1
    }
    return bits < 5 && buffer == 0 ? bytes : nil
  }

  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
}

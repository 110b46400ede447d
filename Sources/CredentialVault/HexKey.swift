import OpenSSLCrypto

/// A key of 32 bytes as 64 lower-case hexadecimal digits: how it is kept where only text may be.
enum HexKey {
  private static let digits = Array("0123456789abcdef".utf8)

  static func text(_ key: [UInt8]) -> [UInt8] {
    key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  /// The key; nil for anything but 64 such digits.
  static func secret(_ text: some Collection<UInt8>) -> Secret? {
    guard text.count == 64 else { return nil }
    let values = text.compactMap { digits.firstIndex(of: $0).map(UInt8.init) }
    guard values.count == 64 else { return nil }
    return Secret(stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] })
  }
}

import Glibc

/// An IPv4 or IPv6 address, and whether the public internet can be reached through it.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// Four or sixteen bytes, in network order.
  package let bytes: [UInt8]

  /// An address of four or sixteen bytes.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// An address in its standard spelling: four decimal numbers, or IPv6 without brackets and zone.
  /// The old short and octal forms of IPv4 are refused.
  package init?(_ text: String) {
    var four = in_addr()
    var sixteen = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      bytes = withUnsafeBytes(of: sixteen) { Array($0) }
    } else {
      return nil
    }
  }

  /// The standard spelling.
  package var description: String {
    var buffer = [CChar](repeating: 0, count: 64)
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    inet_ntop(family, bytes, &buffer, socklen_t(buffer.count))
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
  }

  /// Whether the address is this machine: 127.0.0.0/8 or ::1, an IPv4 address written as IPv6 too.
  package var isLoopback: Bool {
    if let embedded { return embedded.isLoopback }
    return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// Whether the address lies outside all private and reserved ranges (IANA special-purpose
  /// registries).
  package var isPublic: Bool {
    if let embedded { return embedded.isPublic }
    if bytes.count == 4 { return !Self.reserved.contains { matches($0) } }
    return matches(Self.globalUnicast) && !Self.reservedIPv6.contains { matches($0) }
  }

  /// The IPv4 address inside ::ffff:0:0/96 (mapped) and 64:ff9b::/96 (translated, RFC 6052).
  private var embedded: IPAddress? {
    let isMapped = matches(([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96))
    let isTranslated = matches(([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96))
    guard bytes.count == 16, isMapped || isTranslated else { return nil }
    return IPAddress(bytes: Array(bytes.suffix(4)))
  }

  private typealias Range = (prefix: [UInt8], length: Int)

  private static let reserved: [Range] = [
    ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12),
    ([192, 0, 0], 24), ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15),
    ([198, 51, 100], 24), ([203, 0, 113], 24), ([224], 4), ([240], 4),
  ]

  private static let globalUnicast: Range = ([0x20], 3)

  /// Parts of 2000::/3 that are no hosts of the internet: protocol assignments (Teredo among them),
  /// documentation, and 6to4, which carries any IPv4 address inside.
  private static let reservedIPv6: [Range] = [
    ([0x20, 0x01, 0], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16),
  ]

  private func matches(_ range: Range) -> Bool {
    guard range.length <= bytes.count * 8 else { return false }
    let whole = range.length / 8
    guard bytes.prefix(whole) == range.prefix.prefix(whole) else { return false }
    let bits = range.length % 8
    guard bits > 0 else { return true }
    let mask = ~UInt8(0) << UInt8(8 - bits)
    return bytes[whole] & mask == range.prefix[whole] & mask
  }
}

extension IPAddress {
  /// Whether the address works on one link only: 169.254.0.0/16 or fe80::/10.
  var isLinkLocal: Bool {
    bytes.count == 4
      ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
  }
}

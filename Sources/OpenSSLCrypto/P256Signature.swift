import COpenSSL

/// The two encodings of an ECDSA signature, and atproto's rule for its second half.
package enum P256Signature {
  /// Whether S, of r‖s in 64 bytes, is in the lower half of its range.
  ///
  /// From every signature anybody can make a second one with the complement of S; atproto accepts
  /// only the low one for repository commits and service tokens, JOSE both.
  package static func hasLowS(_ raw: [UInt8]) -> Bool {
    guard raw.count == 64 else { return false }
    return !halfOrder.lexicographicallyPrecedes(raw[32...])
  }

  /// r‖s with a low S, from what libcrypto signs.
  static func raw(fromDER der: ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
    let parsed = der.withUnsafeBufferPointer { der in
      var start = der.baseAddress
      return d2i_ECDSA_SIG(nil, &start, der.count)
    }
    guard let parsed else { throw .library("ECDSA") }
    defer { ECDSA_SIG_free(parsed) }
    var r: OpaquePointer?
    var s: OpaquePointer?
    ECDSA_SIG_get0(parsed, &r, &s)
    var raw = [UInt8](repeating: 0, count: 64)
    let written = raw.withUnsafeMutableBufferPointer { raw in
      guard let start = raw.baseAddress else { return false }
      return BN_bn2binpad(r, start, 32) == 32 && BN_bn2binpad(s, start + 32, 32) == 32
    }
    guard written else { throw .library("ECDSA") }
    return hasLowS(raw) ? raw : Array(raw[..<32]) + complement(raw[32...])
  }

  /// The DER form, or nil unless there are 64 bytes. Whether the numbers make sense is for the
  /// verification to say.
  static func der(fromRaw raw: [UInt8]) -> [UInt8]? {
    guard raw.count == 64 else { return nil }
    let body = integer(raw[..<32]) + integer(raw[32...])
    return [0x30, UInt8(body.count)] + body  // at most 70: one length byte is enough
  }

  /// An ASN.1 INTEGER: no leading zeros, but one where the top bit would read as a sign.
  private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(bytes.drop { $0 == 0 })
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return [0x02, UInt8(digits.count)] + digits
  }

  /// The order of the curve minus a number below it.
  private static func complement(_ number: ArraySlice<UInt8>) -> [UInt8] {
    var result = order
    var borrow = 0
    for (index, digit) in zip(order.indices, number).reversed() {
      let difference = Int(order[index]) - Int(digit) - borrow
      borrow = difference < 0 ? 1 : 0
      result[index] = UInt8(difference & 0xff)
    }
    return result
  }

  /// The order n of P-256 (FIPS 186-4 D.1.2.3).
  private static let order: [UInt8] = [
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
  ]

  /// n/2, rounded down: the largest low S.
  private static let halfOrder: [UInt8] = [
    0x7f, 0xff, 0xff, 0xff, 0x80, 0x00, 0x00, 0x00, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xde, 0x73, 0x7d, 0x56, 0xd3, 0x8b, 0xcf, 0x42, 0x79, 0xdc, 0xe5, 0x61, 0x7e, 0x31, 0x92, 0xa8,
  ]
}

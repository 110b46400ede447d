import COpenSSL

/// Arithmetic on P-256 that libcrypto's key functions do not offer.
enum P256Curve {
  /// The public point of a secret scalar: 65 bytes, uncompressed.
  static func publicPoint(of scalar: Secret) throws(CryptoError) -> [UInt8] {
    guard scalar.count == 32 else { throw .invalidKey }
    return try withGroup { group throws(CryptoError) in
      let number = scalar.withBytes { bytes in
        BN_bin2bn(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), 32, nil)
      }
      defer { BN_clear_free(number) }
      guard let number, let point = EC_POINT_new(group) else { throw .library("P-256") }
      defer { EC_POINT_free(point) }
      guard BN_is_zero(number) == 0, BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
        throw .invalidKey
      }
      BN_set_flags(number, BN_FLG_CONSTTIME)
      guard EC_POINT_mul(group, point, number, nil, nil, nil) == 1 else { throw .library("P-256") }
      return try octets(of: point, in: group)
    }
  }

  /// A compressed point (33 bytes) in its long form.
  static func uncompressed(_ compressed: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard compressed.count == 33 else { throw .invalidKey }
    return try withGroup { group throws(CryptoError) in
      guard let point = EC_POINT_new(group) else { throw .library("P-256") }
      defer { EC_POINT_free(point) }
      guard EC_POINT_oct2point(group, point, compressed, compressed.count, nil) == 1 else {
        ERR_clear_error()
        throw .invalidKey
      }
      return try octets(of: point, in: group)
    }
  }

  private static func octets(
    of point: OpaquePointer, in group: OpaquePointer
  ) throws(CryptoError) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: 65)
    let form = POINT_CONVERSION_UNCOMPRESSED
    guard EC_POINT_point2oct(group, point, form, &octets, octets.count, nil) == octets.count else {
      throw .library("P-256")
    }
    return octets
  }

  private static func withGroup<Result>(
    _ body: (OpaquePointer) throws(CryptoError) -> Result
  ) throws(CryptoError) -> Result {
    guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
      throw .library("P-256")
    }
    defer { EC_GROUP_free(group) }
    return try body(group)
  }
}

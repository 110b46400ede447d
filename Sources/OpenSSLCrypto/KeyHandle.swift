import COpenSSL

/// libcrypto's own object for a P-256 key.
final class KeyHandle: @unchecked Sendable {
  // @unchecked: the object is complete when `init` returns and only read afterwards; libcrypto
  // allows a finished key to be used by several threads at once.
  let pointer: OpaquePointer

  /// - Parameters:
  ///   - point: 65 bytes: 4, x, y.
  ///   - scalar: the secret half, 32 bytes, or nil for a key that only verifies.
  /// - Throws: `CryptoError.invalidKey` unless the point lies on the curve.
  init(point: [UInt8], scalar: Secret?) throws(CryptoError) {
    guard point.count == 65 else { throw .invalidKey }
    // libcrypto reads numbers in the machine's byte order, ours are big-endian.
    let native = try scalar.map { scalar throws(CryptoError) in
      try Secret(capacity: scalar.count) { output throws(CryptoError) in
        scalar.withBytes { output.copyBytes(from: $0.reversed()) }
        return scalar.count
      }
    }
    var made: OpaquePointer?
    let done = point.withUnsafeBytes { point in
      let common: [OSSL_PARAM] = [.text("group", "prime256v1"), .octets("pub", point)]
      guard let native else { return Self.make(&made, Self.publicHalf, common + [.end]) }
      return native.withBytes { native in
        let start = UnsafeMutableRawPointer(mutating: native.baseAddress)?
          .assumingMemoryBound(to: UInt8.self)
        let priv = OSSL_PARAM_construct_BN(("priv" as StaticString).cString, start, native.count)
        return Self.make(&made, Self.bothHalves, common + [priv, .end])
      }
    }
    guard done, let made else {
      ERR_clear_error()
      throw .invalidKey
    }
    pointer = made
  }

  deinit { EVP_PKEY_free(pointer) }

  // EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR, nested macros that Swift does not see.
  private static let publicHalf =
    OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS
    | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
  private static let bothHalves = publicHalf | OSSL_KEYMGMT_SELECT_PRIVATE_KEY

  private static func make(
    _ key: inout OpaquePointer?, _ selection: Int32, _ parameters: [OSSL_PARAM]
  ) -> Bool {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return false }
    defer { EVP_PKEY_CTX_free(context) }
    var parameters = parameters
    return EVP_PKEY_fromdata_init(context) == 1
      && EVP_PKEY_fromdata(context, &key, selection, &parameters) == 1
  }
}

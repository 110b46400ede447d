import COpenSSL

/// A signing key on NIST P-256 (FIPS 186-4; JOSE's ES256, RFC 7518 §3.4).
package struct P256PrivateKey: Sendable {
  /// The secret scalar: 32 bytes, big-endian. What a vault stores.
  package let rawRepresentation: Secret
  /// What others check the signatures with.
  package let publicKey: P256PublicKey
  private let signer: PreparedSigner

  /// A new key; libcrypto's own generator supplies the randomness.
  ///
  /// A machine that can give none ends the program: nothing sound could follow.
  package static func generate() -> P256PrivateKey {
    do {
      return try P256PrivateKey(rawRepresentation: randomScalar())
    } catch {
      preconditionFailure("libcrypto could not make a key")
    }
  }

  /// A stored key.
  ///
  /// - Throws: `CryptoError.invalidKey` unless it is 32 bytes of a number between 1 and the order of
  ///   the curve.
  package init(rawRepresentation: Secret) throws(CryptoError) {
    let point = try P256Curve.publicPoint(of: rawRepresentation)
    let publicKey = try P256PublicKey(point: point)
    signer = try PreparedSigner(KeyHandle(point: point, scalar: rawRepresentation))
    self.rawRepresentation = rawRepresentation
    self.publicKey = publicKey
  }

  /// Signs the SHA-256 of a message.
  ///
  /// The signature has the low S that atproto demands and JOSE permits; it differs each time.
  /// - Returns: r‖s, 64 bytes.
  package func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
    let digest = Digest.sha256(message)
    // A copy of a prepared context costs less than preparing one.
    guard let context = EVP_PKEY_CTX_dup(signer.pointer) else { throw .library("ECDSA") }
    defer { EVP_PKEY_CTX_free(context) }
    var der = [UInt8](repeating: 0, count: 80)
    var length = der.count
    guard EVP_PKEY_sign(context, &der, &length, digest, digest.count) == 1 else {
      throw .library("ECDSA")
    }
    return try P256Signature.raw(fromDER: der[..<length])
  }

  private static func randomScalar() throws(CryptoError) -> Secret {
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw .library("keygen") }
    defer { EVP_PKEY_CTX_free(context) }
    var made: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1,
      EVP_PKEY_generate(context, &made) == 1
    else { throw .library("keygen") }
    defer { EVP_PKEY_free(made) }
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(made, "priv", &number) == 1 else { throw .library("keygen") }
    defer { BN_clear_free(number) }
    return try Secret(capacity: 32) { bytes throws(CryptoError) in
      let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      guard BN_bn2binpad(number, start, 32) == 32 else { throw .library("keygen") }
      return 32
    }
  }
}

/// libcrypto's context for signing with one key, ready to be copied.
private final class PreparedSigner: @unchecked Sendable {
  // @unchecked: complete when `init` returns; afterwards it is only copied, which reads it.
  let pointer: OpaquePointer

  init(_ key: KeyHandle) throws(CryptoError) {
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
      throw .library("ECDSA")
    }
    guard EVP_PKEY_sign_init(context) == 1 else {
      EVP_PKEY_CTX_free(context)
      throw .library("ECDSA")
    }
    pointer = context  // which holds the key as well
  }

  deinit { EVP_PKEY_CTX_free(pointer) }
}

import COpenSSL

/// A point on NIST P-256 that signatures are checked with.
package struct P256PublicKey: Sendable, Equatable {
  /// The coordinates, 32 bytes each, big-endian.
  package let x, y: [UInt8]
  private let handle: KeyHandle

  /// A key from its coordinates.
  ///
  /// - Throws: `CryptoError.invalidKey` unless both are 32 bytes and the point lies on the curve.
  package init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
    guard x.count == 32, y.count == 32 else { throw .invalidKey }
    try self.init(point: [4] + x + y)
  }

  /// A key from its compressed point (33 bytes, SEC 1 §2.3.4), as `did:key` carries it.
  ///
  /// - Throws: `CryptoError.invalidKey` for anything else.
  package init(compressedRepresentation: [UInt8]) throws(CryptoError) {
    try self.init(point: P256Curve.uncompressed(compressedRepresentation))
  }

  /// From 65 bytes: 4, x, y.
  init(point: [UInt8]) throws(CryptoError) {
    handle = try KeyHandle(point: point, scalar: nil)
    x = Array(point[1..<33])
    y = Array(point[33..<65])
  }

  /// The point with y reduced to its parity: 33 bytes.
  package var compressedRepresentation: [UInt8] {
    [2 + ((y.last ?? 0) & 1)] + x
  }

  /// Whether a signature was made over this message (not its digest) with this key.
  ///
  /// Only r‖s, exactly 64 bytes, can be valid; another encoding never is.
  package func isValidSignature(_ raw: [UInt8], for message: [UInt8]) -> Bool {
    guard let der = P256Signature.der(fromRaw: raw), let context = EVP_MD_CTX_new() else {
      return false
    }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()  // a refused signature leaves an entry in the thread's queue
    }
    return EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, handle.pointer, nil) == 1
      && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
  }

  package static func == (left: P256PublicKey, right: P256PublicKey) -> Bool {
    left.x == right.x && left.y == right.y
  }
}

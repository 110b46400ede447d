import COpenSSL

/// Why a cryptographic operation was refused.
package enum CryptoError: Error, Equatable, Sendable {
  /// The key has the wrong length, is out of range, or is not a point on the curve.
  case invalidKey
  /// An AES-GCM nonce is not 12 bytes.
  case invalidNonce
  /// A requested or given length is outside what the algorithm allows.
  case invalidLength
  /// The tag does not match: wrong key, wrong associated data, or altered bytes. Nothing was
  /// decrypted.
  case authenticationFailed
  /// The library itself refused, which only a broken installation explains.
  case libraryFailure(operation: String)

  /// A library failure; the thread's error queue is emptied, so that no later caller (TLS reads the
  /// same queue) takes this failure for its own.
  static func library(_ operation: String) -> CryptoError {
    ERR_clear_error()
    return .libraryFailure(operation: operation)
  }
}

import COpenSSL

/// Keyed message authentication (RFC 2104).
package enum HMAC {
  /// HMAC-SHA-256 of a message: 32 bytes. The key may have any length.
  package static func sha256(key: Secret, message: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    var count = 0
    let done = key.withBytes { key in
      EVP_Q_mac(
        nil, "HMAC", nil, "SHA256", nil, key.baseAddress, key.count, message, message.count,
        &code, code.count, &count)
    }
    precondition(done != nil && count == 32, "libcrypto could not authenticate a message")
    return code
  }

  /// The same with a key that is no secret (a public test vector, say).
  package static func sha256(key: [UInt8], message: [UInt8]) -> [UInt8] {
    sha256(key: Secret(key), message: message)
  }
}

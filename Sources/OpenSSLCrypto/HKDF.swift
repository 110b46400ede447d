import COpenSSL

/// Key derivation (RFC 5869): several independent keys out of one.
package enum HKDF {
  /// Extract-and-expand with SHA-256.
  ///
  /// - Parameters:
  ///   - input: the keying material; any length.
  ///   - salt: may be empty.
  ///   - info: what the key is for; different purposes give unrelated keys.
  ///   - length: 1…8160 bytes.
  /// - Returns: `length` bytes.
  /// - Throws: `CryptoError.invalidLength` outside that range.
  package static func sha256(
    input: Secret, salt: [UInt8], info: [UInt8], length: Int
  ) throws(CryptoError) -> Secret {
    guard (1...255 * 32).contains(length) else { throw .invalidLength }
    return try Secret(capacity: length) { output throws(CryptoError) in
      let derived = input.withBytes { input in
        salt.withUnsafeBytes { salt in
          info.withUnsafeBytes { info in
            derive(
              into: output,
              [
                .text("digest", "SHA256"), .octets("key", input), .octets("salt", salt),
                .octets("info", info), .end,
              ])
          }
        }
      }
      guard derived else { throw .library("HKDF") }
      return length
    }
  }

  private static func derive(
    into output: UnsafeMutableRawBufferPointer, _ parameters: [OSSL_PARAM]
  ) -> Bool {
    guard let context = EVP_KDF_CTX_new(FetchedAlgorithm.hkdf.pointer) else { return false }
    defer { EVP_KDF_CTX_free(context) }
    let bytes = output.bindMemory(to: UInt8.self)
    return EVP_KDF_derive(context, bytes.baseAddress, bytes.count, parameters) == 1
  }
}

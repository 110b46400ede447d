import COpenSSL

/// A provider's algorithm, looked up once: the look-up costs more than hashing a short message.
struct FetchedAlgorithm: @unchecked Sendable {
  // @unchecked: what libcrypto's fetch functions return is immutable and may be used by any thread.
  let pointer: OpaquePointer

  /// Nil comes only from a libcrypto without its default provider; nothing works there.
  init(_ pointer: OpaquePointer?, _ name: StaticString) {
    guard let pointer else { preconditionFailure("libcrypto offers no \(name)") }
    self.pointer = pointer
  }

  static let sha256 = FetchedAlgorithm(EVP_MD_fetch(nil, "SHA256", nil), "SHA256")
  static let md5 = FetchedAlgorithm(EVP_MD_fetch(nil, "MD5", nil), "MD5")
  static let aes256GCM = FetchedAlgorithm(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "AES-256-GCM")
  static let hkdf = FetchedAlgorithm(EVP_KDF_fetch(nil, "HKDF", nil), "HKDF")
}

extension StaticString {
  /// The literal as C sees it. Parameter arrays keep the address of their names, so these must be
  /// literals, which live as long as the program.
  var cString: UnsafeMutablePointer<CChar> {
    UnsafeMutablePointer(mutating: UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self))
  }
}

extension OSSL_PARAM {
  /// A parameter that borrows `bytes` for as long as the array it stands in is used.
  static func octets(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> OSSL_PARAM {
    OSSL_PARAM_construct_octet_string(
      name.cString, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
  }

  /// A parameter with a fixed text.
  static func text(_ name: StaticString, _ value: StaticString) -> OSSL_PARAM {
    OSSL_PARAM_construct_utf8_string(name.cString, value.cString, 0)
  }

  /// Ends a parameter array.
  static var end: OSSL_PARAM { OSSL_PARAM_construct_end() }
}

import COpenSSL

/// Authenticated encryption: AES-256 in Galois/counter mode (NIST SP 800-38D), 16-byte tag.
package enum AES256GCM {
  /// Bytes in a key.
  package static let keyLength = 32
  /// Bytes in a nonce. One key must never see the same nonce twice.
  package static let nonceLength = 12
  /// Bytes in the tag that ends every sealed text.
  package static let tagLength = 16

  /// Encrypts and authenticates.
  ///
  /// - Parameters:
  ///   - plaintext: what to hide, at most 2 GiB.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes, never used before with this key.
  ///   - associatedData: authenticated with the text but not contained in it; opening needs it again.
  /// - Returns: the ciphertext followed by its tag.
  /// - Throws: `CryptoError.invalidKey`, `.invalidNonce`, `.invalidLength`.
  package static func seal(
    _ plaintext: Secret, key: Secret, nonce: [UInt8], associatedData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    let pass = try GCMPass(.encrypt, key: key, nonce: nonce)
    try pass.authenticate(associatedData)
    guard plaintext.count <= longest else { throw .invalidLength }
    var sealed = [UInt8](repeating: 0, count: plaintext.count + tagLength)
    let done = plaintext.withBytes { plaintext in
      sealed.withUnsafeMutableBytes { sealed in
        pass.transform(plaintext, into: sealed)
          && pass.writeTag(
            into: UnsafeMutableRawBufferPointer(rebasing: sealed[plaintext.count...]))
      }
    }
    guard done else { throw .library("AES-256-GCM") }
    return sealed
  }

  /// The same for bytes that no ``Secret`` holds yet.
  package static func seal(
    _ plaintext: [UInt8], key: Secret, nonce: [UInt8], associatedData: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    try seal(Secret(plaintext), key: key, nonce: nonce, associatedData: associatedData)
  }

  /// Checks and decrypts what ``seal(_:key:nonce:associatedData:)-(Secret,_,_,_)`` returned.
  ///
  /// - Returns: the plaintext, all of it authentic.
  /// - Throws: `CryptoError.authenticationFailed` for a wrong key, nonce or associated data and for
  ///   altered or shortened bytes; `.invalidKey` and `.invalidNonce` for wrong lengths.
  package static func open(
    _ sealed: [UInt8], key: Secret, nonce: [UInt8], associatedData: [UInt8]
  ) throws(CryptoError) -> Secret {
    let pass = try GCMPass(.decrypt, key: key, nonce: nonce)
    guard sealed.count >= tagLength else { throw .authenticationFailed }
    let length = sealed.count - tagLength
    guard length <= longest else { throw .invalidLength }
    try pass.authenticate(associatedData)
    return try Secret(capacity: length) { plaintext throws(CryptoError) in
      let authentic = sealed.withUnsafeBytes { sealed in
        pass.transform(UnsafeRawBufferPointer(rebasing: sealed[..<length]), into: plaintext)
          && pass.checkTag(UnsafeRawBufferPointer(rebasing: sealed[length...]))
      }
      guard authentic else {
        ERR_clear_error()
        throw .authenticationFailed
      }
      return length
    }
  }

  private static let longest = Int(Int32.max) - tagLength
}

/// One encryption or decryption under way.
private final class GCMPass {
  enum Direction: Int32 { case decrypt, encrypt }

  private let context: OpaquePointer

  init(_ direction: Direction, key: Secret, nonce: [UInt8]) throws(CryptoError) {
    guard key.count == AES256GCM.keyLength else { throw .invalidKey }
    guard nonce.count == AES256GCM.nonceLength else { throw .invalidNonce }
    guard let context = EVP_CIPHER_CTX_new() else { throw .library("AES-256-GCM") }
    self.context = context
    let ready = key.withBytes { key in
      EVP_CipherInit_ex2(
        context, FetchedAlgorithm.aes256GCM.pointer,
        key.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, direction.rawValue, nil)
    }
    guard ready == 1 else { throw .library("AES-256-GCM") }
  }

  deinit { EVP_CIPHER_CTX_free(context) }

  func authenticate(_ bytes: [UInt8]) throws(CryptoError) {
    guard !bytes.isEmpty else { return }
    guard let count = Int32(exactly: bytes.count) else { throw .invalidLength }
    var written: Int32 = 0
    guard EVP_CipherUpdate(context, nil, &written, bytes, count) == 1 else {
      throw .library("AES-256-GCM")
    }
  }

  /// A counter mode: as many bytes come out as go in, at once.
  func transform(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard !input.isEmpty else { return true }
    var written: Int32 = 0
    let done = EVP_CipherUpdate(
      context, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &written,
      input.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(input.count))
    return done == 1 && written == input.count
  }

  func writeTag(into tag: UnsafeMutableRawBufferPointer) -> Bool {
    finish()
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress) == 1
  }

  func checkTag(_ tag: UnsafeRawBufferPointer) -> Bool {
    let expected = UnsafeMutableRawPointer(mutating: tag.baseAddress)
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), expected) == 1
      && finish()
  }

  private func finish() -> Bool {
    var nothing = [UInt8](repeating: 0, count: AES256GCM.tagLength)
    var written: Int32 = 0
    return EVP_CipherFinal_ex(context, &nothing, &written) == 1
  }
}

import COpenSSL

/// A SHA-256 over bytes that arrive in pieces, such as a file read in chunks.
package final class SHA256Stream {
  private let context: OpaquePointer

  /// A stream that has seen nothing.
  package init() {
    guard let context = EVP_MD_CTX_new(),
      EVP_DigestInit_ex2(context, FetchedAlgorithm.sha256.pointer, nil) == 1
    else { preconditionFailure("libcrypto could not begin to hash") }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Appends bytes.
  package func update(_ bytes: some Collection<UInt8>) {
    let direct: Void? = bytes.withContiguousStorageIfAvailable {
      append(UnsafeRawBufferPointer($0))
    }
    if direct == nil { Array(bytes).withUnsafeBytes { append($0) } }
  }

  /// The digest of everything appended so far: 32 bytes. More may be appended afterwards.
  package func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    guard let copy = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
    defer { EVP_MD_CTX_free(copy) }
    let done =
      EVP_MD_CTX_copy_ex(copy, context) == 1 && EVP_DigestFinal_ex(copy, &digest, nil) == 1
    precondition(done, "libcrypto could not finish a hash")
    return digest
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1)
  }
}

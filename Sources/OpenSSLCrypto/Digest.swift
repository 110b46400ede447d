import COpenSSL

/// Message digests (FIPS 180-4).
package enum Digest {
  /// The SHA-256 of the bytes: 32 bytes.
  package static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let direct = bytes.withContiguousStorageIfAvailable { sha256(UnsafeRawBufferPointer($0)) }
    return direct ?? Array(bytes).withUnsafeBytes { sha256($0) }
  }

  /// The SHA-256 of a secret, read in place.
  package static func sha256(_ secret: Secret) -> [UInt8] {
    secret.withBytes { sha256($0) }
  }

  /// The MD5 of the bytes: 16 bytes. Broken as a hash; only where somebody else's protocol wants it.
  package static func md5(_ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { digest($0, FetchedAlgorithm.md5, length: 16) }
  }

  private static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    digest(bytes, FetchedAlgorithm.sha256, length: 32)
  }

  private static func digest(
    _ bytes: UnsafeRawBufferPointer, _ algorithm: FetchedAlgorithm, length: Int
  ) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: length)
    let done = EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, algorithm.pointer, nil)
    precondition(done == 1, "libcrypto could not hash")
    return digest
  }
}

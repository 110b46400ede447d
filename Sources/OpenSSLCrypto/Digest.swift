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

  private static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let done = EVP_Digest(
      bytes.baseAddress, bytes.count, &digest, nil, FetchedAlgorithm.sha256.pointer, nil)
    precondition(done == 1, "libcrypto could not hash")
    return digest
  }
}

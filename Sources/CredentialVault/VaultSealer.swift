package import OpenSSLCrypto
import SystemClients

/// Seals and opens rows: what an open vault hands to those who write rows themselves.
///
/// A value without a database and without state: any actor may hold one and call it synchronously.
package struct VaultSealer: Sendable {
  private let rowKey: Secret
  private let nonceKey: Secret
  private let random: SystemRandom

  /// The two keys are derived, so that neither use can weaken the other.
  init(dataKey: Secret, random: SystemRandom) throws(CryptoError) {
    rowKey = try HKDF.sha256(
      input: dataKey, salt: [], info: Array("grain-core rows".utf8), length: 32)
    nonceKey = try HKDF.sha256(
      input: dataKey, salt: [], info: Array("grain-core nonces".utf8), length: 32)
    self.random = random
  }

  /// Seals a secret under a label and a kind; it opens under these two only.
  ///
  /// - Throws: `VaultError.other` for a secret of 2 GiB or more.
  package func seal(
    _ label: String, kind: String, secret: Secret
  ) throws(VaultError) -> SealedRow {
    let name = Self.associatedData(label, kind)
    let nonce = freshNonce(for: secret, name: name)
    do {
      let sealed = try AES256GCM.seal(secret, key: rowKey, nonce: nonce, associatedData: name)
      return SealedRow(label: label, kind: kind, nonce: nonce, sealed: sealed)
    } catch {
      throw .other("a secret could not be sealed")
    }
  }

  /// Opens a row.
  ///
  /// - Throws: `VaultError.corrupt` for altered bytes and for a row that was sealed under another
  ///   label or kind.
  package func open(_ row: SealedRow) throws(VaultError) -> Secret {
    do {
      return try AES256GCM.open(
        row.sealed, key: rowKey, nonce: row.nonce,
        associatedData: Self.associatedData(row.label, row.kind))
    } catch {
      throw .corrupt("a sealed row does not open")
    }
  }

  /// A nonce that is random, and differs for different contents even if the randomness repeats
  /// itself, as it does from run to run in the test profile. One nonce used for two contents would
  /// give both away.
  private func freshNonce(for secret: Secret, name: [UInt8]) -> [UInt8] {
    let message = random.bytes(32) + Digest.sha256(name) + Digest.sha256(secret)
    return Array(HMAC.sha256(key: nonceKey, message: message).prefix(AES256GCM.nonceLength))
  }

  private static func associatedData(_ label: String, _ kind: String) -> [UInt8] {
    BoundText.bytes(["grain-core row 1", label, kind])
  }
}

/// Several texts as one run of bytes that no other texts give.
enum BoundText {
  static func bytes(_ texts: [String]) -> [UInt8] {
    texts.flatMap { text in
      let count = UInt32(text.utf8.count).bigEndian
      return withUnsafeBytes(of: count) { Array($0) } + Array(text.utf8)
    }
  }
}

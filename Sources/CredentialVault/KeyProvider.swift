package import OpenSSLCrypto
package import SystemClients

/// A place that keeps the key a vault's data key is wrapped with: a file, the desktop's key store,
/// a command of the user's.
///
/// Answers come within seconds, as a value or as an error; a provider that waits for a person says
/// `VaultError.locked` instead of hanging (FB-E6).
package protocol KeyProvider: Sendable {
  /// The name recorded in the vault. It never changes: a vault is opened by the provider of the name
  /// it recorded, or not at all.
  var name: String { get }

  /// Whether making a vault fails if this provider does, instead of trying the next one: what the
  /// user asked for by name is not replaced silently.
  var isMandatory: Bool { get }

  /// The key of a vault.
  ///
  /// - Parameter vault: the vault's own id, under which the key was made.
  /// - Returns: at least 16 bytes; nil where the provider answers and has none.
  /// - Throws: `VaultError.locked`, `.keyUnavailable`, or `.wrongKey` for a damaged one.
  func load(vault: String) async throws(VaultError) -> Secret?

  /// Makes and keeps a key for a new vault; it is safely stored when this returns.
  ///
  /// - Returns: what ``load(vault:)`` will return from now on.
  /// - Throws: as ``load(vault:)``, or `VaultError.unwritable` or `.full`. A key that exists is never
  ///   replaced: that is `.keyWithoutVault`.
  func create(vault: String, random: SystemRandom) async throws(VaultError) -> Secret

  /// Whether the provider's only place already holds a key, of whatever vault. Beside an empty store
  /// that means a loss, not a beginning (FB-E3). False where every vault has a place of its own.
  func isOccupied() async throws(VaultError) -> Bool

  /// Forgets the key of a vault that another provider's key opens now; a missing one is fine.
  ///
  /// - Throws: where the key may still be there.
  func remove(vault: String) async throws(VaultError)
}

extension KeyProvider {
  /// Most providers may be passed over.
  package var isMandatory: Bool { false }
}

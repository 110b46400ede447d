import OpenSSLCrypto
import SQLiteDatabase
package import SystemClients

extension CredentialVault {
  /// What an exchange of the key came to.
  package enum Rewrapping: Equatable, Sendable {
    /// The provider held the key already.
    case unchanged
    /// The new provider's key opens the vault, and the old one's is gone.
    case done(from: String)
    /// The new provider's key opens the vault; the old one's could not be removed.
    case oldKeyRemains(from: String, VaultError)
  }

  /// Gives the vault's key to another provider: the data key is wrapped anew, no secret is touched.
  ///
  /// The old key goes last, once the new one has opened the vault from the disk; until then it opens
  /// it, whatever happens. Only for the one process that holds the store.
  /// - Parameters:
  ///   - path: the store's file.
  ///   - schema: as for the initialiser.
  ///   - providers: all there are.
  ///   - name: of the one that is to hold the key.
  ///   - random: `SystemRandom.live` wherever secrets are real.
  /// - Returns: what became of the old key.
  /// - Throws: `VaultError`, and then the old key opens the vault as before.
  package static func rewrap(
    path: String, schema: [String] = CredentialVault.migrations, providers: [any KeyProvider],
    to name: String, random: SystemRandom
  ) async throws(VaultError) -> Rewrapping {
    let connection = try await connect(path, schema, providers)
    guard let old = try VaultHeader(on: connection) else { throw .other("there is no vault yet") }
    guard let target = providers.first(where: { $0.name == name }) else {
      throw .keyUnavailable(provider: name)
    }
    let dataKey = try await unlock(old, providers)
    if old.provider == name { return .unchanged }

    let key: Secret
    if let held = try await target.load(vault: old.vault) {
      key = held
    } else {
      key = try await target.create(vault: old.vault, random: random)
    }
    let new = try VaultHeader(
      vault: old.vault, provider: name, dataKey: dataKey, wrappedWith: key, random: random)
    try exchange(old, for: new, on: connection)
    do throws(VaultError) {
      // Everything from the disk and the provider again, as the next start will.
      _ = try await CredentialVault(
        path: path, schema: schema, providers: [target], random: random)
    } catch {
      try exchange(new, for: old, on: connection)
      throw error
    }
    // What the old key opens is not to lie about in the log. A later checkpoint makes up for one
    // that fails.
    _ = try? connection.checkpoint()
    do throws(VaultError) {
      try await providers.first { $0.name == old.provider }?.remove(vault: old.vault)
      return .done(from: old.provider)
    } catch {
      return .oldKeyRemains(from: old.provider, error)
    }
  }

  private static func exchange(
    _ known: VaultHeader, for header: VaultHeader, on connection: SQLiteConnection
  ) throws(VaultError) {
    do {
      try connection.transaction {
        guard try VaultHeader(on: connection) == known else {
          throw VaultError.other("the key row has changed meanwhile")
        }
        try header.replace(on: connection)
      }
    } catch let error as VaultError {
      throw error
    } catch let error as SQLiteError {
      throw VaultError(error)
    } catch {
      throw .other("the key row could not be exchanged")
    }
  }
}

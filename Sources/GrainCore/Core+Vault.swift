import CredentialVault
import GrainServices
import SystemClients

extension Core {
  /// How long the opening waits for the key: a person may be typing a pass phrase, and until they
  /// have, a session can begin without their accounts.
  private static let patience = Duration.seconds(3)

  /// Who opens the vault of a folder, when the key can be had.
  static func keeper(of folder: DataFolder, _ doors: Doors) -> VaultKeeper {
    VaultKeeper(clock: doors.clock, log: doors.log) { () async throws(VaultError) in
      let vault = try await CredentialVault(
        path: folder.databasePath, schema: CoreSchema.migrations,
        providers: doors.keys.providers(keyFile: folder.keyFilePath), random: doors.random)
      if doors.keys.isPassedOver(by: vault.provider) {
        // Whoever wants a command finds out that these secrets are not sealed with its key.
        doors.log.write(
          .warn, "vault", "the key is not from the key command; see doctor --rewrap",
          ["provider": vault.provider])
      }
      return vault.sealer
    }
  }

  /// Makes the store ready and opens the vault, unless only its key is out of reach.
  ///
  /// - Throws: what is wrong with the store.
  static func openVault(
    _ vault: VaultKeeper, in folder: DataFolder, _ doors: Doors
  ) async throws(StoreFault) {
    do throws(VaultError) {
      try await CredentialVault.prepare(
        path: folder.databasePath, schema: CoreSchema.migrations,
        providers: doors.keys.providers(keyFile: folder.keyFilePath))
    } catch {
      throw StoreFault(error)
    }
    try await vault.begin(patience: patience)
  }
}

package import OpenSSLCrypto
package import SystemClients

/// A key in a file beside the store, readable by its owner only.
///
/// It keeps a copied database unreadable without the file; who can read the whole folder can read
/// the vault.
package struct KeyFileProvider: KeyProvider {
  /// Recorded in the vault.
  package let name = "file"
  private let path: String

  /// - Parameter path: where the file is or will be: 64 hexadecimal digits and a line feed.
  package init(path: String) {
    self.path = path
  }

  /// The file's key; `nil` where there is no file.
  package func load(vault: String) throws(VaultError) -> Secret? {
    guard let bytes = try content() else { return nil }
    guard let key = Self.key(in: bytes) else { throw .wrongKey(provider: name) }
    return key
  }

  /// Writes a fresh key of 32 bytes, 0600; a file that is there is never replaced.
  package func create(vault: String, random: SystemRandom) throws(VaultError) -> Secret {
    // The folder's lock keeps others from writing it between this look and the write.
    guard try !isOccupied() else { throw .keyWithoutVault(provider: name) }
    let key = random.bytes(32)
    do {
      try PrivateFiles.write(HexKey.text(key) + [0x0a], to: path)
    } catch .full {
      throw .full
    } catch {
      throw .unwritable("key file")
    }
    return Secret(key)
  }

  /// Whether the file is there.
  package func isOccupied() throws(VaultError) -> Bool {
    try content() != nil
  }

  /// Removes the file; a missing one is fine.
  package func remove(vault: String) throws(VaultError) {
    do {
      try PrivateFiles.remove(path)
    } catch {
      throw .unwritable("key file")
    }
  }

  /// The file's bytes, nil where there is no file. Anything but a missing file is an error, so that
  /// an unreadable key never looks like none.
  private func content() throws(VaultError) -> [UInt8]? {
    do {
      return try PrivateFiles.read(path, limit: 4096)
    } catch .notFound {
      return nil
    } catch {
      throw .keyUnavailable(provider: name)
    }
  }

  private static func key(in text: [UInt8]) -> Secret? {
    text.last == 0x0a ? HexKey.secret(text.dropLast()) : nil
  }
}

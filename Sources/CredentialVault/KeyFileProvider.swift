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

  package func load(vault: String) throws(VaultError) -> Secret? {
    guard let bytes = try content() else { return nil }
    guard let key = Self.key(in: bytes) else { throw .wrongKey(provider: name) }
    return key
  }

  package func create(vault: String, random: SystemRandom) throws(VaultError) -> Secret {
    // The folder's lock keeps others from writing it between this look and the write.
    guard try !isOccupied() else { throw .keyWithoutVault(provider: name) }
    let key = random.bytes(32)
    do {
      try PrivateFiles.write(Self.text(of: key), to: path)
    } catch .full {
      throw .full
    } catch {
      throw .unwritable("key file")
    }
    return Secret(key)
  }

  package func isOccupied() throws(VaultError) -> Bool {
    try content() != nil
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

  private static let digits = Array("0123456789abcdef".utf8)

  private static func text(of key: [UInt8]) -> [UInt8] {
    key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } + [0x0a]
  }

  private static func key(in text: [UInt8]) -> Secret? {
    guard text.count == 65, text.last == 0x0a else { return nil }
    var key: [UInt8] = []
    for index in stride(from: 0, to: 64, by: 2) {
      guard let high = digits.firstIndex(of: text[index]),
        let low = digits.firstIndex(of: text[index + 1])
      else { return nil }
      key.append(UInt8(high << 4 | low))
    }
    return Secret(key)
  }
}

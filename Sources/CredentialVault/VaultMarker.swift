import SystemClients

/// A file beside a store that says that there is a vault in it, and who holds its key.
///
/// A key that lies elsewhere, in the desktop's key store or with a command, leaves no trace in the data
/// folder. Without this file a store that was lost or cut to nothing would pass for one that never was
/// (FB-E3). It holds no secret, and it is no vault's only record of anything: who removes it loses
/// nothing but that warning.
package struct VaultMarker: Sendable {
  /// Where it is or will be.
  package let path: String?

  /// The mark of a store; one in memory has none.
  package init(ofStore store: String) {
    path = store == ":memory:" ? nil : store + "-vault"
  }

  /// The provider it names; `nil` where there is no mark.
  ///
  /// - Throws: `VaultError.unwritable` where it cannot be read, which is not the same as none.
  package func provider() throws(VaultError) -> String? {
    guard let path else { return nil }
    do throws(FileError) {
      let bytes = try PrivateFiles.read(path, limit: 256)
      return String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)
    } catch .notFound {
      return nil
    } catch {
      throw .unwritable("the mark beside the store")
    }
  }

  /// Names the provider, or nobody where the key itself lies beside the store.
  func set(_ provider: String?) {
    guard let path else { return }
    do {
      guard let provider else { return try PrivateFiles.remove(path) }
      if try self.provider() != provider {
        try PrivateFiles.write(Array("\(provider)\n".utf8), to: path)
      }
    } catch {
      // A full disk must keep nobody from their accounts; the next opening tries again.
    }
  }
}

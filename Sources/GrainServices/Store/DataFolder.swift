package import CredentialVault
package import SQLiteDatabase
package import SystemClients

/// The folder one core works in: its lock, its database, its key file and its drafts.
///
/// Holding a value of this type is holding the lock. Source: design §4.
package struct DataFolder: Sendable {
  /// The folder, an absolute path; 0700.
  package let path: String
  private let lock: FolderLock

  /// Makes the folder if it is missing, repairs loose modes, and takes the lock.
  ///
  /// - Throws: `locked` with the holder's process id when another core works here; `unwritable` or
  ///   `full` when the folder cannot be made.
  package static func open(_ path: String, processID: Int32) throws(StoreFault) -> DataFolder {
    do {
      try PrivateFiles.makeFolder(path)
      try PrivateFiles.makeFolder(path + "/drafts")
      let lock = try FolderLock.acquire(path, processID: processID)
      // What a crash left half written, and modes that came loose; safe only under the lock.
      try PrivateFiles.tidy(path)
      return DataFolder(path: path, lock: lock)
    } catch {
      throw StoreFault(error)
    }
  }

  private init(path: String, lock: FolderLock) {
    self.path = path
    self.lock = lock
  }

  /// The database, 0600.
  package var databasePath: String { path + "/core.sqlite" }

  /// The key that wraps the vault's data key when nothing better is there; 0600.
  package var keyFilePath: String { path + "/vault.key" }

  /// Where a draft's prepared pictures lie.
  package func draftFolder(_ id: String) -> String { "\(path)/drafts/\(id)" }

  /// Lets another core work here.
  package func release() { lock.release() }
}

extension StoreFault {
  /// A file fault as the store sees it.
  package init(_ error: FileError) {
    self =
      switch error {
      case .full: .full
      case .locked(let holder): .locked(holder: holder)
      case .notFound(let path): .unwritable("\(path) is missing")
      case .unwritable(let path): .unwritable("\(path) cannot be written")
      case .notOwned(let path): .unwritable("\(path) belongs to somebody else")
      case .other(let path, let errno): .unwritable("\(path) (error \(errno))")
      }
  }

  /// A database fault as the store sees it.
  package init(_ error: SQLiteError) {
    self =
      switch error {
      case .full: .full
      case .readOnly: .unwritable("the database is read-only")
      case .corrupt(let detail): .corrupt(detail)
      case .notADatabase: .corrupt("it is no database")
      case .newerSchema(let found, let known): .newer(found: found, known: known)
      case .foreignApplication: .corrupt("it belongs to another program")
      case .cannotOpen(let detail): .unwritable(detail)
      case .busy: .locked(holder: nil)
      case .constraint(let detail): .corrupt(detail)
      case .other(let code, let message): .unwritable("\(message) (\(code))")
      }
  }
}

extension StoreFault {
  /// A vault fault as the store sees it.
  package init(_ error: VaultError) {
    self =
      switch error {
      case .locked: .keyLocked
      case .keyUnavailable(let provider, let reason):
        .keyUnavailable(reason ?? "\(Self.place(provider)) cannot be read")
      case .keyMissing("command"):
        .keyUnavailable("their key comes from a key command, and none was given")
      case .keyMissing(let provider):
        .keyUnavailable("\(Self.place(provider)) does not have their key")
      case .wrongKey(let provider):
        .keyUnavailable("\(Self.place(provider)) has another key than theirs")
      case .keyWithoutVault("file"):
        .corrupt("the key file is there, but the store it belongs to is gone")
      case .keyWithoutVault(let provider):
        .corrupt("the store is gone whose key \(Self.place(provider)) has")
      case .corrupt(let detail), .other(let detail): .corrupt(detail)
      case .newer(let found, let known): .newer(found: found, known: known)
      case .foreign: .corrupt("it belongs to another program")
      case .full: .full
      case .unwritable(let detail): .unwritable(detail)
      case .busy: .locked(holder: nil)
      }
  }

  /// A provider's name as a person knows it.
  private static func place(_ provider: String) -> String {
    switch provider {
    case "file": "the key file"
    case "keyring": "the desktop's key store"
    case "command": "the key command"
    default: "the key store “\(provider)”"
    }
  }
}

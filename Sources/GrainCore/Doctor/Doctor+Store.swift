import CredentialVault
import Foundation
import GrainServices
import SystemClients

extension Doctor {
  /// What a look at the account store has shown.
  enum StoreState: Equatable {
    /// There is none, and no key file that would want one.
    case missing
    /// A core works with it.
    case inUse(Int32?)
    case examined(VaultExamination)
    case failed(VaultError)
    /// It could not be looked at, and why.
    case unreadable(String)
  }

  /// Looks at a copy: even a look through SQLite could write to the store or its log.
  func storeState() async -> StoreState {
    let lock: FolderLock?
    do throws(FileError) {
      lock = try FolderLock.acquireToLook(dataFolder)
    } catch {
      if case .locked(let holder) = error { return .inUse(holder) }
      return .unreadable("the data folder cannot be read")
    }
    let copy: StoreCopy?
    do throws(FileError) {
      copy = try StoreCopy(of: databasePath)
      lock?.release()
    } catch {
      lock?.release()
      return .unreadable("it could not be copied for a look (\(StoreFault(error)))")
    }
    do throws(VaultError) {
      guard let copy else { return try emptyState() }
      var examination = try await VaultExamination(
        copyAt: copy.path, schema: CoreSchema.migrations,
        providers: doors.keys.providers(keyFile: keyFilePath))
      if examination.isBlank { return try emptyState() }
      if examination.problems.isEmpty {
        do throws(StoreFault) {
          if let problem = try await Self.problem(ofAccountsAt: copy.path) {
            examination.problems.append(problem)
          }
        } catch {
          if case .corrupt(let reason) = error { return .failed(.corrupt(reason)) }
          return .failed(.corrupt("its accounts cannot be read"))
        }
      }
      return .examined(examination)
    } catch {
      return .failed(error)
    }
  }

  /// What an empty store is: a beginning, or a loss where a key or a mark says so (FB-E3).
  private func emptyState() throws(VaultError) -> StoreState {
    if FileManager.default.fileExists(atPath: keyFilePath) {
      throw .keyWithoutVault(provider: "file")
    }
    if let provider = try VaultMarker(ofStore: databasePath).provider() {
      throw .keyWithoutVault(provider: provider)
    }
    return .missing
  }

  /// What is wrong in the list of accounts; needs no key.
  ///
  /// - Throws: where it cannot be read at all.
  private static func problem(ofAccountsAt path: String) async throws(StoreFault) -> String? {
    let store = try AccountStore(path: path, sealers: .closed)
    let count = try await store.damagedRows()
    return count == 0 ? nil : "\(count) of its accounts and their secrets do not belong together"
  }

  func storeFinding(_ state: StoreState) -> Finding {
    switch state {
    case .missing:
      return Finding(.store, "There is no account store yet; the first start makes it.")
    case .inUse(let holder):
      return Finding(
        .store, "The account store was not looked at, because a core\(Self.name(holder)) uses it.",
        advice: "End the core and ask again to have the store checked.")
    case .unreadable(let reason):
      return Finding(
        .store, sound: false, "The account store was not looked at: \(reason).",
        advice: "Check the permissions of \(databasePath) and the room in the temporary folder.")
    case .failed(.newer(let found, let known)):
      return Finding(
        .store, sound: false, "A newer version of this program wrote the account store.",
        advice: "Update the program; nothing was changed.",
        facts: ["found": "\(found)", "known": "\(known)"])
    case .failed(let error):
      return Finding(
        .store, sound: false, "The account store cannot be opened: \(Self.words(error)).",
        advice: Self.setAsideAdvice)
    case .examined(let examination):
      return storeFinding(examination)
    }
  }

  private func storeFinding(_ examination: VaultExamination) -> Finding {
    var facts = ["secrets": "\(examination.secrets)"]
    if let first = examination.problems.first {
      facts["problems"] = "\(examination.problems.count)"
      return Finding(
        .store, sound: false, "The account store is damaged: \(first).",
        advice: Self.setAsideAdvice, facts: facts)
    }
    if examination.damagedSecrets > 0 {
      facts["damaged"] = "\(examination.damagedSecrets)"
      return Finding(
        .store, sound: false,
        "\(examination.damagedSecrets) of \(examination.secrets) secrets in the account store do "
          + "not open any more.",
        advice: "Sign in again to the accounts that fail; or: \(Self.setAsideAdvice)", facts: facts)
    }
    return Finding(.store, "The account store is sound.", facts: facts)
  }

  /// Whether the store opens, so that there is nothing to set aside.
  static func isWhole(_ examination: VaultExamination) -> Bool {
    examination.problems.isEmpty && examination.damagedSecrets == 0
      && examination.keyFailure == nil
  }

  static let setAsideAdvice =
    "Put a backup back, or move it aside with “grain-core doctor --set-aside-store” and sign in "
    + "again."

  static func words(_ error: VaultError) -> String {
    switch StoreFault(error) {
    case .corrupt(let reason), .unwritable(let reason), .keyUnavailable(let reason): reason
    case .keyLocked: "the key store is locked"
    case .full: "the disk is full"
    case .locked: "another program holds it"
    case .newer: "a newer version wrote it"
    }
  }
}

/// A copy of a store and its log in a private folder of its own, removed with the last reference.
final class StoreCopy: Sendable {
  private let folder: String
  let path: String

  /// - Returns: `nil` where there is no store.
  /// - Throws: where it cannot be read, or there is no room for a copy.
  init?(of database: String) throws(FileError) {
    guard FileManager.default.fileExists(atPath: database) else { return nil }
    folder = NSTemporaryDirectory() + "grain-core-doctor-\(UUID().uuidString)"
    path = folder + "/core.sqlite"
    try PrivateFiles.makeFolder(folder)
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: database + suffix) {
      // A store holds accounts and drafts without their pictures; this is far more than any has.
      let bytes = try PrivateFiles.read(database + suffix, limit: 1 << 30)
      try PrivateFiles.write(bytes, to: path + suffix)
    }
  }

  deinit {
    // Sealed secrets in a private folder; a cleaner of temporary files comes after us.
    try? PrivateFiles.remove(folder)
  }
}

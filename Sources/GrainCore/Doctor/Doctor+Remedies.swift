import CredentialVault
package import Foundation
import GrainServices
import SystemClients

extension Doctor {
  /// Gives the key of the store to another place, while no core works here.
  ///
  /// - Parameter place: `keyring`, `file` or `command`.
  /// - Returns: what was done, in sentences.
  /// - Throws: while a core works here, or where the key cannot be moved; nothing was changed then.
  package func rewrap(to place: String) async throws(Refusal) -> String {
    let lock = try hold()
    defer { lock.release() }
    guard FileManager.default.fileExists(atPath: databasePath) else {
      throw Refusal("There is no account store here yet; the first start chooses a place.")
    }
    do throws(VaultError) {
      let outcome = try await CredentialVault.rewrap(
        path: databasePath, schema: CoreSchema.migrations,
        providers: doors.keys.providers(keyFile: keyFilePath), to: place, random: doors.random)
      switch outcome {
      case .unchanged: return "The key is there already (\(place)); nothing was changed."
      case .done(let old): return "The key has moved from \(old) to \(place)."
      case .oldKeyRemains(let old, let reason):
        return "The key has moved from \(old) to \(place), but the old one could not be removed "
          + "(\(Self.words(reason))). It opens nothing any more."
      }
    } catch {
      throw Refusal("Nothing was changed: \(Self.words(error)).")
    }
  }

  /// One file or folder that was set aside.
  package struct Move: Codable, Equatable, Sendable {
    /// Where it was, and where it is.
    package let from, to: String
  }

  /// Moves a store that does not open aside, together with what belongs to it: its log, its drafts,
  /// its key file or the mark of a key elsewhere. Nothing else is touched and nothing deleted.
  ///
  /// The drafts go too because a new store knows none of them, and folders no draft owns are swept.
  /// - Parameter moment: names the folder it goes to.
  /// - Returns: every move, in order.
  /// - Throws: while a core works here, or where there is nothing wrong with the store.
  package func setAside(at moment: Date) async throws(Refusal) -> [Move] {
    switch await storeState() {
    case .missing: throw Refusal("There is no account store here.")
    case .inUse(let holder): throw Self.inUse(holder)
    case .unreadable(let reason): throw Refusal("Nothing was moved: \(reason).")
    case .failed(.newer):
      throw Refusal("A newer version wrote this store; update the program instead.")
    case .examined(let examination):
      if Self.isWhole(examination) { throw Refusal("The store is sound; nothing was moved.") }
      if case .locked = examination.keyFailure {
        throw Refusal("The store is only locked; unlock the key store instead.")
      }
      if examination.provider == "command", !doors.keys.hasCommand {
        throw Refusal("Give the --key-command that this store was made with.")
      }
    case .failed: break
    }
    let lock = try hold()
    defer { lock.release() }
    do throws(FileError) {
      return try move(to: "set-aside-" + Self.stamp(moment))
    } catch {
      throw Refusal("Not everything was moved: \(StoreFault(error)). Ask again.")
    }
  }

  private func move(to name: String) throws(FileError) -> [Move] {
    let target = "\(dataFolder)/\(name)"
    // Key and mark last: as long as they lie here, no core takes an empty folder for a beginning.
    let parts = [
      "core.sqlite", "core.sqlite-wal", "core.sqlite-shm", "drafts", "vault.key",
      "core.sqlite-vault",
    ].filter { FileManager.default.fileExists(atPath: "\(dataFolder)/\($0)") }
    try PrivateFiles.makeFolder(target)
    var moves: [Move] = []
    for part in parts {
      let move = Move(from: "\(dataFolder)/\(part)", to: "\(target)/\(part)")
      try PrivateFiles.move(move.from, to: move.to)
      moves.append(move)
    }
    return moves
  }

  private func hold() throws(Refusal) -> FolderLock {
    do throws(FileError) {
      return try FolderLock.acquire(
        dataFolder, processID: ProcessInfo.processInfo.processIdentifier)
    } catch {
      if case .locked(let holder) = error { throw Self.inUse(holder) }
      throw Refusal("The data folder \(dataFolder) cannot be locked.")
    }
  }

  private static func inUse(_ holder: Int32?) -> Refusal {
    Refusal("A core\(name(holder)) works in this folder; end it first.")
  }

  /// `20261130T041500Z`
  private static func stamp(_ moment: Date) -> String {
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    return style.format(moment)
  }
}

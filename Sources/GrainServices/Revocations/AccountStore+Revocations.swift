import CredentialVault
import Foundation
import OpenSSLCrypto
import SQLiteDatabase

/// The durable queue of revocations: rows beside the accounts, so that forgetting an account and
/// remembering its revocation are one transaction (G103).
extension AccountStore {
  private static let revocationKind = "revocation"

  /// What is still to be revoked, oldest first. A row that cannot be opened can never be sent: it is
  /// dropped.
  package func revocations() throws(StoreFault) -> [QueuedRevocation] {
    try stored {
      var queued: [QueuedRevocation] = []
      for row in try database.query(
        "SELECT id, provider, added_at, attempts FROM revocation ORDER BY rowid")
      {
        guard let id = row.text("id"), let seconds = row.integer("added_at") else { continue }
        guard let provider = row.text("provider").flatMap(AccountProvider.init),
          let request = try request(id)
        else {
          try drop(id)
          continue
        }
        queued.append(
          QueuedRevocation(
            id: id, provider: provider, request: request,
            addedAt: Date(timeIntervalSince1970: TimeInterval(seconds)),
            attempts: Int(row.integer("attempts") ?? 0)))
      }
      return queued
    }
  }

  /// Counts an attempt that a server did not take.
  package func revocationFailed(_ id: String) throws(StoreFault) {
    try stored {
      try database.execute(
        "UPDATE revocation SET attempts = attempts + 1 WHERE id = ?", [.text(id)])
    }
  }

  /// Forgets a revocation, token and key included: it is done, or given up.
  package func revocationEnded(_ id: String) throws(StoreFault) {
    try stored { try database.transaction { try drop(id) } }
    eraseLog()
  }

  /// Queues a revocation inside somebody's transaction.
  func enqueue(_ queued: QueuedRevocation?) throws {
    guard let queued else { return }
    try database.execute(
      "INSERT INTO revocation (id, provider, added_at, attempts) VALUES (?, ?, ?, ?)",
      [
        .text(queued.id), .text(queued.provider.rawValue),
        .integer(Int64(queued.addedAt.timeIntervalSince1970)),
        .integer(Int64(queued.attempts)),
      ])
    try sealer.seal(queued.id, kind: Self.revocationKind, secret: queued.request)
      .store(on: database)
  }

  private func request(_ id: String) throws -> Secret? {
    guard let row = try SealedRow.load(id, kind: Self.revocationKind, on: database) else {
      return nil
    }
    do {
      return try sealer.open(row)
    } catch is VaultError {
      return nil
    }
  }

  private func drop(_ id: String) throws {
    try database.execute("DELETE FROM revocation WHERE id = ?", [.text(id)])
    try SealedRow.remove(id, kind: Self.revocationKind, on: database)
  }
}

package import ATOAuth
package import ATSyntax
package import CredentialVault
import SQLiteDatabase
import StrictJSON

/// Accounts on disk: what may be seen in plain rows, all of one account's secrets in one sealed row.
///
/// Every change is one transaction; a sealed row is only ever replaced whole, so tokens of one
/// response never mix with another's (G29, G30, FB-E8).
package actor AccountStore {
  /// Everything a launch needs to show.
  package struct Stored: Equatable, Sendable {
    package var accounts: [AccountRecord]
    package var active: DID?
  }

  private static let grantKind = "grant"
  private static let activeSetting = "activeDID"

  private let database: SQLiteConnection
  private let sealer: VaultSealer

  /// Opens the accounts of an already migrated database.
  package init(path: String, sealer: VaultSealer) throws(StoreFault) {
    do throws(SQLiteError) {
      database = try SQLiteConnection(path: path)
    } catch {
      throw StoreFault(error)
    }
    self.sealer = sealer
  }

  /// The list in its order, and the active account.
  package func load() throws(StoreFault) -> Stored {
    try stored {
      let rows = try database.query("SELECT body FROM account ORDER BY position")
      let accounts = try rows.compactMap { $0.text("body") }.map(Self.record)
      let active = try setting(Self.activeSetting)
      return Stored(
        accounts: accounts, active: accounts.first { $0.did.rawValue == active }?.did)
    }
  }

  /// An account's grant, opened; `nil` when it has none.
  package func grant(_ did: DID) throws(StoreFault) -> Grant? {
    try stored {
      guard let sealed = try sealedGrant(did) else { return nil }
      return try Grant(unsealed: sealer.open(sealed))
    }
  }

  /// Stores a signed-in account and makes it the active one; a known account keeps its place and
  /// what is known of its name and picture (FB-E8).
  package func adopt(_ grant: Grant, missingScopes: [String]) throws(StoreFault) {
    try stored {
      let sealed = try seal(grant)
      try database.transaction {
        var record = try known(grant.did) ?? AccountRecord(did: grant.did, handle: grant.handle)
        record.handle = grant.handle
        record.standing = .ok
        record.missingScopes = missingScopes
        try write(record)
        try sealed.store(on: database)
        try set(Self.activeSetting, grant.did.rawValue)
      }
    }
  }

  /// Replaces an account's grant: new tokens, or a new home server.
  ///
  /// - Returns: `false` when the account was dropped meanwhile; then nothing is written.
  package func replace(_ grant: Grant) throws(StoreFault) -> Bool {
    try stored {
      let sealed = try seal(grant)
      return try database.transaction {
        guard try sealedGrant(grant.did) != nil else { return false }
        try sealed.store(on: database)
        return true
      }
    }
  }

  /// Changes what is shown of an account.
  package func change(
    _ did: DID, _ edit: @Sendable (inout AccountRecord) -> Void
  ) throws(StoreFault) {
    try stored {
      try database.transaction {
        guard var record = try known(did) else { return }
        edit(&record)
        try write(record)
      }
    }
  }

  /// Drops an account's credentials at once; it stays listed for a return in one tap.
  package func end(_ did: DID, _ reason: GrantEnd) throws(StoreFault) {
    try stored {
      try database.transaction {
        guard var record = try known(did) else { return }
        record.standing = .expired(reason)
        try write(record)
        try forgetGrant(did)
      }
      eraseLog()
    }
  }

  /// Forgets an account altogether.
  package func remove(_ did: DID) throws(StoreFault) {
    try stored {
      try database.transaction {
        try database.execute("DELETE FROM account WHERE did = ?", [.text(did.rawValue)])
        try forgetGrant(did)
      }
      eraseLog()
    }
  }

  /// Makes an account the active one, or none.
  package func activate(_ did: DID?) throws(StoreFault) {
    try stored {
      try database.transaction { try set(Self.activeSetting, did?.rawValue) }
    }
  }

  /// Puts the list into this order; accounts that are not named stay behind the others.
  package func reorder(_ order: [DID]) throws(StoreFault) {
    try stored {
      try database.transaction {
        for (position, did) in order.enumerated() {
          try database.execute(
            "UPDATE account SET position = ? WHERE did = ?",
            [.integer(Int64(position)), .text(did.rawValue)])
        }
      }
    }
  }

  // MARK: Rows

  private static func record(_ body: String) throws -> AccountRecord {
    try JSONValueDecoder().decode(AccountRecord.self, from: JSONParser.parse(Array(body.utf8)))
  }

  private func known(_ did: DID) throws -> AccountRecord? {
    try database.query("SELECT body FROM account WHERE did = ?", [.text(did.rawValue)])
      .first?.text("body").map(Self.record)
  }

  private func write(_ record: AccountRecord) throws {
    let body = try JSONValueEncoder().encode(record).text()
    try database.execute(
      """
      INSERT INTO account (did, position, body)
      VALUES (?1, (SELECT coalesce(max(position), -1) + 1 FROM account), ?2)
      ON CONFLICT (did) DO UPDATE SET body = excluded.body
      """, [.text(record.did.rawValue), .text(body)])
  }

  private func setting(_ name: String) throws -> String? {
    try database.query("SELECT value FROM setting WHERE name = ?", [.text(name)])
      .first?.text("value")
  }

  private func set(_ name: String, _ value: String?) throws {
    guard let value else {
      return try database.execute("DELETE FROM setting WHERE name = ?", [.text(name)])
    }
    try database.execute(
      """
      INSERT INTO setting (name, value) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """, [.text(name), .text(value)])
  }

  private func sealedGrant(_ did: DID) throws -> SealedRow? {
    try SealedRow.load(did.rawValue, kind: Self.grantKind, on: database)
  }

  private func seal(_ grant: Grant) throws -> SealedRow {
    try sealer.seal(grant.did.rawValue, kind: Self.grantKind, secret: grant.sealable())
  }

  private func forgetGrant(_ did: DID) throws {
    try SealedRow.remove(did.rawValue, kind: Self.grantKind, on: database)
  }

  /// Empties the write-ahead log, so that not even sealed bytes of what was dropped stay in a file.
  private func eraseLog() {
    // The rows are gone already; a later checkpoint makes up for one that fails.
    _ = try? database.checkpoint()
  }

  private func stored<T>(_ work: () throws -> T) throws(StoreFault) -> T {
    do {
      return try work()
    } catch let error as SQLiteError {
      throw StoreFault(error)
    } catch let error as VaultError {
      throw StoreFault(error)
    } catch {
      throw .corrupt("an account cannot be read")
    }
  }
}

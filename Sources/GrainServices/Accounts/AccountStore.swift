package import ATOAuth
package import ATSyntax
package import CredentialVault
import OpenSSLCrypto
import SQLiteDatabase
import StrictJSON

/// Accounts on disk: what may be seen in plain rows, all of one account's secrets in one sealed row.
///
/// Every change is one transaction; a sealed row is only ever replaced whole, so tokens of one
/// response never mix with another's (G29, G30, FB-E8).
package actor AccountStore {
  /// Everything there is to show, as one transaction left it.
  package struct Stored: Equatable, Sendable {
    /// In the person's order.
    package var accounts: [AccountRecord]
    /// An account with credentials, unless no account has any.
    package var active: AccountID?

    /// A list with its active account.
    package init(accounts: [AccountRecord], active: AccountID?) {
      self.accounts = accounts
      self.active = active
    }
  }

  /// What became of a change to a grant that somebody else may have replaced meanwhile.
  package enum Change: Sendable {
    /// The change is on disk; the list as it left it.
    case done(Stored)
    /// Another sign-in has stored this grant since: it stays as it is.
    case superseded(by: Grant)
    /// The account has no credentials any more: nothing was written.
    case gone
  }

  /// The same for every provider: what an account was granted.
  private static let credentialKind = "grant"
  private static let activeSetting = "activeAccount"

  let database: SQLiteConnection
  /// The list as the last transaction left it; nobody else writes to it. `nil` until it was read.
  private var roll: AccountRoll?
  /// Seals and opens secrets; without its key the list can still be read.
  nonisolated let sealers: SealerSource
  var sealer: VaultSealer { get throws(StoreFault) { try sealers.sealer } }

  /// Opens the accounts of an already migrated database.
  package init(path: String, sealers: SealerSource) throws(StoreFault) {
    do throws(SQLiteError) {
      database = try SQLiteConnection(path: path)
    } catch {
      throw StoreFault(error)
    }
    self.sealers = sealers
  }

  /// The same with a vault that is open.
  package init(path: String, sealer: VaultSealer) throws(StoreFault) {
    try self.init(path: path, sealers: SealerSource(sealer))
  }

  /// The list in its order, and the active account, read from the disk as a whole.
  package func load() throws(StoreFault) -> Stored {
    try stored {
      let read = try read()
      roll = read
      return read.stored
    }
  }

  /// The same as the last change has left it; the disk is read only where it never was.
  package func current() throws(StoreFault) -> Stored {
    try stored { try known().stored }
  }

  /// What the database has done so far: grows with the rows that are looked at.
  package var work: Int { database.work }

  /// How many rows cannot be read, or have lost their secrets.
  package func damagedRows() throws(StoreFault) -> Int {
    try stored { try known().damaged }
  }

  /// An account's grant, opened; `nil` when it has none.
  package func grant(_ did: DID) throws(StoreFault) -> Grant? {
    try stored { try held(did) }
  }

  /// Stores a signed-in account and makes it the active one, unless that is not wanted and there is
  /// another; a known account keeps its place and what is known of its name and picture (FB-E8).
  ///
  /// - Parameters:
  ///   - account: the account with its credentials.
  ///   - older: the revocation of the credentials these replace.
  ///   - activating: whether it becomes the active account.
  ///   - keepingDeletion: unless its owner confirms just that, they use the account again, and a deletion
  ///     that was cut off is not gone on with.
  /// - Returns: the list as it is now.
  /// - Throws: when it cannot be stored; nothing has changed then.
  package func adopt(
    _ account: SignedInAccount, revoking older: QueuedRevocation? = nil, activating: Bool = true,
    keepingDeletion: Bool = false
  ) throws(StoreFault) -> Stored {
    try changing { roll in
      try enqueue(older)
      let record = account.record(
        over: roll.record(account.id), keepingDeletion: keepingDeletion)
      try write(record, to: &roll)
      try seal(account.credentials, of: account.id)
      if activating { try choose(account.id, in: &roll) }
    }
  }

  /// Stores new tokens, or a new home server, over the grant they came from; storing them twice is
  /// the same as once.
  ///
  /// If the store holds another grant than `asked` by now, that one stays: tokens of an older
  /// sign-in never replace those of a newer (FB-E8).
  package func replace(_ renewed: Grant, after asked: Grant) throws(StoreFault) -> Change {
    try changing(renewed, after: asked) { _ in
      try seal(renewed.sealable(), of: renewed.did.account)
    }
  }

  /// Drops an account's credentials at once; it stays listed for a return in one tap, and the next
  /// account with credentials becomes the active one. Another grant than `asked` stays.
  ///
  /// `queued` is the revocation of a grant that its server still takes.
  package func end(
    _ asked: Grant, _ reason: GrantEnd, revoking queued: QueuedRevocation? = nil
  ) throws(StoreFault) -> Change {
    let change = try changing(asked, after: asked) { roll in
      try enqueue(queued)
      try forgetCredentials(asked.did.account)
      guard var record = roll.record(asked.did.account) else { return }
      record.standing = .expired(reason)
      try write(record, to: &roll)
    }
    eraseLog()
    return change
  }

  /// Forgets an account altogether but for its revocation; if it was active, the next one with
  /// credentials is now.
  package func remove(
    _ id: AccountID, revoking queued: QueuedRevocation? = nil
  ) throws(StoreFault) -> Stored {
    let left = try changing { roll in
      try enqueue(queued)
      try database.execute("DELETE FROM account WHERE id = ?", [.text(id.rawValue)])
      roll.remove(id)
      try SealedRow.removeAll(id.rawValue, on: database)
    }
    eraseLog()
    return left
  }

  /// Makes an account the active one.
  ///
  /// - Returns: `nil` when it has no credentials; nothing was changed then.
  package func activate(_ id: AccountID) throws(StoreFault) -> Stored? {
    guard try stored({ try known() }).record(id)?.hasCredentials == true else { return nil }
    return try changing { roll in try choose(id, in: &roll) }
  }

  /// Changes what is known of an account that has credentials; of any other, nothing.
  package func update(
    _ id: AccountID, _ edit: (inout AccountRecord) -> Void
  ) throws(StoreFault) -> Stored {
    try changing { roll in
      guard var record = roll.record(id), record.hasCredentials else { return }
      edit(&record)
      try write(record, to: &roll)
    }
  }

  /// Moves an account in front of another, or to the end.
  package func move(_ id: AccountID, before other: AccountID?) throws(StoreFault) -> Stored {
    try changing { roll in
      switch roll.move(id, before: other) {
      case nil: break
      case .at(let position): try place(id, at: position)
      case .renumbered:
        for (record, position) in zip(roll.accounts, roll.positions) {
          try place(record.id, at: position)
        }
      }
    }
  }

  private func place(_ id: AccountID, at position: Int64) throws {
    try database.execute(
      "UPDATE account SET position = ? WHERE id = ?", [.integer(position), .text(id.rawValue)])
  }

  // MARK: Changes

  /// Runs one change as one transaction: whoever is told of it is told what is really on disk.
  func changing(_ change: (inout AccountRoll) throws -> Void) throws(StoreFault) -> Stored {
    try stored {
      var next = try known()
      try database.transaction {
        try change(&next)
        try settle(&next)
      }
      roll = next
      return next.stored
    }
  }

  /// The same for a change that only holds while the store still has the grant it was made for.
  private func changing(
    _ wanted: Grant, after asked: Grant, _ change: (inout AccountRoll) throws -> Void
  ) throws(StoreFault) -> Change {
    try stored {
      var next = try known()
      let overtaken = try database.transaction { () -> Change? in
        guard let held = try held(wanted.did) else { return .gone }
        guard held.isSame(as: asked) || held.isSame(as: wanted) else {
          return .superseded(by: held)
        }
        try change(&next)
        try settle(&next)
        return nil
      }
      if let overtaken { return overtaken }
      roll = next
      return .done(next.stored)
    }
  }

  /// Writes down who is active, so that a later reordering cannot change it.
  private func settle(_ roll: inout AccountRoll) throws { try choose(roll.active, in: &roll) }

  private func choose(_ id: AccountID?, in roll: inout AccountRoll) throws {
    if roll.written == id { return }
    try set(Self.activeSetting, id?.rawValue)
    roll.written = id
  }

  /// The list in memory, read where it never was.
  func known() throws -> AccountRoll {
    if let roll { return roll }
    let read = try read()
    roll = read
    return read
  }

  /// Reads every row. One that is damaged stands for an account that has to sign in again, or for none;
  /// the others do not suffer for it, and nothing is written to it before its owner signs in or out.
  private func read() throws -> AccountRoll {
    let rows = try database.query("SELECT id, position, body FROM account ORDER BY position")
    let sealed = try SealedRow.labels(kind: Self.credentialKind, on: database)
    var roll = AccountRoll()
    var (records, positions): ([AccountRecord], [Int64]) = ([], [])
    for row in rows {
      let (record, isDamaged) = Self.record(row, sealed)
      if isDamaged { roll.damaged += 1 }
      guard let record else { continue }
      records.append(record)
      positions.append(row.integer("position") ?? 0)
    }
    let chosen = try setting(Self.activeSetting)
    let damaged = roll.damaged
    roll = AccountRoll(
      accounts: records, positions: positions,
      written: records.first { $0.id.rawValue == chosen }?.id)
    roll.damaged = damaged
    return roll
  }

  /// The account of a row, and whether the row is damaged: no account, another one's, or without the
  /// secrets it speaks of. One changed letter must not show an account as somebody else's.
  private static func record(
    _ row: SQLiteRow, _ sealed: Set<String>
  ) -> (AccountRecord?, isDamaged: Bool) {
    let id = AccountID(rawValue: row.text("id") ?? "")
    var read: AccountRecord?
    do {
      read = try record(row.text("body") ?? "")
    } catch {
      read = nil
    }
    guard let id, var record = read, record.id == id else {
      return (id.map { AccountRecord(id: $0, handle: nil, standing: .expired(.damaged)) }, true)
    }
    guard record.hasCredentials, !sealed.contains(id.rawValue) else { return (record, false) }
    record.standing = .expired(.damaged)
    return (record, true)
  }

  func held(_ did: DID) throws -> Grant? {
    try unsealed(did.account).map { try Grant(unsealed: $0) }
  }

  // MARK: Rows

  private static func record(_ body: String) throws -> AccountRecord {
    try JSONValueDecoder().decode(AccountRecord.self, from: JSONParser.parse(Array(body.utf8)))
  }

  /// Writes one account's row; a new account comes last.
  func write(_ record: AccountRecord, to roll: inout AccountRoll) throws {
    let body = try JSONValueEncoder().encode(record).text()
    if let position = roll.put(record) {
      try database.execute(
        "INSERT INTO account (id, position, body) VALUES (?, ?, ?)",
        [.text(record.id.rawValue), .integer(position), .text(body)])
    } else {
      try database.execute(
        "UPDATE account SET body = ? WHERE id = ?", [.text(body), .text(record.id.rawValue)])
    }
  }

  func setting(_ name: String) throws -> String? {
    try database.query("SELECT value FROM setting WHERE name = ?", [.text(name)])
      .first?.text("value")
  }

  func set(_ name: String, _ value: String?) throws {
    guard let value else {
      return try database.execute("DELETE FROM setting WHERE name = ?", [.text(name)])
    }
    try database.execute(
      """
      INSERT INTO setting (name, value) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """, [.text(name), .text(value)])
  }

  func seal(_ credentials: Secret, of id: AccountID) throws {
    try sealer.seal(id.rawValue, kind: Self.credentialKind, secret: credentials)
      .store(on: database)
  }

  /// Opens an account's credentials inside somebody's transaction.
  func unsealed(_ id: AccountID) throws -> Secret? {
    try SealedRow.load(id.rawValue, kind: Self.credentialKind, on: database)
      .map { try sealer.open($0) }
  }

  func forgetCredentials(_ id: AccountID) throws {
    try SealedRow.remove(id.rawValue, kind: Self.credentialKind, on: database)
  }

  /// Empties the write-ahead log, so that not even sealed bytes of what was dropped stay in a file.
  func eraseLog() {
    // The rows are gone already; a later checkpoint makes up for one that fails.
    _ = try? database.checkpoint()
  }

  func stored<T>(_ work: () throws -> T) throws(StoreFault) -> T {
    do {
      return try work()
    } catch let error as SQLiteError {
      throw StoreFault(error)
    } catch let error as VaultError {
      throw StoreFault(error)
    } catch let error as StoreFault {
      throw error
    } catch {
      throw .corrupt("an account cannot be read")
    }
  }
}

extension Grant {
  /// Whether the two stand for the same place in the same session: a refresh token is good once.
  fileprivate func isSame(as other: Grant) -> Bool {
    tokens.refreshToken == other.tokens.refreshToken
      && tokens.accessToken == other.tokens.accessToken
  }
}

import Foundation
import OpenSSLCrypto
import SQLiteDatabase

/// What the Pixiv-like service keeps; of codes, tokens and cookies only digests.
package struct PixivServiceStore: Sendable {
  let store: SandboxStore

  /// The tables, in the order in which the network's store is to make them.
  package static let migrations = [
    """
    CREATE TABLE pixiv_users (
      id INTEGER PRIMARY KEY, account TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
      salt BLOB NOT NULL, password BLOB NOT NULL, works INTEGER NOT NULL,
      banned INTEGER NOT NULL) STRICT;
    CREATE TABLE pixiv_sessions (
      hash TEXT PRIMARY KEY, user INTEGER NOT NULL REFERENCES pixiv_users (id)) STRICT;
    CREATE TABLE pixiv_codes (
      hash TEXT PRIMARY KEY, user INTEGER NOT NULL REFERENCES pixiv_users (id),
      challenge TEXT NOT NULL, until INTEGER NOT NULL) STRICT;
    CREATE TABLE pixiv_grants (
      id INTEGER PRIMARY KEY, refresh TEXT NOT NULL UNIQUE,
      user INTEGER NOT NULL REFERENCES pixiv_users (id)) STRICT;
    CREATE TABLE pixiv_access (
      hash TEXT PRIMARY KEY, owner INTEGER NOT NULL REFERENCES pixiv_grants (id) ON DELETE CASCADE,
      until INTEGER NOT NULL) STRICT;
    CREATE INDEX pixiv_access_owner ON pixiv_access (owner);
    """
  ]

  static func digest(_ secret: String) -> SQLiteValue {
    .text(Hex.text(Digest.sha256(secret.utf8)))
  }

  // MARK: People

  /// Adds who is not there yet.
  func insert(_ people: [PixivPerson], salt: () -> [UInt8]) async throws {
    let rows = people.map { ($0, salt()) }
    try await store.write { database in
      for (person, salt) in rows {
        try database.execute(
          "INSERT OR IGNORE INTO pixiv_users VALUES (?, ?, ?, ?, ?, ?, 0)",
          [
            .integer(Int64(person.id)), .text(person.account), .text(person.name), .blob(salt),
            .blob(HMAC.sha256(key: salt, message: Array(person.password.utf8))),
            .integer(Int64(person.works)),
          ])
      }
    }
  }

  func user(account: String, password: String) async throws -> PixivServiceUser? {
    let row = try await row("SELECT * FROM pixiv_users WHERE account = ?", .text(account))
    guard let row, let salt = row.blob("salt"), let kept = row.blob("password"),
      ConstantTime.equal(HMAC.sha256(key: salt, message: Array(password.utf8)), kept)
    else { return nil }
    return PixivServiceUser(row)
  }

  func user(_ id: Int64) async throws -> PixivServiceUser? {
    try await row("SELECT * FROM pixiv_users WHERE id = ?", .integer(id)).map(PixivServiceUser.init)
  }

  func setBanned(_ isBanned: Bool, account: String) async throws {
    try await run(
      "UPDATE pixiv_users SET banned = ? WHERE account = ?", .integer(isBanned ? 1 : 0),
      .text(account))
  }

  // MARK: Browser sessions and codes

  func insertSession(_ cookie: String, user: Int64) async throws {
    try await run("INSERT INTO pixiv_sessions VALUES (?, ?)", Self.digest(cookie), .integer(user))
  }

  func session(_ cookie: String) async throws -> PixivServiceUser? {
    try await row(
      """
      SELECT pixiv_users.* FROM pixiv_sessions JOIN pixiv_users ON pixiv_users.id = user
      WHERE hash = ?
      """, Self.digest(cookie)
    ).map(PixivServiceUser.init)
  }

  func insertCode(_ code: String, user: Int64, challenge: String, until: Date) async throws {
    try await run(
      "INSERT INTO pixiv_codes VALUES (?, ?, ?, ?)", Self.digest(code), .integer(user),
      .text(challenge), .time(until))
  }

  /// Takes a code out, whatever comes of it: it is good once.
  func burnCode(_ code: String) async throws -> (user: Int64, challenge: String, until: Date)? {
    try await store.write { database in
      try database.query("DELETE FROM pixiv_codes WHERE hash = ? RETURNING *", [Self.digest(code)])
        .first.map { ($0.integer("user") ?? 0, $0.text("challenge") ?? "", $0.time("until")) }
    }
  }

  // MARK: Tokens

  func insertGrant(refresh: String, user: Int64) async throws {
    try await run(
      "INSERT INTO pixiv_grants (refresh, user) VALUES (?, ?)", Self.digest(refresh),
      .integer(user))
  }

  /// Whose refresh token it is.
  func grant(refresh: String) async throws -> PixivServiceUser? {
    try await row(
      """
      SELECT pixiv_users.* FROM pixiv_grants JOIN pixiv_users ON pixiv_users.id = user
      WHERE refresh = ?
      """, Self.digest(refresh)
    ).map(PixivServiceUser.init)
  }

  func replace(refresh: String, with new: String) async throws {
    try await run(
      "UPDATE pixiv_grants SET refresh = ? WHERE refresh = ?", Self.digest(new),
      Self.digest(refresh))
  }

  func insertAccess(_ token: String, refresh: String, until: Date) async throws {
    try await run(
      "INSERT INTO pixiv_access SELECT ?, id, ? FROM pixiv_grants WHERE refresh = ?",
      Self.digest(token), .time(until), Self.digest(refresh))
  }

  /// Whose access token it is, while it is good.
  func access(_ token: String, now: Date) async throws -> PixivServiceUser? {
    try await row(
      """
      SELECT pixiv_users.* FROM pixiv_access JOIN pixiv_grants ON pixiv_grants.id = owner
        JOIN pixiv_users ON pixiv_users.id = user
      WHERE hash = ? AND until > ?
      """, Self.digest(token), .time(now)
    ).map(PixivServiceUser.init)
  }

  func expireAccess(of account: String) async throws {
    try await run(
      """
      DELETE FROM pixiv_access WHERE owner IN (
        SELECT pixiv_grants.id FROM pixiv_grants JOIN pixiv_users ON pixiv_users.id = user
        WHERE account = ?)
      """, .text(account))
  }

  func revoke(of account: String) async throws {
    try await run(
      """
      DELETE FROM pixiv_grants WHERE user = (SELECT id FROM pixiv_users WHERE account = ?)
      """, .text(account))
  }

  func signIns(of account: String) async throws -> Int {
    let row = try await row(
      """
      SELECT count(*) AS n FROM pixiv_grants
      WHERE user = (SELECT id FROM pixiv_users WHERE account = ?)
      """, .text(account))
    return Int(row?.integer("n") ?? 0)
  }

  // MARK: Statements

  private func run(_ sql: String, _ bindings: SQLiteValue...) async throws {
    try await store.write { try $0.execute(sql, bindings) }
  }

  private func row(_ sql: String, _ bindings: SQLiteValue...) async throws -> SQLiteRow? {
    try await store.read { try $0.query(sql, bindings).first }
  }
}

/// Somebody, as the service's parts pass them on.
struct PixivServiceUser: Sendable, Equatable {
  let id: Int64
  let account: String
  let name: String
  let works: Int
  let isBanned: Bool

  init(_ row: SQLiteRow) {
    id = row.integer("id") ?? 0
    account = row.text("account") ?? ""
    name = row.text("name") ?? ""
    works = Int(row.integer("works") ?? 0)
    isBanned = row.integer("banned") == 1
  }
}

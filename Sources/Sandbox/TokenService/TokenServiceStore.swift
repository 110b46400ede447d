import Foundation
import OpenSSLCrypto
import SQLiteDatabase

/// What the service keeps. Of tokens, codes and cookies only SHA-256 digests are stored (P4, P16).
///
/// A token and its device are bound to each other by foreign keys in both directions, so neither can be
/// without the other, whatever program deletes a row (P8).
package struct TokenServiceStore: Sendable {
  let store: SandboxStore

  /// The tables, in the order in which the network's store is to make them.
  package static let migrations = [
    """
    CREATE TABLE platrium_tenants (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT;
    CREATE TABLE platrium_users (
      id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
      tenant TEXT NOT NULL REFERENCES platrium_tenants (id),
      salt BLOB NOT NULL, password BLOB NOT NULL) STRICT;
    CREATE TABLE platrium_sessions (
      hash TEXT PRIMARY KEY, user TEXT REFERENCES platrium_users (id) ON DELETE CASCADE,
      until INTEGER NOT NULL) STRICT;
    CREATE TABLE platrium_codes (
      namespace TEXT NOT NULL, hash TEXT NOT NULL,
      user TEXT NOT NULL REFERENCES platrium_users (id) ON DELETE CASCADE,
      challenge TEXT NOT NULL, redirect TEXT NOT NULL, name TEXT NOT NULL, platform TEXT,
      app_version TEXT, until INTEGER NOT NULL, PRIMARY KEY (namespace, hash)) STRICT;
    CREATE TABLE platrium_auth_tokens (
      id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE,
      user TEXT NOT NULL REFERENCES platrium_users (id) ON DELETE CASCADE,
      tenant TEXT NOT NULL REFERENCES platrium_tenants (id), name TEXT NOT NULL, device TEXT,
      created INTEGER NOT NULL, used INTEGER, UNIQUE (id, device),
      FOREIGN KEY (device, id) REFERENCES platrium_devices (id, token)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED) STRICT;
    CREATE TABLE platrium_devices (
      id TEXT PRIMARY KEY, token TEXT NOT NULL, platform TEXT NOT NULL, app_version TEXT,
      push_transport TEXT, push_token TEXT, UNIQUE (id, token),
      FOREIGN KEY (token, id) REFERENCES platrium_auth_tokens (id, device)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED) STRICT;
    CREATE INDEX platrium_auth_tokens_user ON platrium_auth_tokens (user);
    CREATE INDEX platrium_auth_tokens_device ON platrium_auth_tokens (device, id);
    CREATE INDEX platrium_devices_token ON platrium_devices (token, id);
    """
  ]

  /// Codes that approve a client; other kinds of one-time codes would have other names.
  static let approvalCodes = "acod"

  static func digest(_ secret: String) -> SQLiteValue {
    .text(Hex.text(Digest.sha256(secret.utf8)))
  }

  // MARK: People

  /// Adds who is not there yet.
  func insert(_ people: [TokenServicePerson], salt: () -> [UInt8]) async throws {
    let rows = people.map { person in (person, salt()) }
    try await store.write { database in
      for (person, salt) in rows {
        try database.execute(
          "INSERT OR IGNORE INTO platrium_tenants VALUES (?, ?)",
          [.text(person.tenantID), .text(person.tenantName)])
        try database.execute(
          "INSERT OR IGNORE INTO platrium_users VALUES (?, ?, ?, ?, ?, ?)",
          [
            .text(person.id), .text(person.email), .text(person.name), .text(person.tenantID),
            .blob(salt), .blob(Self.password(person.password, salt)),
          ])
      }
    }
  }

  /// Who has that address and that password.
  func user(email: String, password: String) async throws -> TokenServiceUser? {
    let rows = try await store.read { database in
      try database.query(
        "SELECT id, salt, password FROM platrium_users WHERE email = ?",
        [.text(email.lowercased())])
    }
    guard let row = rows.first, let salt = row.blob("salt"), let kept = row.blob("password"),
      ConstantTime.equal(Self.password(password, salt), kept), let id = row.text("id")
    else { return nil }
    return try await user(id)
  }

  /// Somebody by their id, in that tenant, or in their own.
  func user(_ id: String, tenant: String? = nil) async throws -> TokenServiceUser? {
    try await store.read { database in
      try database.query(
        """
        SELECT platrium_users.id, email, platrium_users.name, platrium_tenants.id AS tenant,
          platrium_tenants.name AS tenant_name
        FROM platrium_users JOIN platrium_tenants ON platrium_tenants.id = COALESCE(?, tenant)
        WHERE platrium_users.id = ?
        """, [.optional(tenant), .text(id)]
      ).first.map(TokenServiceUser.init)
    }
  }

  private static func password(_ text: String, _ salt: [UInt8]) -> [UInt8] {
    HMAC.sha256(key: salt, message: Array(text.utf8))
  }

  // MARK: Browser sessions

  /// Starts a browser's session; without a user it only ties forms to the browser.
  func insertSession(_ cookie: String, user: String?, until: Date) async throws {
    try await store.write { database in
      try database.execute(
        "INSERT INTO platrium_sessions VALUES (?, ?, ?)",
        [Self.digest(cookie), .optional(user), .time(until)])
    }
  }

  /// Whether the cookie is known, and who it stands for.
  func session(_ cookie: String, now: Date) async throws -> (isKnown: Bool, user: String?) {
    let row = try await store.read { database in
      try database.query(
        "SELECT user FROM platrium_sessions WHERE hash = ? AND until > ?",
        [Self.digest(cookie), .time(now)]
      ).first
    }
    return (row != nil, row?.text("user"))
  }

  func deleteSession(_ cookie: String) async throws {
    try await store.write { database in
      try database.execute(
        "DELETE FROM platrium_sessions WHERE hash = ?", [Self.digest(cookie)])
    }
  }

  // MARK: Codes

  func insertCode(
    _ code: String, user: String, question: ClientQuestion, until: Date
  ) async throws {
    try await store.write { database in
      try database.execute(
        "INSERT INTO platrium_codes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
          .text(Self.approvalCodes), Self.digest(code), .text(user),
          .text(question.codeChallenge), .text(question.redirectURI), .text(question.name),
          .optional(question.platform), .optional(question.appVersion), .time(until),
        ])
    }
  }

  /// Takes a code out, whatever comes of it (P18).
  func burnCode(_ code: String) async throws -> ApprovedCode? {
    try await store.write { database in
      try database.query(
        "DELETE FROM platrium_codes WHERE namespace = ? AND hash = ? RETURNING *",
        [.text(Self.approvalCodes), Self.digest(code)]
      ).first.map(ApprovedCode.init)
    }
  }
}

/// Somebody, with the tenant their sessions act in.
struct TokenServiceUser: Sendable, Equatable {
  let id: String
  let email: String
  let name: String
  let tenantID: String
  let tenantName: String

  init(_ row: SQLiteRow) {
    id = row.text("id") ?? ""
    email = row.text("email") ?? ""
    name = row.text("name") ?? ""
    tenantID = row.text("tenant") ?? ""
    tenantName = row.text("tenant_name") ?? ""
  }
}

/// What a code stood for.
struct ApprovedCode: Sendable {
  let user: String
  let challenge: String
  let redirectURI: String
  let name: String
  let platform: String?
  let appVersion: String?
  let until: Date

  init(_ row: SQLiteRow) {
    user = row.text("user") ?? ""
    challenge = row.text("challenge") ?? ""
    redirectURI = row.text("redirect") ?? ""
    name = row.text("name") ?? ""
    platform = row.text("platform")
    appVersion = row.text("app_version")
    until = row.time("until")
  }
}

import Foundation
import OpenSSLCrypto
import SQLiteDatabase

/// What one authorization server keeps across a restart.
///
/// Several servers share the network's file; each row names its issuer. Of codes, tokens and
/// cookies only digests are kept: nothing in the file can be used against the server.
package struct AuthorizationStore: Sendable {
  let store: SandboxStore
  let issuer: String

  /// The tables, in the order in which the network's store is to make them.
  package static let migrations = [
    """
    CREATE TABLE auth_secret (
      issuer TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY (issuer, name)) STRICT;
    CREATE TABLE auth_request (
      issuer TEXT NOT NULL, id TEXT NOT NULL, parameters TEXT NOT NULL,
      device TEXT, did TEXT, code TEXT, expires INTEGER NOT NULL,
      PRIMARY KEY (issuer, id)) STRICT;
    CREATE UNIQUE INDEX auth_request_code ON auth_request (issuer, code);
    CREATE TABLE auth_session (
      number INTEGER PRIMARY KEY AUTOINCREMENT, issuer TEXT NOT NULL, did TEXT NOT NULL,
      client TEXT NOT NULL, client_key TEXT, device TEXT, scope TEXT NOT NULL,
      thumbprint TEXT NOT NULL,
      code TEXT NOT NULL, token TEXT NOT NULL, refresh TEXT, created INTEGER NOT NULL,
      refreshed INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT;
    CREATE UNIQUE INDEX auth_session_token ON auth_session (issuer, token);
    CREATE INDEX auth_session_refresh ON auth_session (issuer, refresh);
    CREATE INDEX auth_session_code ON auth_session (issuer, code);
    CREATE TABLE auth_spent_refresh (
      issuer TEXT NOT NULL, refresh TEXT NOT NULL,
      session INTEGER NOT NULL REFERENCES auth_session (number) ON DELETE CASCADE,
      PRIMARY KEY (issuer, refresh)) STRICT;
    CREATE INDEX auth_spent_refresh_session ON auth_spent_refresh (session);
    CREATE TABLE auth_spent_challenge (
      issuer TEXT NOT NULL, challenge TEXT NOT NULL, until INTEGER NOT NULL,
      PRIMARY KEY (issuer, challenge)) STRICT;
    CREATE TABLE auth_device (
      issuer TEXT NOT NULL, id TEXT NOT NULL, cookie TEXT NOT NULL,
      PRIMARY KEY (issuer, id)) STRICT;
    CREATE TABLE auth_sign_in (
      issuer TEXT NOT NULL, device TEXT NOT NULL, request TEXT NOT NULL, did TEXT NOT NULL,
      at INTEGER NOT NULL, PRIMARY KEY (issuer, device, request, did)) STRICT;
    """
  ]

  /// The form in which a secret is kept.
  static func digest(_ secret: String) -> SQLiteValue {
    .text(Hex.text(Digest.sha256(secret.utf8)))
  }

  /// A secret of the server's own, drawn at the first call and the same ever after.
  func secret(_ name: String, drawn: [UInt8]) async throws -> [UInt8] {
    try await store.write { [issuer] database in
      try database.execute(
        "INSERT OR IGNORE INTO auth_secret (issuer, name, value) VALUES (?, ?, ?)",
        [.text(issuer), .text(name), .blob(drawn)])
      let rows = try database.query(
        "SELECT value FROM auth_secret WHERE issuer = ? AND name = ?",
        [.text(issuer), .text(name)])
      return rows.first?.blob("value") ?? drawn
    }
  }
}

extension SQLiteValue {
  /// Milliseconds since 1970, the way every time here is kept.
  static func time(_ date: Date) -> Self {
    .integer(Int64((date.timeIntervalSince1970 * 1000).rounded()))
  }

  /// A text, or null.
  static func optional(_ text: String?) -> Self { text.map { .text($0) } ?? .null }
}

extension SQLiteRow {
  /// A time kept by `SQLiteValue.time`; 1970 when the column holds none.
  func time(_ column: String) -> Date {
    Date(timeIntervalSince1970: TimeInterval(integer(column) ?? 0) / 1000)
  }
}

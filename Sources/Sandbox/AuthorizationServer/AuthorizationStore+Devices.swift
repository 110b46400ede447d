import Foundation
import SQLiteDatabase

extension AuthorizationStore {
  /// How long a remembered sign-in spares the password.
  private static let remembered: TimeInterval = 7 * 24 * 60 * 60

  /// Whether this browser was given this cookie.
  func knowsDevice(_ id: String, cookie: String) async throws -> Bool {
    try await store.read { [issuer] database in
      try !database.query(
        "SELECT 1 FROM auth_device WHERE issuer = ? AND id = ? AND cookie = ?",
        [.text(issuer), .text(id), Self.digest(cookie)]
      ).isEmpty
    }
  }

  func insertDevice(_ id: String, cookie: String) async throws {
    try await store.write { [issuer] database in
      try database.execute(
        "INSERT INTO auth_device (issuer, id, cookie) VALUES (?, ?, ?)",
        [.text(issuer), .text(id), Self.digest(cookie)])
    }
  }

  /// Notes that a person proved who they are in this browser, for one request and, where it is
  /// remembered, for later ones too.
  func insertSignIn(
    device: String, request: String, did: String, isRemembered: Bool, now: Date
  ) async throws {
    try await store.write { [issuer] database in
      try database.execute(
        "DELETE FROM auth_sign_in WHERE issuer = ? AND device = ? AND request = ?",
        [.text(issuer), .text(device), .text(request)])
      for row in isRemembered ? [request, ""] : [request] {
        try database.execute(
          """
          INSERT OR REPLACE INTO auth_sign_in (issuer, device, request, did, at)
          VALUES (?, ?, ?, ?, ?)
          """, [.text(issuer), .text(device), .text(row), .text(did), .time(now)])
      }
    }
  }

  /// Who signed in for this request.
  func signedIn(device: String, request: String) async throws -> String? {
    try await store.read { [issuer] database in
      try database.query(
        "SELECT did FROM auth_sign_in WHERE issuer = ? AND device = ? AND request = ?",
        [.text(issuer), .text(device), .text(request)]
      ).first?.text("did")
    }
  }

  /// Whom this browser remembers, in the order of their first sign-in.
  func rememberedSignIns(device: String, now: Date) async throws -> [String] {
    try await store.read { [issuer] database in
      try database.query(
        """
        SELECT did FROM auth_sign_in
        WHERE issuer = ? AND device = ? AND request = '' AND at > ? ORDER BY at, did
        """,
        [.text(issuer), .text(device), .time(now.addingTimeInterval(-Self.remembered))]
      ).compactMap { $0.text("did") }
    }
  }
}

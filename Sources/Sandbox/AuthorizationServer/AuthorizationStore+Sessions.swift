import Foundation
import SQLiteDatabase

/// One grant in use: its current access token, its current refresh token.
struct AuthorizationSession: Sendable {
  let number: Int64
  let did: String
  let clientID: String
  /// The key of a confidential client.
  let clientKey: String?
  let device: String?
  /// The items granted, `include:` not expanded.
  let scope: [String]
  let thumbprint: String
  let createdAt: Date
  let refreshedAt: Date
  /// The end of the current access token.
  let expiresAt: Date

  fileprivate init(_ row: SQLiteRow) {
    number = row.integer("number") ?? 0
    did = row.text("did") ?? ""
    clientID = row.text("client") ?? ""
    clientKey = row.text("client_key")
    device = row.text("device")
    scope = ScopeText.items(row.text("scope") ?? "")
    thumbprint = row.text("thumbprint") ?? ""
    createdAt = row.time("created")
    refreshedAt = row.time("refreshed")
    expiresAt = row.time("expires")
  }
}

/// The secrets a session is known by after being made or refreshed.
struct SessionTokens: Sendable {
  /// The access token's `jti`.
  let tokenID: String
  let refreshToken: String?
  let now: Date
  let expiresAt: Date
}

extension AuthorizationStore {
  /// Starts a session from an allowed request.
  func insertSession(
    _ request: AuthorizationRequest, did: String, code: String, thumbprint: String,
    tokens: SessionTokens
  ) async throws {
    try await store.write { [issuer] database in
      try database.execute(
        """
        INSERT INTO auth_session
          (issuer, did, client, client_key, device, scope, thumbprint, code, token, refresh,
           created, refreshed, expires)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          .text(issuer), .text(did), .text(request.parameters.clientID),
          .optional(request.parameters.clientKey),
          .optional(request.device), .text(request.parameters.scope.joined(separator: " ")),
          .text(thumbprint), Self.digest(code), .text(tokens.tokenID),
          tokens.refreshToken.map(Self.digest) ?? .null, .time(tokens.now), .time(tokens.now),
          .time(tokens.expiresAt),
        ])
    }
  }

  /// Exchanges a refresh token for new ones, all in one transaction.
  ///
  /// `decide` looks at the session and says why not, or what the new tokens are. It runs inside the
  /// transaction; a refusal deletes the session, as does a spent token.
  func rotate(
    refreshToken: String,
    decide:
      @escaping @Sendable (AuthorizationSession) -> Result<SessionTokens, OAuthRefusal>
  ) async throws -> Result<(AuthorizationSession, SessionTokens), OAuthRefusal> {
    try await store.write { [issuer] database in
      let digest = Self.digest(refreshToken)
      let rows = try database.query(
        "SELECT * FROM auth_session WHERE issuer = ? AND refresh = ?", [.text(issuer), digest])
      guard let session = rows.first.map(AuthorizationSession.init) else {
        let spent = try Self.session(database, issuer, spent: digest)
        guard let spent else { return .failure(.invalidGrant("Invalid refresh token")) }
        try Self.endSession(database, spent)
        return .failure(.invalidGrant("Refresh token replayed"))
      }
      switch decide(session) {
      case .failure(let refusal):
        try Self.endSession(database, session.number)
        return .failure(refusal)
      case .success(let tokens):
        try database.execute(
          "INSERT INTO auth_spent_refresh (issuer, refresh, session) VALUES (?, ?, ?)",
          [.text(issuer), digest, .integer(session.number)])
        try database.execute(
          """
          UPDATE auth_session SET token = ?, refresh = ?, refreshed = ?, expires = ?
          WHERE number = ?
          """,
          [
            .text(tokens.tokenID), tokens.refreshToken.map(Self.digest) ?? .null,
            .time(tokens.now), .time(tokens.expiresAt), .integer(session.number),
          ])
        return .success((session, tokens))
      }
    }
  }

  /// The session whose current access token has this id.
  func session(tokenID: String) async throws -> AuthorizationSession? {
    try await store.read { [issuer] database in
      try database.query(
        "SELECT * FROM auth_session WHERE issuer = ? AND token = ?",
        [.text(issuer), .text(tokenID)]
      ).first.map(AuthorizationSession.init)
    }
  }

  /// The session a refresh token belongs to, a spent one too (atproto-wire §9).
  func session(refreshToken: String) async throws -> AuthorizationSession? {
    try await store.read { [issuer] database in
      let digest = Self.digest(refreshToken)
      return try database.query(
        """
        SELECT * FROM auth_session WHERE issuer = ?1 AND (refresh = ?2 OR number =
          (SELECT session FROM auth_spent_refresh WHERE issuer = ?1 AND refresh = ?2))
        """, [.text(issuer), digest]
      ).first.map(AuthorizationSession.init)
    }
  }

  func endSession(_ session: AuthorizationSession) async throws {
    try await store.write { database in try Self.endSession(database, session.number) }
  }

  /// Ends every session of an account, as a takedown or a sign-out everywhere does.
  func endSessions(did: String) async throws {
    try await store.write { [issuer] database in
      try database.execute(
        "DELETE FROM auth_session WHERE issuer = ? AND did = ?", [.text(issuer), .text(did)])
    }
  }

  // MARK: Within one transaction

  /// Ends what a code was used for when it comes a second time, the browser's sign-in included.
  static func endSession(
    _ database: SQLiteConnection, _ issuer: String, spentCode: String
  ) throws {
    let rows = try database.query(
      "SELECT * FROM auth_session WHERE issuer = ? AND code = ?",
      [.text(issuer), digest(spentCode)])
    for session in rows.map(AuthorizationSession.init) {
      try endSession(database, session.number)
      try database.execute(
        "DELETE FROM auth_sign_in WHERE issuer = ? AND device = ? AND did = ?",
        [.text(issuer), .optional(session.device), .text(session.did)])
    }
  }

  private static func endSession(_ database: SQLiteConnection, _ number: Int64) throws {
    try database.execute("DELETE FROM auth_session WHERE number = ?", [.integer(number)])
  }

  private static func session(
    _ database: SQLiteConnection, _ issuer: String, spent digest: SQLiteValue
  ) throws -> Int64? {
    try database.query(
      "SELECT session FROM auth_spent_refresh WHERE issuer = ? AND refresh = ?",
      [.text(issuer), digest]
    ).first?.integer("session")
  }
}

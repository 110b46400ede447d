import ATSyntax
import Foundation
import SQLiteDatabase

/// A pushed request on its way through the browser.
struct AuthorizationRequest: Sendable {
  let id: String
  let parameters: AuthorizationParameters
  /// The browser that opened it first.
  let device: String?
  /// Who allowed it; set together with the code.
  let did: String?
  let expiresAt: Date

  fileprivate init(_ row: SQLiteRow) throws {
    id = row.text("id") ?? ""
    parameters = try AuthorizationParameters(text: row.text("parameters") ?? "")
    device = row.text("device")
    did = row.text("did")
    expiresAt = row.time("expires")
  }
}

/// Why a request does not go on: the person is sent back with `access_denied` and the request is
/// gone, with any code issued for it.
struct RequestDenial: Error {
  let parameters: AuthorizationParameters
  let reason: String
}

extension AuthorizationStore {
  /// How long an expired request is still answered by a redirect.
  private static let grace: TimeInterval = 10 * 60

  /// Keeps a new request and clears out those long expired.
  func insertRequest(
    id: String, parameters: AuthorizationParameters, expiresAt: Date, now: Date
  ) async throws {
    let text = try parameters.text()
    try await store.write { [issuer] database in
      try database.execute(
        "DELETE FROM auth_request WHERE issuer = ? AND expires < ?",
        [.text(issuer), .time(now.addingTimeInterval(-Self.grace))])
      try database.execute(
        "INSERT INTO auth_request (issuer, id, parameters, expires) VALUES (?, ?, ?, ?)",
        [.text(issuer), .text(id), .text(text), .time(expiresAt)])
    }
  }

  /// The request as it is shown to a browser, which is tied to it from now on, and which moves its
  /// expiry to `until`; `nil` when no such request is known.
  ///
  /// It is denied, with `RequestDenial`, when it is used up, expired, another browser's, or not the
  /// client's whom the page's address names.
  func openRequest(
    id: String, device: String, clientID: String, until: Date, now: Date
  ) async throws -> AuthorizationRequest? {
    let opened = try await store.write {
      [issuer] database -> (AuthorizationRequest, String?)? in
      guard let request = try Self.request(database, issuer, id) else { return nil }
      let problem = Self.problem(request, device: device, clientID: clientID, now: now)
      if problem == nil {
        try database.execute(
          "UPDATE auth_request SET device = ?, expires = ? WHERE issuer = ? AND id = ?",
          [.text(device), .time(until), .text(issuer), .text(id)])
      } else {
        try Self.deleteRequest(database, issuer, id)
      }
      return (request, problem)
    }
    guard let (request, problem) = opened else { return nil }
    if let problem { throw RequestDenial(parameters: request.parameters, reason: problem) }
    return request
  }

  /// Binds the request to the person who allowed it, with its code.
  func authorize(
    id: String, parameters: AuthorizationParameters, did: String, code: String, until: Date
  ) async throws {
    let text = try parameters.text()
    try await store.write { [issuer] database in
      try database.execute(
        """
        UPDATE auth_request SET parameters = ?, did = ?, code = ?, expires = ?
        WHERE issuer = ? AND id = ?
        """,
        [
          .text(text), .text(did), Self.digest(code), .time(until), .text(issuer), .text(id),
        ])
    }
  }

  func deleteRequest(id: String) async throws {
    try await store.write { [issuer] database in
      try Self.deleteRequest(database, issuer, id)
    }
  }

  /// Takes the request a code was issued for; it is gone afterwards, whatever comes of it.
  ///
  /// - Returns: `nil` for an unknown code. When a session came from that very code before, the
  ///   session and the browser's sign-in are ended (atproto-wire §7.2).
  func takeRequest(code: String) async throws -> AuthorizationRequest? {
    try await store.write { [issuer] database in
      let rows = try database.query(
        "SELECT * FROM auth_request WHERE issuer = ? AND code = ?",
        [.text(issuer), Self.digest(code)])
      if let row = rows.first {
        let request = try AuthorizationRequest(row)
        try Self.deleteRequest(database, issuer, request.id)
        return request
      }
      try Self.endSession(database, issuer, spentCode: code)
      return nil
    }
  }

  /// Whether a PKCE challenge is redeemed for the first time in a day (atproto-wire §5.1).
  func spendChallenge(_ challenge: String, now: Date) async throws -> Bool {
    try await store.write { [issuer] database in
      try database.execute("DELETE FROM auth_spent_challenge WHERE until < ?", [.time(now)])
      let known = try database.query(
        "SELECT 1 FROM auth_spent_challenge WHERE issuer = ? AND challenge = ?",
        [.text(issuer), .text(challenge)])
      guard known.isEmpty else { return false }
      try database.execute(
        "INSERT INTO auth_spent_challenge (issuer, challenge, until) VALUES (?, ?, ?)",
        [.text(issuer), .text(challenge), .time(now.addingTimeInterval(26 * 60 * 60))])
      return true
    }
  }

  // MARK: Within one transaction

  private static func problem(
    _ request: AuthorizationRequest, device: String, clientID: String, now: Date
  ) -> String? {
    if request.did != nil { return "This request was already authorized" }
    if request.expiresAt < now { return "This request has expired" }
    if clientID != request.parameters.clientID {
      return "This request was initiated for another client"
    }
    if let other = request.device, other != device {
      return "This request was initiated from another device"
    }
    return nil
  }

  private static func request(
    _ database: SQLiteConnection, _ issuer: String, _ id: String
  ) throws -> AuthorizationRequest? {
    let rows = try database.query(
      "SELECT * FROM auth_request WHERE issuer = ? AND id = ?", [.text(issuer), .text(id)])
    return try rows.first.map(AuthorizationRequest.init)
  }

  private static func deleteRequest(
    _ database: SQLiteConnection, _ issuer: String, _ id: String
  ) throws {
    try database.execute(
      "DELETE FROM auth_request WHERE issuer = ? AND id = ?", [.text(issuer), .text(id)])
    try database.execute(
      "DELETE FROM auth_sign_in WHERE issuer = ? AND request = ?", [.text(issuer), .text(id)])
  }
}

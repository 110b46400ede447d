import Foundation
import HTTPServing
import HTTPTransport
import OpenSSLCrypto
import SystemClients

/// Whose request it is: what comes after does not care by which credential (P28).
enum TokenServiceCaller: Sendable {
  /// A browser, by its cookie.
  case session(TokenServiceUser, cookie: String)
  /// Any other client, by its token.
  case token(TokenServiceUser, TokenServiceClient)

  var user: TokenServiceUser {
    switch self {
    case .session(let user, _), .token(let user, _): user
    }
  }

  /// The client whose token it is.
  var client: TokenServiceClient? {
    if case .token(_, let client) = self { client } else { nil }
  }

  /// How the credential is reported (P29).
  var kind: String { client?.kind.rawValue ?? "SESSION" }
}

extension TokenServiceContext {
  private static let sessionLife: TimeInterval = 30 * 24 * 3600

  /// Judges the credential of a request. One in `Authorization` is looked at alone: whatever is wrong with
  /// it, the cookie beside it counts for nothing (P30).
  func caller(of request: HTTPServerRequest) async throws -> TokenServiceCaller {
    let sent = request.headers.all("Authorization")
    guard sent.isEmpty else {
      let parts = sent[0].split(separator: " ", maxSplits: 1)
      guard sent.count == 1, parts.count == 2, parts[0].lowercased() == "bearer",
        let client = try await store.use(token: String(parts[1]), now: now),
        let user = try await store.user(client.user, tenant: client.tenant)
      else { throw TokenServiceRefusal.badToken }
      return .token(user, client)
    }
    guard let session = try await session(of: request) else {
      throw TokenServiceRefusal.unauthorized
    }
    return .session(session.user, cookie: session.cookie)
  }

  /// A caller with a browser session, where a token will not do (P13, P37).
  func browser(of request: HTTPServerRequest) async throws -> TokenServiceUser {
    guard case .session(let user, _) = try await caller(of: request) else {
      throw TokenServiceRefusal.tokenCannot
    }
    return user
  }

  /// Who is logged in in the browser a request comes from.
  func session(
    of request: HTTPServerRequest
  ) async throws -> (user: TokenServiceUser, cookie: String)? {
    guard let cookie = request.cookies[cookieName],
      let id = try await store.session(cookie, now: now).user,
      let user = try await store.user(id)
    else { return nil }
    return (user, cookie)
  }

  // MARK: The cookie

  /// Browsers do not tell ports apart when they send cookies, so the port is part of the name.
  private var cookieName: String {
    URL(string: origin)?.port.map { "platrium-\($0)" } ?? "platrium"
  }

  /// The cookie of the browser a request comes from, a new one for a browser not known.
  func browserCookie(_ request: HTTPServerRequest) async throws -> (cookie: String, isNew: Bool) {
    if let cookie = request.cookies[cookieName],
      try await store.session(cookie, now: now).isKnown
    {
      return (cookie, false)
    }
    return (try await newCookie(user: nil), true)
  }

  /// A new cookie for somebody who has just proved who they are, or for nobody yet.
  func newCookie(user: String?) async throws -> String {
    let cookie = Canary.marker + Hex.text(random.bytes(32))
    try await store.insertSession(cookie, user: user, until: now + Self.sessionLife)
    return cookie
  }

  /// The field that makes a browser keep a cookie, or (`nil`) forget it.
  func setting(_ cookie: String?) -> String {
    let secure = origin.hasPrefix("https:") ? "; Secure" : ""
    let life = cookie == nil ? 0 : Int(Self.sessionLife)
    return "\(cookieName)=\(cookie ?? ""); Path=/; Max-Age=\(life); HttpOnly; SameSite=Lax\(secure)"
  }

  // MARK: Foreign forms

  /// The value a form carries to show that it was served to the browser with this cookie.
  func formToken(_ cookie: String) -> String {
    Hex.text(HMAC.sha256(key: Array(cookie.utf8), message: Array("form".utf8)))
  }

  /// Refuses a request that another site made a browser send: forms of other sites lack the token, and
  /// scripts of other sites cannot send JSON here without being asked about first.
  func checkOrigin(_ request: HTTPServerRequest) throws(TokenServiceRefusal) {
    let site = request.headers["Sec-Fetch-Site"] ?? "same-origin"
    guard site == "same-origin", (request.headers["Origin"] ?? origin) == origin else {
      throw .foreignForm
    }
  }
}

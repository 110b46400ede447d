import Foundation
import HTTPServing
import JOSE
import OpenSSLCrypto
import StrictJSON

/// `POST /oauth/token`: codes and refresh tokens against access tokens.
///
/// The order of the checks is the reference server's: all that a client may safely repeat (body,
/// proof, nonce, client document) comes before the code or refresh token is taken
/// (atproto-wire §8.2).
struct TokenEndpoint: Sendable {
  let server: AuthorizationContext

  /// - Returns: the members of the token answer.
  /// - Throws: `OAuthRefusal`, or a store error.
  func answer(_ request: HTTPServerRequest) async throws -> JSONObject {
    let body = try OAuthBody(request)
    let clientID = try body.clientID(or: OAuthRefusal.invalidGrant)
    let fields: TokenFields
    do throws(FieldComplaint) { fields = try TokenFields(body) } catch {
      throw OAuthRefusal.invalidGrant("Invalid token request: \(error.words)")
    }
    let proof = try server.proof(of: request, path: "/oauth/token")
    let (client, key) = try await server.authenticated(clientID, body, proof: proof)
    guard let proof else { throw OAuthRefusal.invalidProof("DPoP proof required") }
    let type = fields.grantType
    guard type == "authorization_code" || type == "refresh_token" else {
      throw OAuthRefusal.invalidGrant("Grant type \"\(type)\" is not supported by the server")
    }
    guard client.grantTypes.contains(type) else {
      throw OAuthRefusal.invalidGrant("\"\(type)\" grant type is not allowed for this client")
    }
    if type == "authorization_code" {
      return try await redeem(fields, client: client, key: key, proof: proof)
    }
    return try await refresh(fields, client: client, key: key, proof: proof)
  }

  // MARK: Code

  private func redeem(
    _ fields: TokenFields, client: ClientDocument, key: String?, proof: DPoPProof
  ) async throws -> JSONObject {
    guard let code = fields.code, SecretText.isCode(code) else {
      throw OAuthRefusal.invalidGrant("Invalid code: Invalid code format")
    }
    guard let request = try await server.store.takeRequest(code: code), let did = request.did
    else { throw OAuthRefusal.invalidGrant("Invalid code") }
    let parameters = request.parameters
    let now = server.now
    guard request.expiresAt >= now else {
      throw OAuthRefusal.invalidGrant("This code has expired")
    }
    guard parameters.clientID == client.id else {
      throw OAuthRefusal.invalidGrant("Token was not issued to this client")
    }
    guard parameters.clientKey == key else { throw OAuthRefusal.otherAuthentication }
    guard parameters.thumbprint == nil || parameters.thumbprint == proof.thumbprint else {
      throw OAuthRefusal.wrongKey
    }
    guard parameters.redirectURI == fields.redirectURI else {
      throw OAuthRefusal.invalidGrant(
        "The redirect_uri parameter must match the one used in the authorization request")
    }
    try check(verifier: fields.verifier, challenge: parameters.challenge)
    guard try await server.store.spendChallenge(parameters.challenge, now: now) else {
      throw OAuthRefusal.invalidGrant("Code challenge already used")
    }
    let tokens = newTokens(
      sessionEnd: now.addingTimeInterval(server.lifetimes(for: client).session.seconds), now: now,
      isRefreshable: client.grantTypes.contains("refresh_token"))
    try await server.store.insertSession(
      request, did: did, code: code, thumbprint: proof.thumbprint, tokens: tokens)
    return try await members(
      did: did, clientID: client.id, scope: parameters.scope, thumbprint: proof.thumbprint,
      tokens: tokens)
  }

  private func check(verifier: String?, challenge: String) throws(OAuthRefusal) {
    guard let verifier else { throw .invalidGrant("code_verifier is required") }
    guard Base64URL.encode(Digest.sha256(verifier.utf8)) == challenge else {
      throw .invalidGrant("Invalid code_verifier")
    }
  }

  // MARK: Refresh

  private func refresh(
    _ fields: TokenFields, client: ClientDocument, key: String?, proof: DPoPProof
  ) async throws -> JSONObject {
    if let fault = server.faults.takeRefreshRefusal() {
      throw OAuthRefusal(
        status: fault.status, error: fault.error, description: fault.description)
    }
    guard let token = fields.refreshToken, SecretText.isRefreshToken(token) else {
      throw OAuthRefusal.invalidGrant("Invalid refresh token: Invalid refresh token format")
    }
    let now = server.now
    let outcome = try await server.store.rotate(refreshToken: token) { session in
      do throws(OAuthRefusal) {
        return .success(try rotated(session, client: client, key: key, proof: proof, now: now))
      } catch {
        return .failure(error)
      }
    }
    let (session, tokens) = try outcome.get()
    do {
      return try await members(
        did: session.did, clientID: client.id, scope: session.scope,
        thumbprint: session.thumbprint, tokens: tokens)
    } catch {
      // Whatever goes wrong once the token was taken ends the session.
      try await server.store.endSession(session)
      throw error
    }
  }

  private func rotated(
    _ session: AuthorizationSession, client: ClientDocument, key: String?, proof: DPoPProof,
    now: Date
  ) throws(OAuthRefusal) -> SessionTokens {
    let lifetimes = server.lifetimes(for: client)
    guard session.clientID == client.id else {
      throw .invalidGrant("Token was not issued to this client")
    }
    guard session.clientKey == key else { throw .otherAuthentication }
    guard session.thumbprint == proof.thumbprint else { throw .wrongKey }
    guard now.timeIntervalSince(session.refreshedAt) <= lifetimes.refreshToken.seconds else {
      throw .invalidGrant("Refresh token expired")
    }
    let end = session.createdAt.addingTimeInterval(lifetimes.session.seconds)
    guard end.timeIntervalSince(now) > 0.25 else { throw .invalidGrant("Session expired") }
    return newTokens(sessionEnd: end, now: now, isRefreshable: true)
  }

  // MARK: Answer

  private func newTokens(sessionEnd: Date, now: Date, isRefreshable: Bool) -> SessionTokens {
    let expiry = now.addingTimeInterval(server.lifetimes.accessToken.seconds)
    return SessionTokens(
      tokenID: SecretText.newTokenID(server.random),
      refreshToken: isRefreshable ? SecretText.newRefreshToken(server.random) : nil, now: now,
      expiresAt: min(expiry, sessionEnd))
  }

  private func members(
    did: String, clientID: String, scope: [String], thumbprint: String, tokens: SessionTokens
  ) async throws -> JSONObject {
    guard let account = await server.accounts.account(did) else {
      throw OAuthRefusal.invalidGrant("Invalid refresh token")
    }
    let granted = server.permissionSets.expanded(scope).joined(separator: " ")
    let token = AccessToken(
      jti: tokens.tokenID, sub: did, iat: Int(tokens.now.timeIntervalSince1970),
      exp: Int(tokens.expiresAt.timeIntervalSince1970),
      aud: AccessToken.audience(of: account.pds), cnf: .init(jkt: thumbprint),
      clientID: clientID, iss: server.issuer, scope: granted)
    let text = try token.sealed(key: await server.secrets.tokenKey())
    let remaining = tokens.expiresAt.timeIntervalSince(server.now).rounded(.down)
    var members: JSONObject = ["access_token": .string(text), "token_type": "DPoP"]
    if let refresh = tokens.refreshToken { members["refresh_token"] = .string(refresh) }
    members["scope"] = .string(granted)
    members["expires_in"] = .number(JSONNumber(Int(remaining)))
    members["sub"] = .string(did)
    let faults = server.faults.current
    for (name, value) in faults.tokenMembers { members[name] = value }
    for name in faults.missingTokenMembers { members[name] = nil }
    return members
  }
}

extension OAuthRefusal {
  /// The client showed itself in another way than when it asked for the grant.
  fileprivate static let otherAuthentication = Self.invalidGrant(
    "Client authentication mismatch")

  /// Another key than the grant is bound to.
  fileprivate static let wrongKey = Self.invalidGrant(
    "DPoP proof does not match the expected JKT")
}

/// The fields of a token request, each of the right form for its grant.
struct TokenFields: Sendable {
  let grantType: String
  let code: String?
  let redirectURI: String?
  let verifier: String?
  let refreshToken: String?

  init(_ body: OAuthBody) throws(FieldComplaint) {
    grantType = try body.required("grant_type")
    let isCode = grantType == "authorization_code"
    code = isCode ? try body.required("code") : nil
    redirectURI = isCode ? try body.required("redirect_uri") : nil
    refreshToken = grantType == "refresh_token" ? try body.required("refresh_token") : nil
    verifier = isCode ? try body.text("code_verifier") : nil
    if let verifier, verifier.wholeMatch(of: /[A-Za-z0-9._~-]{43,128}/) == nil {
      throw FieldComplaint("Invalid code_verifier format", field: "code_verifier")
    }
  }
}

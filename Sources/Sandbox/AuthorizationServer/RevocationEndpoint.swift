import HTTPServing
import StrictJSON

/// `POST /oauth/revoke`: ends the session a token belongs to.
///
/// 200 is no proof of anything: an unknown token, another client's, another key or no proof at all
/// are answered the same way and change nothing (RFC 7009 §2.2, atproto-wire §9).
struct RevocationEndpoint: Sendable {
  let server: AuthorizationContext

  /// - Throws: `OAuthRefusal` for a broken body, a broken proof or a missing nonce.
  func answer(_ request: HTTPServerRequest) async throws -> JSONObject {
    let body = try OAuthBody(request)
    let clientID = try body.clientID(or: OAuthRefusal.invalidRequest)
    let token: String
    do throws(FieldComplaint) { token = try Self.token(body) } catch {
      throw OAuthRefusal.invalidRequest("Invalid token identification: \(error.words)")
    }
    if let proof = try server.proof(of: request, path: "/oauth/revoke") {
      try await revoke(token, clientID: clientID, body, proof: proof)
    }
    return [:]
  }

  private func revoke(
    _ token: String, clientID: String, _ body: OAuthBody, proof: DPoPProof
  ) async throws {
    let key: String?
    do { key = try await server.authenticated(clientID, body, proof: proof).key } catch { return }
    guard let session = try await session(of: token), session.clientID == clientID,
      session.clientKey == key, session.thumbprint == proof.thumbprint
    else { return }
    try await server.store.endSession(session)
  }

  private func session(of token: String) async throws -> AuthorizationSession? {
    if SecretText.isRefreshToken(token) {
      return try await server.store.session(refreshToken: token)
    }
    let key = try await server.secrets.tokenKey()
    let claims: AccessToken
    do { claims = try AccessToken.open(token, key: key) } catch { return nil }
    return try await server.store.session(tokenID: claims.jti)
  }

  private static func token(_ body: OAuthBody) throws(FieldComplaint) -> String {
    let token = try body.required("token")
    if let hint = try body.text("token_type_hint"),
      hint != "access_token", hint != "refresh_token"
    {
      throw FieldComplaint("Invalid enum value", field: "token_type_hint")
    }
    return token
  }
}

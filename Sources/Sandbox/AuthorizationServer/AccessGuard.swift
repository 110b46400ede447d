import ATSyntax
import Foundation
import HTTPServing
import HTTPTransport
import StrictJSON

/// The resource server's half: whether a request may act for an account.
///
/// The order is the reference server's (atproto-wire §10.2): `Authorization` syntax, proof with
/// nonce, `ath` and replay, token seal and expiry, key binding, token still stored, audience,
/// `atproto` scope. At the issuer's own origin a token dies with its session; at another origin,
/// behind an entryway, it is good until it expires.
struct AccessGuard: Sendable {
  let server: AuthorizationContext
  let judge: DPoPJudge
  /// The resource server's public URL.
  let publicURL: URL
  /// Its origin, as issuers are written.
  let origin: String

  /// - Throws: a store error; every refusal is a verdict.
  func verdict(_ request: HTTPServerRequest) async throws -> AccessVerdict {
    let token: String
    switch AuthorizationHeader(request.headers["Authorization"]) {
    case .dpop(let text): token = text
    case .refused(let response): return .refused(response)
    }
    do {
      let claims = try await verified(token, request)
      guard let did = Self.did(claims.sub) else { throw OAuthRefusal.invalidToken("Invalid token") }
      return .granted(
        AccessGrant(
          did: did, scopes: ScopeText.items(claims.scope), clientID: claims.clientID,
          dpopNonce: nextNonce()))
    } catch let refusal as OAuthRefusal {
      return .refused(Self.challenge(refusal, nonce: nextNonce()))
    }
  }

  /// Drawn after the judgement: where every answer has a new nonce, this one would void the
  /// request's own.
  private func nextNonce() -> String {
    judge.nonces.next(
      now: server.now, rotation: server.faults.current.nonceRotation)
  }

  private func verified(
    _ token: String, _ request: HTTPServerRequest
  ) async throws -> AccessToken {
    let proof = try proof(of: request, token: token)
    let claims = try await opened(token)
    guard let proof else { throw OAuthRefusal.invalidProof("DPoP proof required") }
    guard claims.cnf.jkt == proof.thumbprint else { throw OAuthRefusal.invalidKeyBinding }
    if origin == server.issuer {
      guard let session = try await server.store.session(tokenID: claims.jti) else {
        throw OAuthRefusal.invalidToken("Invalid token")
      }
      guard session.expiresAt >= server.now else {
        throw OAuthRefusal.invalidToken("Token expired")
      }
    }
    guard claims.aud == AccessToken.audience(of: publicURL) else {
      throw OAuthRefusal.invalidToken("Invalid audience")
    }
    guard ScopeText.items(claims.scope).contains("atproto") else {
      throw OAuthRefusal.invalidToken("Invalid scope")
    }
    return claims
  }

  private func proof(
    of request: HTTPServerRequest, token: String
  ) throws(OAuthRefusal) -> DPoPProof? {
    do {
      return try judge.judge(
        fields: request.headers.all("DPoP"), method: request.method, url: origin + request.path,
        accessToken: token, now: server.now,
        rotation: server.faults.current.nonceRotation)
    } catch {
      // The same refusal as at the authorization server, but every one of them is a 401 here.
      let refusal = OAuthRefusal(error)
      throw OAuthRefusal(
        status: 401, error: refusal.error, description: refusal.description, isChallenge: true)
    }
  }

  private func opened(_ token: String) async throws -> AccessToken {
    let key = try await server.secrets.tokenKey()
    let claims: AccessToken
    do throws(AccessToken.Failure) { claims = try AccessToken.open(token, key: key) } catch {
      throw OAuthRefusal.invalidToken(
        error == .malformed ? "Malformed token" : "signature verification failed")
    }
    guard claims.exp > Int(server.now.timeIntervalSince1970) else {
      throw OAuthRefusal.invalidToken("\"exp\" claim timestamp check failed")
    }
    return claims
  }

  private static func did(_ text: String) -> DID? {
    do { return try DID(text) } catch { return nil }
  }

  /// A refusal in XRPC's spelling: `message` for the text, a challenge, and the nonce to use.
  private static func challenge(_ refusal: OAuthRefusal, nonce: String) -> HTTPServerResponse {
    var response = AuthorizationHeader.xrpc(
      refusal.status, refusal.error, refusal.description)
    response.headers["WWW-Authenticate"] = refusal.challenge
    response.headers["DPoP-Nonce"] = nonce
    response.headers["Access-Control-Expose-Headers"] = "DPoP-Nonce, WWW-Authenticate"
    return response
  }
}

import Foundation
import OAuth
package import OpenSSLCrypto

/// What is needed to end a grant at its server, and nothing else; it can wait in a queue (G103).
///
/// The key belongs to it: a server answers 200 to a revocation without a proof and revokes nothing.
package struct Revocation: Sendable {
  let endpoint: URL
  let clientID: String
  let token: Secret
  let isRefreshToken: Bool
  let dpopKey: P256PrivateKey

  init(endpoint: URL, clientID: String, tokens: TokenSet, dpopKey: P256PrivateKey) {
    self.endpoint = endpoint
    self.clientID = clientID
    token = tokens.refreshToken ?? tokens.accessToken
    isRefreshToken = tokens.refreshToken != nil
    self.dpopKey = dpopKey
  }

  /// The revocation of what an attempt's server issued, usable or not.
  ///
  /// - Returns: `nil` where it issued nothing, or offers no revocation.
  init?(ofTokensIn answer: TokenEndpointClient.Answer, for attempt: AuthorizationAttempt) {
    guard let endpoint = attempt.revocationEndpoint,
      let issued = TokenResponse.issued(in: answer.response)
    else { return nil }
    self.endpoint = endpoint
    clientID = attempt.client.clientID
    token = issued.token
    isRefreshToken = issued.isRefreshToken
    dpopKey = attempt.dpopKey
  }

  /// The revocation of a grant, or `nil` where its server offers none.
  ///
  /// The refresh token is named: unlike an access token it identifies the grant even after it was
  /// superseded.
  package init?(of grant: Grant) {
    guard let endpoint = grant.revocationEndpoint else { return nil }
    self.init(
      endpoint: endpoint, clientID: grant.clientID, tokens: grant.tokens, dpopKey: grant.dpopKey)
  }

  private static let kind = "atproto.revocation"

  /// The revocation as bytes for the vault.
  package func sealable() -> Secret {
    var document = StoredDocument(kind: Self.kind)
    document.set("endpoint", endpoint.absoluteString)
    document.set("clientID", clientID)
    document.set(isRefreshToken ? "refreshToken" : "accessToken", token)
    document.set("dpopKey", dpopKey)
    return document.sealable
  }

  /// The revocation that ``sealable()`` wrote.
  ///
  /// - Throws: ``DamagedRecord`` when the bytes are something else.
  package init(unsealed bytes: Secret) throws(DamagedRecord) {
    let document = try StoredDocument(bytes, kind: Self.kind)
    endpoint = try document.url("endpoint")
    clientID = try document.text("clientID")
    let refreshToken = document.optionalSecret("refreshToken")
    isRefreshToken = refreshToken != nil
    if let refreshToken { token = refreshToken } else { token = try document.secret("accessToken") }
    dpopKey = try document.key("dpopKey")
  }
}

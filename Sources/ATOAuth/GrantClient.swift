import ATSyntax
package import HTTPTransport
package import OAuth
import OpenSSLCrypto

/// Keeps grants alive and ends them: refresh and revocation at the endpoints stored with each grant.
///
/// Knows no account list and stores nothing. Whoever refreshes must be the only one to do so for that
/// grant: a refresh token is good for one use, and a second use ends the session (FB-A5).
package struct GrantClient: Sendable {
  private let endpoints: TokenEndpointClient
  private let revocationDeadline: Duration

  /// A client over the HTTP door.
  package init(
    http: HTTPClient, environment: DPoPEnvironment, revocationDeadline: Duration = .seconds(4)
  ) {
    endpoints = TokenEndpointClient(http: http, environment: environment)
    self.revocationDeadline = revocationDeadline
  }

  /// New tokens for a grant.
  ///
  /// The answer's tokens must be on disk before anybody uses them, and the task that calls this must
  /// not be cancelled: once sent, the old refresh token may be spent (G112).
  ///
  /// - Throws: ``RefreshFailure``; an answer whose `sub` is another account ends the grant.
  package func refresh(_ grant: Grant) async throws(RefreshFailure) -> TokenSet {
    guard let refreshToken = grant.tokens.refreshToken else {
      throw .ended(error: "no_refresh_token", description: nil)
    }
    let response: TokenResponse
    do {
      let answer = try await endpoints.post(
        [
          .plain("grant_type", "refresh_token"), .plain("client_id", grant.clientID),
          .secret("refresh_token", refreshToken),
        ], to: grant.tokenEndpoint, prover: DPoPProver(key: grant.dpopKey))
      response = try TokenResponse(answer)
    } catch {
      throw RefreshFailure(error)
    }
    let tokens = grant.tokens.refreshed(by: response)
    guard response.subject == nil || response.subject == grant.did.rawValue else {
      if let revocation = Revocation(of: grant.with(tokens: tokens)) { await revoke(revocation) }
      throw .ended(error: "other_subject", description: nil)
    }
    return tokens
  }

  /// Ends a grant at its server, as far as the server and the time allow (G59).
  ///
  /// - Returns: `nil` when the server took it, else why it did not. Nothing local may depend on it.
  @discardableResult
  package func revoke(_ revocation: Revocation) async -> OAuthRequestError? {
    do {
      _ = try await endpoints.post(
        [
          .plain("client_id", revocation.clientID), .secret("token", revocation.token),
          .plain("token_type_hint", revocation.isRefreshToken ? "refresh_token" : "access_token"),
        ], to: revocation.endpoint, prover: DPoPProver(key: revocation.dpopKey),
        deadline: revocationDeadline)
      return nil
    } catch {
      return error
    }
  }
}

package import HTTPTransport
package import OpenSSLCrypto
import StrictJSON

/// The error object an OAuth endpoint answers with.
///
/// - SeeAlso: RFC 6749 §5.2
package struct OAuthErrorBody: Equatable, Sendable {
  /// The code, for programs: `invalid_grant`, `use_dpop_nonce` and so on.
  package let error: String
  /// The server's words, cleaned: one line, at most 300 characters, no secret of ours inside.
  package let description: String?
  /// Whether an authorization server speaks here, and not something in front of it whose error pages
  /// have an `error` too (G55).
  package let isOfOAuth: Bool

  /// An error with the server's words as they came.
  package init(
    error: String, description: String? = nil, hiding secrets: [Secret] = [], isOfOAuth: Bool = true
  ) {
    self.isOfOAuth = isOfOAuth
    let secrets = secrets.map { $0.revealText() }
    self.error = ServerText.clean(error, hiding: secrets, limit: 80)
    self.description = description.map { ServerText.clean($0, hiding: secrets, limit: 300) }
  }

  /// Reads a response's body.
  ///
  /// - `secrets`: what we sent; a server that echoes it must not get it into a log (FB-A34).
  ///
  /// `nil` when the body is no OAuth error object: a captive portal's page, say.
  package init?(_ response: HTTPResponse, hiding secrets: [Secret] = []) {
    guard
      case .object(let body)? = JSONValue(ofResponse: response),
      let error = body["error"]?.stringValue, !error.isEmpty
    else { return nil }
    let described = body["error_description"]?.stringValue
    let message = body["message"]
    self.init(
      error: error, description: described ?? message?.stringValue, hiding: secrets,
      isOfOAuth: Self.isOfOAuth(
        error, status: response.status, isDescribed: described != nil, hasMessage: message != nil))
  }

  /// A code of the registry counts with any status. Another one needs the form all codes have, and an
  /// answer as RFC 6749 §5.2 asks for: 400 or 401 without the `message` of a gateway, or words in
  /// `error_description`.
  private static func isOfOAuth(
    _ error: String, status: Int, isDescribed: Bool, hasMessage: Bool
  ) -> Bool {
    if registered.contains(error) { return true }
    guard let first = error.utf8.first, (0x61...0x7A).contains(first),
      error.utf8.allSatisfy({
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
      })
    else { return false }
    return isDescribed || ([400, 401].contains(status) && !hasMessage)
  }

  /// What a token endpoint may say, by the registry of OAuth's extension errors.
  private static let registered: Set = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
    "unsupported_grant_type", "invalid_scope", "access_denied", "invalid_token", "expired_token",
    "invalid_target", "invalid_client_metadata", "invalid_redirect_uri", "invalid_dpop_proof",
    "use_dpop_nonce", "temporarily_unavailable",
  ]
}

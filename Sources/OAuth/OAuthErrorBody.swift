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

  /// An error with the server's words as they came.
  package init(error: String, description: String? = nil, hiding secrets: [Secret] = []) {
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
    let description = body["error_description"] ?? body["message"]
    self.init(error: error, description: description?.stringValue, hiding: secrets)
  }
}

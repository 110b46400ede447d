import Foundation
import OAuth

extension OAuthRequestError {
  /// What the failure of a request means for a sign-in.
  ///
  /// Errors about the client itself come from servers that could not fetch or accept its document,
  /// which for a new or unreachable document is a state of its own and may pass (G68).
  func signInError(at url: URL) -> ATOAuthError {
    let host = url.hostName
    switch self {
    case .transport(let error): return .network(host: host, error)
    case .unreadable(let part): return .badResponse(host: host, part)
    case .unsignable: return .cryptography
    case .answered(let status, let error, let retryAfter):
      if let error, OAuthErrorBody.isAboutTheClient(error.error) {
        return .clientUnavailable(host: host, description: error.description)
      }
      return .server(
        host: host, status: status, error: error?.error, description: error?.description,
        retryAfter: retryAfter)
    }
  }
}

extension OAuthErrorBody {
  /// Whether an OAuth error blames the client or its document, of which a server may have fetched a
  /// faulty version; it says nothing about anybody's grant (wire §4.1).
  static func isAboutTheClient(_ error: String) -> Bool {
    error.hasPrefix("invalid_client") || error == "invalid_redirect_uri"
  }
}

extension URL {
  /// What to call the server at this URL.
  var hostName: String { host(percentEncoded: true) ?? absoluteString }
}

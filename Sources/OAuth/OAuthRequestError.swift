package import HTTPTransport

/// Why a request to an OAuth endpoint gave no result.
package enum OAuthRequestError: Error, Equatable, Sendable {
  /// No answer came.
  case transport(HTTPError)
  /// The server answered with another status than success; `error` is absent when the body is no
  /// OAuth error object, `retryAfter` when the server named no time.
  case answered(status: Int, error: OAuthErrorBody?, retryAfter: Duration?)
  /// The server reported success with a body that is not what the protocol says; which member is
  /// missing or wrong.
  case unreadable(String)
  /// The request could not be signed.
  case unsignable

  /// The OAuth code of a refusal.
  package var code: String? {
    guard case .answered(_, let error, _) = self else { return nil }
    return error?.error
  }

  /// Whether the same request may succeed later without changes (FB-A3): nothing came back, or the
  /// server says that it is overloaded or broken.
  package var isTemporary: Bool {
    switch self {
    case .transport(.tls), .transport(.addressRefused), .transport(.insecureURL),
      .transport(.invalidURL), .unsignable, .unreadable:
      false
    case .transport: true
    case .answered(let status, let error, _):
      status >= 500 || [408, 425, 429].contains(status)
        || error?.error == "temporarily_unavailable"
    }
  }
}

package import HTTPTransport

/// What went wrong between us and a server, the same whichever service met it.
///
/// Cases carry values, not prose: the models word them for the person.
package enum RemoteFault: Error, Equatable, Sendable {
  /// This machine has no network.
  case offline
  /// The server was not found, or did not accept the connection.
  case unreachable(host: String)
  /// The server did not answer in time.
  case timeout(host: String)
  /// The connection broke before the answer was complete.
  case dropped(host: String)
  /// The server's certificate was refused; never repeated on its own.
  case tls(host: String)
  /// The server answered with a fault of its own (5xx), perhaps with a time to wait.
  case server(host: String, detail: String?, retryAfter: Duration? = nil)
  /// The server asks us to wait (429).
  case rateLimited(host: String, retryAfter: Duration?)
  /// The server answered something the protocol does not allow.
  case badResponse(host: String, detail: String?)

  /// A transport's failure, with the host a person knows.
  package init(_ error: HTTPError, host: String) {
    self =
      switch error {
      case .offline: .offline
      case .cannotConnect, .cannotFindHost: .unreachable(host: host)
      case .timeout, .cancelled: .timeout(host: host)
      case .tls: .tls(host: host)
      case .connectionLost: .dropped(host: host)
      case .bodyTooLarge: .badResponse(host: host, detail: "the answer is too large")
      case .addressRefused, .insecureURL, .invalidURL:
        .badResponse(host: host, detail: "the address is not allowed")
      case .fileUnreadable(let path): .badResponse(host: host, detail: "\(path) cannot be read")
      case .badResponse(let detail): .badResponse(host: host, detail: detail)
      }
  }

  /// Whether the same request may succeed later without any change.
  package var isTransient: Bool {
    switch self {
    case .offline, .unreachable, .timeout, .dropped, .server, .rateLimited: true
    case .tls, .badResponse: false
    }
  }

  /// How long the server asked to wait.
  package var retryAfter: Duration? {
    switch self {
    case .server(_, _, let pause), .rateLimited(_, let pause): pause
    default: nil
    }
  }
}

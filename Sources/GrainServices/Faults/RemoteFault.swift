/// What went wrong between us and a server, the same whichever service met it.
///
/// Cases carry values, not prose: the models word them for the person.
package enum RemoteFault: Error, Equatable, Sendable {
  /// This machine has no network.
  case offline
  /// The server did not answer in time, or did not accept the connection.
  case timeout(host: String)
  /// The server's certificate was refused; never repeated on its own.
  case tls(host: String)
  /// The server answered with a fault of its own (5xx, a dropped connection).
  case server(host: String, detail: String?)
  /// The server asks us to wait (429).
  case rateLimited(host: String, retryAfter: Duration?)
  /// The server answered something the protocol does not allow.
  case badResponse(host: String, detail: String?)

  /// Whether the same request may succeed later without any change.
  package var isTransient: Bool {
    switch self {
    case .offline, .timeout, .server, .rateLimited: true
    case .tls, .badResponse: false
    }
  }
}

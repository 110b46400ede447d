/// Why a request got no response.
package enum HTTPError: Error, Equatable, Sendable {
  /// The machine has no network.
  case offline
  /// The name of the host does not exist.
  case cannotFindHost(String)
  /// Nobody answers at that host, or its name cannot be looked up just now.
  case cannotConnect(String)
  /// The deadline of the request passed.
  case timeout
  /// The connection could not be secured, with the reason; nothing was sent and waiting won't help.
  case tls(String)
  /// The connection ended before the answer was complete.
  case connectionLost
  /// The answer is larger than the request allows.
  case bodyTooLarge
  /// The host's address is private or reserved and the policy does not allow it.
  case addressRefused(String)
  /// The URL is not `https` and the policy does not allow that.
  case insecureURL(String)
  /// The URL is not absolute, has no host, or carries a user name.
  case invalidURL
  /// The calling task was cancelled.
  case cancelled
  /// The file to send cannot be read.
  case fileUnreadable(String)
  /// What came back is no HTTP, or the transport failed in a way it does not explain.
  case badResponse(String)

  /// Whether the server may have acted on the request although no answer arrived: repeating it may
  /// do the thing twice.
  package var mayHaveBeenProcessed: Bool {
    switch self {
    case .timeout, .connectionLost, .bodyTooLarge, .cancelled, .badResponse: true
    case .offline, .cannotFindHost, .cannotConnect, .tls, .addressRefused, .insecureURL,
      .invalidURL, .fileUnreadable:
      false
    }
  }
}

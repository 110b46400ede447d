package import HTTPTransport

/// Why a call gave no result.
package enum XRPCError: Error, Equatable, Sendable {
  /// The server's own words: its error name and message, cleaned of what we sent in secret.
  package struct Detail: Equatable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// The name of the error, for programs.
    package let error: String?
    /// A sentence of the server's.
    package let message: String?

    /// What a server said.
    package init(status: Int, error: String? = nil, message: String? = nil) {
      self.status = status
      self.error = error
      self.message = message
    }
  }

  /// Refused even with a token refreshed for this call. The credentials are kept; the account may have
  /// moved (G101).
  case unauthorized(Detail)
  /// The server does not take our proofs: it refused a fresh one too (G40, FB-A9).
  case proofRefused(Detail)
  /// The grant does not cover the call; the scope that is missing, where the server names it (G109).
  case forbidden(scope: String?, Detail)
  /// The account is deactivated or taken down; nothing is wrong with the credentials.
  case accountState(name: String, Detail)
  /// The home server could not reach the service the call is for (FB-A33).
  case serviceUnreachable(Detail, retryAfter: Duration?)
  /// The server refused the call, and would again.
  case http(Detail)
  /// The server is overloaded or broken (408, 425, 429, 5xx). A write may have landed.
  case transient(Detail, retryAfter: Duration?)
  /// No answer came.
  case transport(HTTPError)
  /// The answer is not what the method returns.
  case decoding(String)
  /// There are no tokens to sign with, and only signing in again helps.
  case sessionEnded(error: String, description: String?)
  /// The tokens could not be refreshed now.
  case sessionUnavailable(reason: String, transport: HTTPError?, retryAfter: Duration?)
  /// The tokens could not be read from or written to this machine's store.
  case storeFailed(String)

  /// Whether repeating the call later may succeed without changes. Only a caller whose operation is
  /// repeatable may do so.
  package var isTransient: Bool {
    switch self {
    case .transient, .serviceUnreachable, .sessionUnavailable: true
    case .transport(let error):
      switch error {
      case .offline, .cannotFindHost, .cannotConnect, .timeout, .connectionLost: true
      default: false
      }
    default: false
    }
  }

  /// Whether the server may have acted on the call although it failed: before a write is repeated, ask
  /// whether it landed (G108).
  package var mayHaveLanded: Bool {
    switch self {
    case .transient(let detail, _): detail.status != 429
    case .serviceUnreachable, .decoding: true
    case .transport(let error): error.mayHaveBeenProcessed
    default: false
    }
  }

  /// How long the server asks to wait.
  package var retryAfter: Duration? {
    switch self {
    case .transient(_, let retryAfter), .serviceUnreachable(_, let retryAfter),
      .sessionUnavailable(_, _, let retryAfter):
      retryAfter
    default: nil
    }
  }
}

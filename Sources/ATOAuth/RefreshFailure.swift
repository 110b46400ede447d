package import HTTPTransport
package import OAuth

/// Why a refresh gave no new tokens, told apart by what it means for the grant (G55).
package enum RefreshFailure: Error, Equatable, Sendable {
  /// Nothing is known against the grant; it is kept and may be refreshed later.
  case transient(Reason, retryAfter: Duration?)
  /// The server ended the grant; only a new sign-in helps. `error` is the server's code.
  case ended(error: String, description: String?)

  /// What kept the refresh from succeeding.
  package enum Reason: Equatable, Sendable {
    /// No answer; the server may have acted all the same (G112).
    case network(HTTPError)
    /// A status that says nothing about the grant, with the server's code and words if it gave any.
    case server(status: Int, error: String?, description: String?)
    /// Success with a body that cannot be used; which part.
    case badResponse(String)
    /// The request could not be signed.
    case cryptography
  }

  /// Draws the line: a 4xx with an OAuth error object ends the grant, except where the error speaks of
  /// the proof, of the client, of the request or of the moment. What a gateway in front of the server says is
  /// no such object, whatever members it has.
  package init(_ error: OAuthRequestError) {
    switch error {
    case .transport(let error): self = .transient(.network(error), retryAfter: nil)
    case .unreadable(let part): self = .transient(.badResponse(part), retryAfter: nil)
    case .unsignable: self = .transient(.cryptography, retryAfter: nil)
    case .answered(let status, let body, let retryAfter):
      guard let body, body.isOfOAuth, (400..<500).contains(status),
        ![408, 415, 425, 429].contains(status),
        !Self.saysNothingOfTheGrant(body.error)
      else {
        self = .transient(
          .server(status: status, error: body?.error, description: body?.description),
          retryAfter: retryAfter)
        return
      }
      self = .ended(error: body.error, description: body.description)
    }
  }

  private static func saysNothingOfTheGrant(_ error: String) -> Bool {
    [
      "use_dpop_nonce", "invalid_dpop_proof", "temporarily_unavailable",
      // Malformed: a fault of ours, or of something between, found before the grant is looked at.
      "invalid_request",
    ].contains(error) || OAuthErrorBody.isAboutTheClient(error)
  }
}

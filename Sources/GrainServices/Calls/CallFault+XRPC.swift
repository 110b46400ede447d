package import ATSyntax
package import ATXRPC
package import HTTPTransport

extension CallFault {
  /// A failed call as services see it.
  ///
  /// - Parameters:
  ///   - error: what the call met.
  ///   - did: the account the call was made for.
  ///   - host: the account's home server, for the person.
  package init(_ error: XRPCError, did: DID, host: String) {
    switch error {
    case .sessionEnded: self = .sessionExpired(did)
    case .forbidden(let scope?, _): self = .scopeMissing(scope)
    case .forbidden(nil, let detail), .unauthorized(let detail), .proofRefused(let detail),
      .http(let detail):
      self = .refused(status: detail.status, error: detail.error, message: detail.message)
    case .accountState(let name, _): self = .accountInactive(name)
    case .serviceUnreachable(let detail, _):
      self = .remote(.server(host: host, detail: detail.message ?? detail.error))
    case .transient(let detail, let pause):
      self = .remote(
        detail.status == 429
          ? .rateLimited(host: host, retryAfter: pause)
          : .server(host: host, detail: detail.message ?? detail.error))
    case .transport(.cancelled): self = .cancelled
    case .transport(let error): self = .remote(RemoteFault(error, host: host))
    case .decoding(let part): self = .remote(.badResponse(host: host, detail: part))
    case .sessionUnavailable(_, let error?, _): self = .remote(RemoteFault(error, host: host))
    case .sessionUnavailable(let reason, nil, let pause):
      self = .remote(
        pause == nil
          ? .server(host: host, detail: reason) : .rateLimited(host: host, retryAfter: pause))
    case .storeFailed(let detail): self = .store(.unwritable(detail))
    }
  }
}

extension RemoteFault {
  /// A transport's failure, with the host a person knows.
  package init(_ error: HTTPError, host: String) {
    self =
      switch error {
      case .offline: .offline
      case .timeout, .cannotConnect, .cannotFindHost, .cancelled: .timeout(host: host)
      case .tls: .tls(host: host)
      case .connectionLost: .server(host: host, detail: "the connection was lost")
      case .bodyTooLarge: .badResponse(host: host, detail: "the answer is too large")
      case .addressRefused, .insecureURL, .invalidURL:
        .badResponse(host: host, detail: "the address is not allowed")
      case .fileUnreadable(let path): .badResponse(host: host, detail: "\(path) cannot be read")
      case .badResponse(let detail): .badResponse(host: host, detail: detail)
      }
  }
}

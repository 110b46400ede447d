package import ATSyntax
package import ATXRPC
import HTTPTransport

extension CallFault {
  /// A failed call as services see it.
  ///
  /// - Parameters:
  ///   - error: what the call met.
  ///   - did: the account the call was made for.
  ///   - host: the account's home server, for the person.
  ///   - authorizationHost: its authorization server, which is who a failed refresh speaks of.
  package init(_ error: XRPCError, did: DID, host: String, authorizationHost: String) {
    switch error {
    case .sessionEnded: self = .sessionExpired(did)
    case .forbidden(let scope?, _): self = .scopeMissing(did, scope: scope)
    case .forbidden(nil, let detail), .unauthorized(let detail), .proofRefused(let detail),
      .http(let detail):
      self = .refused(status: detail.status, error: detail.error, message: detail.message)
    case .accountState(let name, _): self = .accountInactive(name)
    case .transient(let detail, let pause) where detail.status == 429:
      self = .remote(.rateLimited(host: host, retryAfter: pause))
    case .transient(let detail, let pause), .serviceUnreachable(let detail, let pause):
      self = .remote(
        .server(host: host, detail: detail.message ?? detail.error, retryAfter: pause))
    case .transport(.cancelled): self = .cancelled
    case .transport(let error): self = .remote(RemoteFault(error, host: host))
    case .decoding(let part): self = .remote(.badResponse(host: host, detail: part))
    case .sessionUnavailable(_, let error?, _):
      self = .remote(RemoteFault(error, host: authorizationHost))
    case .sessionUnavailable(let reason, nil, let pause):
      self = .remote(.server(host: authorizationHost, detail: reason, retryAfter: pause))
    case .storeFailed(let detail): self = .store(.unwritable(detail))
    }
  }
}

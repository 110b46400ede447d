import ATSyntax
package import GrainServices
package import GrainSnapshots

extension Problem {
  /// A failed sign-in, in words for the person.
  package init(_ error: SignInError) {
    switch error {
    case .handleInvalid(let typed):
      self.init(.loginHandleInvalid, params: ["handle": .text(typed)], field: "/handle")
    case .handleNotFound(let name):
      self.init(.loginHandleNotFound, params: ["handle": .text(name)], field: "/handle")
    case .identityUnreachable(let name):
      self.init(.loginIdentityUnreachable, params: ["handle": .text(name)])
    case .noServer(let name):
      self.init(.loginNoServer, params: ["handle": .text(name)])
    case .serverUnsupported(let host, let detail):
      self.init(
        .loginServerUnsupported, params: ["host": .text(host)],
        details: ["host": .text(host), "reason": .text(detail)])
    case .clientUnavailable(let host, let detail):
      self.init(
        .loginClientUnavailable, params: ["host": .text(host)],
        details: Self.details(host: host, detail: detail))
    case .denied: self.init(.loginDenied)
    case .refused(let host, let error, let detail):
      self.init(
        .serverError, params: ["host": .text(host), "reason": .text(detail ?? error)],
        fallback: "{host} refused the sign-in: {reason}. Nothing was saved; try again.",
        details: Self.details(host: host, detail: detail, error: error))
    case .callbackMismatch: self.init(.loginCallbackMismatch)
    case .expired: self.init(.loginExpired)
    case .identityMismatch: self.init(.loginIdentityMismatch)
    case .grantUnusable:
      self.init(
        .loginServerUnsupported,
        fallback: "The server did not allow what every app needs. Sign in again and allow it.")
    case .remote(let fault): self.init(fault)
    case .store(let fault): self.init(fault)
    case .busy: self.init(.intentBusy)
    case .cancelled: self.init(.requestCancelled)
    }
  }

  static func details(
    host: String, detail: String?, error: String? = nil
  ) -> [String: PlainValue] {
    var details: [String: PlainValue] = ["host": .text(host)]
    if let detail { details["description"] = .text(detail) }
    if let error { details["error"] = .text(error) }
    return details
  }
}

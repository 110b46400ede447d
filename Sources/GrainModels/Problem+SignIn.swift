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
      self.init(.loginHandleNotFound, about: name, field: "/handle")
    case .identityUnreachable(let name):
      self.init(.loginIdentityUnreachable, about: name)
    case .handleUnconfirmed(let name):
      self.init(
        .loginIdentityMismatch, params: ["handle": .text(name)],
        fallback: "@{handle} leads to an account that does not call itself that. "
          + "Nothing was saved; sign in with the handle the account has now.",
        field: "/handle")
    case .noServer(let name):
      self.init(.loginNoServer, about: name)
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

  /// The registered sentence about a name; a DID stands without the at sign of a handle.
  private init(_ kind: ErrorKind, about name: String, field: String? = nil) {
    let template = kind.fallbackTemplate
    self.init(
      kind, params: ["handle": .text(name)],
      fallback: name.hasPrefix("did:") ? template.replacing("@{handle}", with: "{handle}") : nil,
      field: field)
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

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
    case .issuerMismatch(let expected, let found, let source):
      self.init(expected: expected, found: found, in: source)
    case .expired: self.init(.loginExpired)
    case .identityMismatch: self.init(.loginIdentityMismatch)
    case .grantUnusable:
      self.init(
        .loginServerUnsupported,
        fallback: "The server did not allow what every app needs. Sign in again and allow it.")
    case .noPort(0):
      self.init(
        .loginProviderUnavailable,
        fallback: "This computer has no free port for the browser's answer. Close some programs, "
          + "then try again.")
    case .noPort(let port):
      self.init(
        .loginProviderUnavailable, params: ["port": .integer(port)],
        fallback: "Port {port} of this computer, where the browser's answer is awaited, belongs to "
          + "another program. Close that program, then try again.",
        details: ["port": .integer(port)])
    case .remote(let fault): self.init(fault)
    case .store(let fault): self.init(fault)
    case .unavailable(let provider, let reason):
      self.init(
        .loginProviderUnavailable, params: ["provider": .text(provider.rawValue)],
        fallback: reason == .needsWebView
          ? "This app cannot show the sign-in page of {provider}: it has no web view of its own."
          : "Signing in with {provider} is not set up in this app.")
    case .serverInvalid(let typed):
      self.init(
        .loginServerInvalid, params: ["host": .text(typed)],
        fallback: typed.isEmpty
          ? "Enter the address of your service, such as files.example.com." : nil,
        field: "/server")
    case .notAToken:
      self.init(
        .loginTokenInvalid,
        fallback: "That is not a token of such a service. Copy all of it, from “plt_” to its end.",
        field: "/token")
    case .tokenInvalid(let host):
      self.init(
        .loginTokenInvalid, params: ["host": .text(host)],
        fallback: "{host} does not know this token. Make a new one there and paste all of it.",
        field: "/token")
    case .codeSpent(let host, let detail):
      self.init(
        .loginCodeSpent, params: ["host": .text(host)],
        details: Self.details(host: host, detail: detail))
    case .blocked(let host, let status):
      self.init(
        .serverError, params: ["host": .text(host), "status": .integer(status)],
        fallback: "{host} blocked the sign-in (status {status}). Try again later.",
        details: Self.details(host: host, detail: "status \(status)"))
    case .busy: self.init(.intentBusy)
    case .cancelled: self.init(.requestCancelled)
    }
  }

  /// Two issuers that should be one, both named (FB-A16).
  private init(expected: String, found: String?, in source: SignInError.IssuerSource) {
    var issuers: [String: PlainValue] = ["expected": .text(expected)]
    issuers["found"] = found.map(PlainValue.text)
    switch source {
    case .metadata:
      self.init(
        .loginServerUnsupported, params: issuers,
        fallback: "The server {expected} calls itself {found}. Ask whoever runs it to mend that.",
        details: issuers)
    case .account:
      self.init(
        .loginIdentityMismatch, params: issuers,
        fallback:
          "The account that came back signs in at {found}, but this sign-in was at {expected}. "
          + "Nothing was saved; sign in with the account's name.",
        details: issuers)
    case .callback where found == nil:
      self.init(
        .loginCallbackMismatch, params: issuers,
        fallback: "The browser's answer does not say that it comes from {expected}, where this "
          + "sign-in began. Nothing was saved; start signing in again.",
        details: issuers)
    case .callback:
      self.init(
        .loginCallbackMismatch, params: issuers,
        fallback: "The browser's answer comes from {found}, but this sign-in began at {expected}. "
          + "Nothing was saved; start signing in again.",
        details: issuers)
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

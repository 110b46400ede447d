import ATSyntax
package import GrainServices
package import GrainSnapshots

extension Problem {
  /// A fault of network or server.
  package init(_ fault: RemoteFault) {
    switch fault {
    case .offline: self.init(.networkOffline)
    case .timeout(let host):
      self.init(.networkTimeout, params: ["host": .text(host)])
    case .unreachable(let host):
      self.init(
        .networkTimeout, params: ["host": .text(host)],
        fallback: "{host} cannot be reached. Check your connection and try again.")
    case .dropped(let host):
      self.init(
        .networkTimeout, params: ["host": .text(host)],
        fallback: "The connection to {host} broke. Check your connection and try again.")
    case .tls(let host):
      self.init(.networkTLS, params: ["host": .text(host)])
    case .server(let host, let detail, let pause):
      self.init(
        .serverError, params: ["host": .text(host)], retryAfterMs: pause.map(Self.milliseconds),
        details: Self.details(host: host, detail: detail))
    case .rateLimited(let host, let pause):
      self.init(
        .serverRateLimited, params: ["host": .text(host)],
        retryAfterMs: pause.map(Self.milliseconds))
    case .badResponse(let host, let detail):
      self.init(
        .serverBadResponse, params: ["host": .text(host)],
        details: Self.details(host: host, detail: detail))
    }
  }

  private static func milliseconds(_ duration: Duration) -> Int {
    // No number a server names may end the program: a day is long enough for anybody.
    Int(min(max(0, (duration / .milliseconds(1)).rounded(.up)), 86_400_000))
  }

  /// A fault of the data folder.
  package init(_ fault: StoreFault) {
    switch fault {
    case .locked(let holder?):
      self.init(.storeLocked, details: ["processId": .integer(Int(holder))])
    // Not another core, which says who it is: a backup, or somebody with a database program (FB-E1).
    case .locked(nil):
      self.init(
        .storeLocked,
        fallback: "Another program is busy with the app's data. Nothing was lost; try again in a "
          + "moment, or close it.")
    case .corrupt: self.init(.storeCorrupt)
    case .full: self.init(.storeFull)
    case .unwritable(let detail):
      self.init(.storeUnwritable, details: ["reason": .text(detail)])
    case .newer(let found, let known):
      self.init(.storeNewer, details: ["found": .integer(found), "known": .integer(known)])
    case .keyLocked: self.init(.keyringLocked)
    case .keyUnavailable(let detail):
      self.init(
        .keyringUnavailable, params: ["reason": .text(detail)],
        fallback: "Your accounts cannot be opened: {reason}. Nothing was changed; see "
          + "“grain-core doctor”.",
        details: ["reason": .text(detail)])
    }
  }

  /// A call that an account could not make.
  ///
  /// - Parameters:
  ///   - fault: why not.
  ///   - account: what the person calls the account.
  package init(_ fault: CallFault, account: String) {
    switch fault {
    case .remote(let fault): self.init(fault)
    case .sessionExpired: self.init(.accountSessionExpired, params: ["account": .text(account)])
    case .scopeMissing(_, let scope):
      self.init(
        .accountScopeMissing, params: ["account": .text(account)],
        details: ["scope": .text(scope)])
    case .accountInactive("deleting"):
      self.init(
        .serverError,
        fallback: "Your account is being deleted, so nothing can be published from it.",
        details: ["state": "deleting"])
    case .accountInactive(let state):
      self.init(
        .serverError, params: ["account": .text(account)],
        fallback: "{account} is not active at its server. Activate it there, then try again.",
        details: ["state": .text(state)])
    case .refused(_, let error, let message):
      self.init(
        .serverError, params: ["reason": .text(message ?? error ?? "no reason given")],
        fallback: "Your server refused it: {reason}",
        details: error.map { ["error": .text($0)] })
    case .store(let fault): self.init(fault)
    case .cancelled: self.init(.requestCancelled)
    }
  }

  /// An account that could not be switched to, signed out or deleted.
  package init(_ error: AccountError, account: String) {
    switch error {
    case .unknown: self.init(.accountUnknown, field: "/account")
    case .sessionExpired: self.init(.accountSessionExpired, params: ["account": .text(account)])
    case .deletion(let error): self.init(error, account: account)
    case .store(let fault): self.init(fault)
    }
  }
}

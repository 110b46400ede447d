package import GrainServices
package import GrainSnapshots

extension Problem {
  /// A list of devices and apps that could not be had or changed.
  ///
  /// - Parameters:
  ///   - error: why not.
  ///   - account: what the person calls the account.
  package init(_ error: DeviceError, account: String) {
    switch error {
    case .unknown: self.init(.accountUnknown)
    case .sessionExpired: self.init(.accountSessionExpired, params: ["account": .text(account)])
    case .forbidden(let detail):
      self.init(
        .accountScopeMissing, params: ["account": .text(account)],
        fallback: "The service does not allow this to the sign-in of {account} on this computer. "
          + "Push messages are for devices only; sign in again as one.",
        details: detail.map { ["description": .text($0)] })
    case .refused(let host, let error, let detail):
      self.init(
        .serverError, params: ["host": .text(host), "reason": .text(detail ?? error)],
        fallback: "{host} refused this: {reason}.",
        details: Self.details(host: host, detail: detail, error: error))
    case .remote(let fault): self.init(fault)
    case .store(let fault): self.init(fault)
    }
  }
}

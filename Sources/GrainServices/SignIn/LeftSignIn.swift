/// A sign-in whose page an earlier run opened (A17).
package struct LeftSignIn: Equatable, Sendable {
  /// Whom it signs in.
  package let target: SignInTarget
  /// The handle or DID of that account; empty for a new account.
  package let name: String
  /// The host whose page it is.
  package let host: String
  /// Whether its time is over: then it is gone, and only this is left to say.
  package let isExpired: Bool

  /// A sign-in that was left.
  package init(target: SignInTarget, name: String, host: String, isExpired: Bool = false) {
    self.target = target
    self.name = name
    self.host = host
    self.isExpired = isExpired
  }
}

package import Foundation
package import OAuth

/// A pushed request, ready for the browser.
package struct StartedAuthorization: Sendable {
  /// What the callback will be checked against; keep it until then.
  package let attempt: AuthorizationAttempt
  /// What to open. It names no person and holds no secret, but whoever opens it first owns it: open it
  /// once, in one browser.
  package let authorizationURL: String
  /// After this the server no longer knows the request; begin again instead of opening it (FB-A25).
  package let opensUntil: Date
  /// Where the callback will arrive.
  package let route: CallbackRoute
}

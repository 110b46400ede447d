package import ATSyntax

/// Why a call on behalf of an account did not succeed.
package enum CallFault: Error, Equatable, Sendable {
  /// Network or server.
  case remote(RemoteFault)
  /// The account's grant is over; it must sign in again.
  case sessionExpired(DID)
  /// The account's grant does not cover this call; never a reason to refresh (G109).
  case scopeMissing(DID, scope: String)
  /// The account is deactivated, taken down or not on this server.
  case accountInactive(String)
  /// The server refused the request itself: nothing of it was done.
  case refused(status: Int, error: String?, message: String?)
  /// New tokens could not be stored.
  case store(StoreFault)
  /// The caller gave up waiting.
  case cancelled

  /// Whether the same call may succeed later without any change.
  package var isTransient: Bool {
    if case .remote(let fault) = self { return fault.isTransient }
    return false
  }

  /// How long the server asked to wait.
  package var retryAfter: Duration? {
    if case .remote(let fault) = self { return fault.retryAfter }
    return nil
  }
}

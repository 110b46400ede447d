/// Why an account has no token to sign with.
package enum SessionFailure: Error, Equatable, Sendable {
  /// The grant is kept; the same may succeed later.
  case transient(RefreshFailure.Reason, retryAfter: Duration?)
  /// The server ended the grant; only a new sign-in helps.
  case ended(error: String, description: String?)
  /// The new tokens could not be stored. They are kept in memory, unused, and stored at the next call.
  case store(GrantStoreError)
}

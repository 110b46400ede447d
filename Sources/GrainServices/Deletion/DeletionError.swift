/// Why an account is not deleted, and what is left of it.
package enum DeletionError: Error, Equatable, Sendable {
  /// Nobody has just signed in to this account to confirm it (A45); nothing was asked of a server.
  case unconfirmed
  /// The request was refused or never sent: nothing was deleted.
  case refused(CallFault)
  /// Something of it may be deleted; what is missing is done at the next start, or when it is asked
  /// for again.
  case unfinished(CallFault)
  /// Its owner has signed in to use it again: what was left then stays, and nothing goes on.
  case stopped
}

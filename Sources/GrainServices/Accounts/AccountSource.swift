package import OpenSSLCrypto

/// One provider as the account list sees it: everything the list has to ask about credentials without
/// knowing what they are.
///
/// An answer about an account is about the credentials it was asked with: one that comes after the
/// account was signed out, or in again, changes nothing.
package protocol AccountSource: Sendable {
  /// After this time credentials have ended of themselves and need no revocation any more; `nil` where
  /// they never do.
  nonisolated var credentialsLast: Duration? { get }

  /// Brings credentials up to date before their account is shown (G57). A passing fault is no failure.
  ///
  /// - Throws: when the account has to sign in again, or cannot be read.
  func freshen(_ account: AccountID) async throws(AccountError)

  /// How a hook calls procedures as the account; `nil` where there is none to call.
  func procedure(_ account: AccountID) async -> AccountHooks.Procedure?

  /// What has to be revoked when these credentials take the place of those that are stored now.
  func superseded(by account: SignedInAccount) async -> QueuedRevocation?

  /// Uses these credentials from now on; they are stored.
  func take(_ account: SignedInAccount) async

  /// Does what has to be done with credentials that are stored before anybody is told of them.
  func introduce(_ account: AccountID) async

  /// Gives back credentials that could not be stored: nothing remembers them.
  func discard(_ account: SignedInAccount) async

  /// Signs nothing as the account any more.
  ///
  /// - Returns: what has to be revoked; `nil` for nothing.
  func retire(_ account: AccountID) async -> QueuedRevocation?

  /// Asks the provider about an account, in the background.
  func lookAfter(_ account: AccountID, _ occasion: AccountOccasion) async

  /// Tries to revoke what ``retire(_:)`` has left to be revoked.
  func revoke(_ revocation: Secret) async -> RevocationOutcome

  /// Returns when nothing goes on in the background.
  func upkeepEnded() async

  /// Stops what goes on in the background, and returns when what was sent is answered and stored.
  func settle() async
}

/// Why a source looks after an account.
package enum AccountOccasion: Equatable, Sendable {
  /// It is shown after a launch, or was switched to.
  case shown
  /// It is shown because the one that was has left.
  case inherited
  /// It has just signed in; whether what it is called was confirmed by then.
  case signedIn(isNamed: Bool)
}

/// What came of a revocation.
package enum RevocationOutcome: Equatable, Sendable {
  case done
  /// The server did not take it.
  case refused
  /// Nothing left this machine: that costs no attempt.
  case unsent
  /// It can never be sent.
  case unreadable
}

extension AccountSource {
  /// Most providers have nothing to call.
  package func procedure(_ account: AccountID) async -> AccountHooks.Procedure? { nil }

  /// Most have nothing to do.
  package func introduce(_ account: AccountID) async {}
}

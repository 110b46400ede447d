/// What the person sees of their session: one of six states (A3, grain-product §3).
package enum SessionState: Equatable, Sendable {
  /// The store is being read; never shown as signed out.
  case restoring
  /// Nobody is signed in.
  case signedOut(SignedOutReason?)
  /// A sign-in is under way, perhaps over an account that stays usable.
  case authenticating(over: AccountID?)
  /// This account is active.
  case signedIn(AccountID)
  /// This account is active and its tokens are being refreshed.
  case refreshing(AccountID)
  /// The server ended this account's grant.
  case revoked(AccountID, GrantEnd)

  /// The account whose data may be shown, if any.
  package var account: AccountID? {
    switch self {
    case .restoring, .signedOut: nil
    case .authenticating(let over): over
    case .signedIn(let account), .refreshing(let account), .revoked(let account, _): account
    }
  }
}

/// Why nobody is signed in, when the person should be told.
package enum SignedOutReason: Equatable, Sendable {
  /// The app's permissions changed and every old session was dropped (G64).
  case permissionsChanged
  /// The last account's grant ended.
  case ended(GrantEnd)
}

/// Why an account's grant is over.
package enum GrantEnd: String, Codable, Equatable, Sendable {
  /// The server refused the refresh token: revoked, replayed, or past the session's end (G111).
  case refused
  /// The account now signs in at another server (G101).
  case moved
  /// The app asks for more than this grant allows (G63).
  case permissionsChanged
  /// What is stored of the account cannot be read; never written down, for what is there is left as it
  /// is.
  case damaged
}

/// What happens to the session.
package enum SessionEvent: Equatable, Sendable {
  /// The store was read; the active account with credentials, if there is one.
  case restored(AccountID?)
  /// The store was read and the migration removed the last account (G64).
  case migrationRemovedLast
  /// The store could not be read yet.
  case storeUnavailable
  /// A sign-in began.
  case signInBegan
  /// A sign-in ended with tokens checked and stored.
  case signInSucceeded(AccountID)
  /// A sign-in was cancelled, denied or failed.
  case signInEnded
  /// The active account's tokens are being refreshed.
  case refreshBegan(AccountID)
  /// New tokens are stored, or the refresh failed in a way that keeps the account.
  case refreshEnded(AccountID)
  /// The server ended the account's grant.
  case grantEnded(AccountID, GrantEnd)
  /// The next account with credentials takes over after a revocation; `nil` when there is none.
  case successor(AccountID?)
  /// The person chose another account.
  case switched(to: AccountID)
  /// An account was signed out; the next active account, if any.
  case signedOut(AccountID, next: AccountID?)
}

/// The transition table of the session, as a pure value.
///
/// A pair of state and event the table does not list leaves the state unchanged.
package struct SessionMachine: Equatable, Sendable {
  /// The state now.
  package private(set) var state: SessionState

  /// Starts at `restoring`: a launch shows that the store is being read.
  package init(state: SessionState = .restoring) {
    self.state = state
  }

  /// Takes one event.
  ///
  /// - Returns: whether the table lists this pair; `false` means nothing changed.
  @discardableResult
  package mutating func apply(_ event: SessionEvent) -> Bool {
    guard let next = Self.transition(from: state, on: event) else { return false }
    state = next
    return true
  }

  /// One cell of the table.
  ///
  /// - Returns: the next state, or `nil` where the table is empty.
  package static func transition(from state: SessionState, on event: SessionEvent) -> SessionState?
  {
    switch (state, event) {
    case (.restoring, .restored(let account?)): .signedIn(account)
    case (.restoring, .restored(nil)): .signedOut(nil)
    case (.restoring, .migrationRemovedLast): .signedOut(.permissionsChanged)
    case (.restoring, .storeUnavailable): .restoring

    case (.signedOut, .signInBegan): .authenticating(over: nil)
    case (.signedIn(let account), .signInBegan), (.refreshing(let account), .signInBegan):
      .authenticating(over: account)
    case (.revoked, .signInBegan): .authenticating(over: nil)
    case (.authenticating, .signInSucceeded(let account)): .signedIn(account)
    case (.authenticating(let over), .signInEnded):
      over.map(SessionState.signedIn) ?? .signedOut(nil)

    case (.signedIn(let active), .refreshBegan(let account)) where active == account:
      .refreshing(account)
    case (.refreshing(let active), .refreshEnded(let account)) where active == account:
      .signedIn(account)
    case (.signedIn(let active), .grantEnded(let account, let reason)) where active == account,
      (.refreshing(let active), .grantEnded(let account, let reason)) where active == account:
      .revoked(account, reason)
    // The next account stays usable under the sign-in, as the one before it was.
    case (.authenticating(nil), .successor(let next?)): .authenticating(over: next)
    case (.authenticating(let active), .grantEnded(let account, _)) where active == account:
      .authenticating(over: nil)

    case (.revoked, .successor(let next?)): .signedIn(next)
    case (.revoked(_, let reason), .successor(nil)): .signedOut(.ended(reason))

    case (.signedIn, .switched(let account)), (.refreshing, .switched(let account)):
      .signedIn(account)
    case (.authenticating(.some), .switched(let account)): .authenticating(over: account)
    case (.signedIn(let active), .signedOut(let account, let next)) where active == account,
      (.refreshing(let active), .signedOut(let account, let next)) where active == account:
      next.map(SessionState.signedIn) ?? .signedOut(nil)
    case (.authenticating(let active), .signedOut(let account, let next)) where active == account:
      .authenticating(over: next)
    default: nil
    }
  }
}

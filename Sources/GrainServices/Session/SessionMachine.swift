package import ATSyntax

/// What the person sees of their session: one of six states (A3, grain-product §3).
package enum SessionState: Equatable, Sendable {
  /// The store is being read; never shown as signed out.
  case restoring
  /// Nobody is signed in.
  case signedOut(SignedOutReason?)
  /// A sign-in is under way, perhaps over an account that stays usable.
  case authenticating(over: DID?)
  /// This account is active.
  case signedIn(DID)
  /// This account is active and its tokens are being refreshed.
  case refreshing(DID)
  /// The server ended this account's grant.
  case revoked(DID, GrantEnd)

  /// The account whose data may be shown, if any.
  package var account: DID? {
    switch self {
    case .restoring, .signedOut: nil
    case .authenticating(let over): over
    case .signedIn(let did), .refreshing(let did), .revoked(let did, _): did
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
}

/// What happens to the session.
package enum SessionEvent: Equatable, Sendable {
  /// The store was read; the active account with credentials, if there is one.
  case restored(DID?)
  /// The store was read and the migration removed the last account (G64).
  case migrationRemovedLast
  /// The store could not be read yet.
  case storeUnavailable
  /// A sign-in began.
  case signInBegan
  /// A sign-in ended with tokens checked and stored.
  case signInSucceeded(DID)
  /// A sign-in was cancelled, denied or failed.
  case signInEnded
  /// The active account's tokens are being refreshed.
  case refreshBegan(DID)
  /// New tokens are stored, or the refresh failed in a way that keeps the account.
  case refreshEnded(DID)
  /// The server ended the account's grant.
  case grantEnded(DID, GrantEnd)
  /// The next account with credentials takes over after a revocation; `nil` when there is none.
  case successor(DID?)
  /// The person chose another account.
  case switched(to: DID)
  /// An account was signed out; the next active account, if any.
  case signedOut(DID, next: DID?)
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
    case (.restoring, .restored(let did?)): .signedIn(did)
    case (.restoring, .restored(nil)): .signedOut(nil)
    case (.restoring, .migrationRemovedLast): .signedOut(.permissionsChanged)
    case (.restoring, .storeUnavailable): .restoring

    case (.signedOut, .signInBegan): .authenticating(over: nil)
    case (.signedIn(let did), .signInBegan), (.refreshing(let did), .signInBegan):
      .authenticating(over: did)
    case (.revoked, .signInBegan): .authenticating(over: nil)
    case (.authenticating, .signInSucceeded(let did)): .signedIn(did)
    case (.authenticating(let over), .signInEnded):
      over.map(SessionState.signedIn) ?? .signedOut(nil)

    case (.signedIn(let active), .refreshBegan(let did)) where active == did: .refreshing(did)
    case (.refreshing(let active), .refreshEnded(let did)) where active == did: .signedIn(did)
    case (.signedIn(let active), .grantEnded(let did, let reason)) where active == did,
      (.refreshing(let active), .grantEnded(let did, let reason)) where active == did:
      .revoked(did, reason)
    // The next account stays usable under the sign-in, as the one before it was.
    case (.authenticating(nil), .successor(let next?)): .authenticating(over: next)
    case (.authenticating(let active), .grantEnded(let did, _)) where active == did:
      .authenticating(over: nil)

    case (.revoked, .successor(let next?)): .signedIn(next)
    case (.revoked(_, let reason), .successor(nil)): .signedOut(.ended(reason))

    case (.signedIn, .switched(let did)), (.refreshing, .switched(let did)): .signedIn(did)
    case (.authenticating(.some), .switched(let did)): .authenticating(over: did)
    case (.signedIn(let active), .signedOut(let did, let next)) where active == did,
      (.refreshing(let active), .signedOut(let did, let next)) where active == did:
      next.map(SessionState.signedIn) ?? .signedOut(nil)
    case (.authenticating(let active), .signedOut(let did, let next)) where active == did:
      .authenticating(over: next)
    default: nil
    }
  }
}

package import ATSyntax

/// One account of the list, without its secrets.
package struct AccountRecord: Codable, Equatable, Sendable {
  /// Names the account everywhere; a handle is only a label.
  package let id: AccountID
  /// What the account is called at its provider: Grain's verified handle (G12), Pixiv's account name;
  /// absent where it has none, or none that was confirmed.
  package var handle: String?
  /// What the account calls itself.
  package var displayName: String?
  /// An `https` address.
  package var avatar: String?
  /// Whether it can be used.
  package var standing: Standing
  /// Scope items of ours that the grant does not cover (G110).
  package var missingScopes: [String]
  /// How far its deletion is; until that is over, nothing else is written in its name.
  package var deletion: Deletion?
  /// Where a Platrium account lives.
  package var platrium: PlatriumHome?

  /// Made of its parts; what is left out is unknown, or as it is at first.
  package init(
    id: AccountID, handle: String?, displayName: String? = nil, avatar: String? = nil,
    standing: Standing = .ok, missingScopes: [String] = [], deletion: Deletion? = nil,
    platrium: PlatriumHome? = nil
  ) {
    self.id = id
    self.handle = handle
    self.displayName = displayName
    self.avatar = avatar
    self.standing = standing
    self.missingScopes = missingScopes
    self.deletion = deletion
    self.platrium = platrium
  }

  /// A Grain account.
  package init(
    did: DID, handle: Handle?, displayName: String? = nil, avatar: String? = nil,
    standing: Standing = .ok, missingScopes: [String] = [], deletion: Deletion? = nil
  ) {
    self.init(
      id: did.account, handle: handle?.rawValue, displayName: displayName, avatar: avatar,
      standing: standing, missingScopes: missingScopes, deletion: deletion)
  }

  /// How the account stands with its server.
  package enum Standing: Codable, Equatable, Sendable {
    case ok
    /// The grant ended; the account stays listed for a return in one tap.
    case expired(GrantEnd)
    /// Deactivated or taken down, in the server's word for it.
    case inactive(String)
  }

  /// How far the deletion of an account is.
  package enum Deletion: String, Codable, Equatable, Sendable {
    /// It may have reached a server.
    case begun
  }

  /// Whether the account still has credentials.
  package var hasCredentials: Bool {
    if case .expired = standing { return false }
    return true
  }
}

/// The list of accounts and the session, at one instant.
package struct AccountsState: Equatable, Sendable {
  /// What the person sees of their session.
  package var session: SessionState
  /// In the person's order.
  package var accounts: [AccountRecord]
  /// The account whose data are shown.
  package var active: AccountID?
  /// Why the store cannot be read; the session is `restoring` then, never signed out.
  package var fault: StoreFault?

  /// Made of its parts; what is left out is unknown, or as it is at first.
  package init(
    session: SessionState = .restoring, accounts: [AccountRecord] = [], active: AccountID? = nil,
    fault: StoreFault? = nil
  ) {
    self.session = session
    self.accounts = accounts
    self.active = active
    self.fault = fault
  }
}

/// Why an account could not be switched to, signed out or deleted.
package enum AccountError: Error, Equatable, Sendable {
  case unknown
  /// Its grant has ended: sign in again to use it.
  case sessionExpired
  /// It is not deleted.
  case deletion(DeletionError)
  case store(StoreFault)
}

/// The account list, as the models ask for it.
package struct AccountsDoor: Sendable {
  /// The state now and after every change, newest only.
  package var states: @Sendable () async -> AsyncStream<AccountsState>
  /// Reads the store; needs no network.
  package var restore: @Sendable () async -> Void
  /// Makes another account active; the incoming one is refreshed first when it needs to be (G57).
  package var activate: @Sendable (_ account: AccountID) async throws(AccountError) -> Void
  /// Revokes as far as it can in bounded time, then forgets (G58–G60).
  package var signOut:
    @Sendable (_ account: AccountID, _ discardDrafts: Bool) async throws(AccountError) -> Void
  /// Moves an account in front of another, or to the end.
  package var move:
    @Sendable (_ account: AccountID, _ before: AccountID?) async throws(AccountError) -> Void
  /// Deletes the account at its servers, then forgets it here, drafts included; only right after its
  /// owner has signed in again to confirm it (A45).
  package var delete: @Sendable (_ account: AccountID) async throws(AccountError) -> Void
  /// Tries again to open the vault, after the person unlocked its key; why it is still closed.
  package var unlock: @Sendable () async -> StoreFault?

  /// Made of its parts; what is left out is unknown, or as it is at first.
  package init(
    states: @escaping @Sendable () async -> AsyncStream<AccountsState>,
    restore: @escaping @Sendable () async -> Void,
    activate: @escaping @Sendable (AccountID) async throws(AccountError) -> Void,
    signOut: @escaping @Sendable (AccountID, Bool) async throws(AccountError) -> Void,
    move: @escaping @Sendable (AccountID, AccountID?) async throws(AccountError) -> Void,
    delete: @escaping @Sendable (AccountID) async throws(AccountError) -> Void = {
      _ async throws(AccountError) in throw .deletion(.unconfirmed)
    },
    unlock: @escaping @Sendable () async -> StoreFault? = { nil }
  ) {
    self.states = states
    self.restore = restore
    self.activate = activate
    self.signOut = signOut
    self.move = move
    self.delete = delete
    self.unlock = unlock
  }
}

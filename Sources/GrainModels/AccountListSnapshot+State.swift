import GrainServices
import GrainSnapshots

extension AccountListSnapshot.Account {
  private static let longestAddress = 2048

  /// An account as the list shows it, with what can be done to it.
  init(_ account: AccountRecord, can: [IntentName]) {
    self.init(
      provider: account.id.provider.rawValue, handle: account.handle.map(AccountRecord.line),
      displayName: account.displayName.map(AccountRecord.line),
      avatar: account.avatar.flatMap {
        $0.utf8.count <= Self.longestAddress ? Media(uri: $0) : nil
      },
      standing: AccountListSnapshot.Standing(account),
      unavailable: account.unavailable.map(\.rawValue), can: can)
  }
}

extension AccountListSnapshot.Standing {
  /// How an account stands.
  init(_ account: AccountRecord) {
    self =
      switch account.standing {
      case .expired: .expired
      case .inactive: .inactive
      case .ok: account.unavailable.isEmpty ? .ok : .scopeMissing
      }
  }
}

extension AccountListSnapshot.Session {
  /// The session machine's state, without what it is about.
  init(_ session: SessionState) {
    self =
      switch session {
      case .restoring: .restoring
      case .signedOut: .signedOut
      case .authenticating: .authenticating
      case .signedIn: .signedIn
      case .refreshing: .refreshing
      case .revoked: .revoked
      }
  }
}

extension AccountsState {
  /// Why the session is what it is, where the person should know.
  var sessionReason: Message? {
    switch session {
    case .restoring: fault.map { Problem($0).message }
    case .signedOut(let reason?): reason.message
    case .revoked(_, let reason): SignedOutReason.ended(reason).message
    default: nil
    }
  }
}

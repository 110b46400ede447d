import GrainServices
import GrainSnapshots

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

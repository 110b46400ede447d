import GrainServices
import GrainSnapshots

extension SignedOutReason {
  /// Why the person has to sign in again, where a list or a sign-in screen says so (G64).
  var message: Message {
    switch self {
    case .permissionsChanged:
      Message(
        key: "session.permissionsChanged",
        fallback: "Grain was updated. Please sign in again to use its new features.")
    case .ended:
      Message(
        key: "session.ended",
        fallback: "Your session has ended. Please sign in again; nothing was lost.")
    }
  }
}

import GrainServices
import GrainSnapshots

extension LeftSignIn {
  /// The intent that would begin it.
  var intent: IntentName {
    switch target {
    case .newAccount: .loginCreateAccount
    case .account: .accountsReauthenticate
    case .name: .loginSubmitHandle
    case .deletion: .accountsDelete
    }
  }
}

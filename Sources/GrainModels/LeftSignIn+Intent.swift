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
    // These are not left to another run: their pages end with this one.
    case .platrium, .platriumToken, .pixiv: .loginStart
    }
  }
}

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
    case .platrium: .loginSubmit
    // These are not left to another run: one has no page, the other's ends with this one.
    case .platriumToken, .pixiv: .loginStart
    }
  }
}

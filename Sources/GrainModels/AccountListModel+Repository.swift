package import ATSyntax
import GrainServices

extension AccountListModel {
  /// The repository of the account whose data may be shown; `nil` for one of another provider than Grain,
  /// which owns no drafts.
  package var activeRepo: DID? { active?.did }
}

extension AccountsState {
  /// Whether an account is there with its credentials.
  func canUse(_ account: AccountID) -> Bool {
    accounts.contains { $0.id == account && $0.hasCredentials }
  }
}

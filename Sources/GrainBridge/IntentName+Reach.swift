import GrainSnapshots

extension IntentName {
  /// Whether the work of this intent's operation is seen in a model that does not show the operation: a
  /// sign-in in the account list, a publish in the list of drafts.
  func isSeen(in model: String) -> Bool {
    guard let domain = rawValue.split(separator: ".").first else { return false }
    return switch domain {
    case "gallery": model == DraftListSnapshot.model
    // Who is shown decides about everything that belongs to an account.
    case "login", "accounts", "devices":
      [LoginSnapshot.model, AccountListSnapshot.model, DraftListSnapshot.model].contains(model)
    default: false
    }
  }
}

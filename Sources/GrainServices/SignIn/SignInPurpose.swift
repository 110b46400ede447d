/// What a sign-in is for.
package enum SignInPurpose: Equatable, Sendable {
  /// The account is used from now on, and active.
  case use
  /// Its owner confirms that it is to be deleted (A45); whoever is active stays active.
  case deletion
}

extension SignInTarget {
  /// What the sign-in is for.
  var purpose: SignInPurpose {
    if case .deletion = self { .deletion } else { .use }
  }
}

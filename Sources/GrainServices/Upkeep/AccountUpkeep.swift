package import ATIdentity
package import ATOAuth
package import ATSyntax

/// What an account service looks up by itself, beyond what calls ask for: where accounts live now, and
/// what they are called.
///
/// A service without it makes no request that nobody asked for.
package struct AccountUpkeep: Sendable {
  /// The account's identity, resolved afresh.
  package var resolve: @Sendable (_ did: DID) async throws(IdentityError) -> Identity
  /// Whether the account has moved (G101).
  package var locate:
    @Sendable (_ grant: Grant) async throws(ATOAuthError) -> AccountRelocation.Outcome
  /// Whether a Grain profile is made for accounts that have none (G114).
  package var ensuresProfile: Bool

  /// An upkeep made of its closures.
  package init(
    resolve: @escaping @Sendable (DID) async throws(IdentityError) -> Identity,
    locate: @escaping @Sendable (Grant) async throws(ATOAuthError) -> AccountRelocation.Outcome,
    ensuresProfile: Bool
  ) {
    self.resolve = resolve
    self.locate = locate
    self.ensuresProfile = ensuresProfile
  }
}

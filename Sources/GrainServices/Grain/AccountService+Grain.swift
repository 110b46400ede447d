package import ATOAuth
package import ATSyntax

extension AccountService {
  /// A client bound to one Grain account, whoever is active meanwhile.
  ///
  /// - Throws: `sessionExpired` when the account has no credentials any more.
  package nonisolated func client(_ did: DID) async throws(CallFault) -> RepositoryClient {
    try await sources.grain.client(did)
  }

  /// Stores a new grant, then shows its account.
  ///
  /// - Throws: when it cannot be stored; then its tokens are revoked and nothing has changed.
  package func adopt(_ grant: Grant, _ purpose: SignInPurpose = .use) async throws(StoreFault) {
    try await adopt(sources.grain.signedIn(grant), purpose)
  }
}

extension AccountStore {
  /// Stores a signed-in Grain account and makes it the active one.
  package func adopt(_ grant: Grant, missingScopes: [String]) throws(StoreFault) -> Stored {
    try adopt(
      SignedInAccount(
        id: grant.did.account, handle: grant.handle?.rawValue, missingScopes: missingScopes,
        credentials: grant.sealable()))
  }
}

package import ATSyntax
package import GrainServices

extension DID {
  /// Alice, in tests of models and of the bridge.
  package static var alice: DID { known("did:web:alice.test") }
  /// Bob, likewise.
  package static var bob: DID { known("did:web:bob.test") }

  private static func known(_ text: String) -> DID {
    do { return try DID(text) } catch { preconditionFailure("\(text) is no DID") }
  }
}

extension AccountID {
  /// Alice's Grain account.
  package static var alice: AccountID { AccountID(.alice) }
  /// Bob's, likewise.
  package static var bob: AccountID { AccountID(.bob) }
}

extension AccountID {
  /// Paula, who has files at a Platrium service.
  package static var paula: AccountID {
    .platrium(authority: "platrium.test", user: "u-7")
  }
  /// Pia, who draws.
  package static var pia: AccountID { .pixiv(user: "77") }
}

extension ProviderOffer {
  /// Everybody there is; the Platrium service has to be named.
  package static var all: [ProviderOffer] {
    [
      ProviderOffer(provider: .grain, needs: .handle),
      ProviderOffer(provider: .platrium, needs: .server),
      ProviderOffer(provider: .pixiv, needs: .none, needsWebView: true),
    ]
  }
}

extension AccountsState {
  /// One account of each provider; the Platrium one is active.
  package static var three: AccountsState {
    AccountsState(
      session: .signedIn(.paula),
      accounts: [
        AccountRecord(did: .alice, handle: nil),
        AccountRecord(id: .paula, handle: nil, displayName: "Paula"),
        AccountRecord(id: .pia, handle: "pia", displayName: "Pia"),
      ], active: .paula)
  }

  /// Nobody.
  package static var nobody: AccountsState { AccountsState(session: .signedOut(nil)) }

  /// Alice alone, signed in.
  package static var alice: AccountsState {
    AccountsState(
      session: .signedIn(.alice), accounts: [AccountRecord(did: .alice, handle: nil)],
      active: .alice)
  }

  /// Alice signed in and active, Bob signed in as well.
  package static var both: AccountsState {
    var state = alice
    state.accounts.append(AccountRecord(did: .bob, handle: nil))
    return state
  }
}

extension BrowserRequest {
  /// A sign-in page whose answer comes through the shell.
  package static var page: BrowserRequest {
    BrowserRequest(
      url: "https://pds.test/oauth/authorize?client_id=c&request_uri=urn%3Aone-time",
      host: "pds.test",
      callback: .shell(scheme: "com.example.grain", host: nil, path: "/callback"))
  }
}

package import ATSyntax
package import Foundation
package import OAuth
package import OpenSSLCrypto

/// A signed-in account: who it is, where its servers are, its tokens and its key (G29).
///
/// Holds secrets: keep it in the vault, whole, as ``sealable()`` writes it.
package struct Grant: Sendable {
  /// The account, proven by its own document.
  package let did: DID
  /// A handle confirmed in both directions at sign-in; `nil` where there was none, or none yet.
  package let handle: Handle?
  /// The origin calls go to; the only one that ever sees the access token.
  package let pds: URL
  /// The authorization server's name.
  package let issuer: Issuer
  /// Where the account's tokens are refreshed, without any discovery (G54).
  package let tokenEndpoint: URL
  /// Where they are revoked, if that is offered.
  package let revocationEndpoint: URL?
  /// The client id the tokens were issued to; a refresh under another is refused.
  package let clientID: String
  /// The tokens.
  package let tokens: TokenSet
  /// The key the tokens are bound to; it does not change during the grant.
  package let dpopKey: P256PrivateKey

  /// A grant whose parts were checked by the caller.
  package init(
    did: DID, handle: Handle?, pds: URL, issuer: Issuer, tokenEndpoint: URL,
    revocationEndpoint: URL?, clientID: String, tokens: TokenSet, dpopKey: P256PrivateKey
  ) {
    self.did = did
    self.handle = handle
    self.pds = pds
    self.issuer = issuer
    self.tokenEndpoint = tokenEndpoint
    self.revocationEndpoint = revocationEndpoint
    self.clientID = clientID
    self.tokens = tokens
    self.dpopKey = dpopKey
  }

  /// What was granted, as the server wrote it.
  package var scope: String { tokens.scope }

  /// The grant with newer tokens.
  package func with(tokens: TokenSet) -> Grant {
    Grant(
      did: did, handle: handle, pds: pds, issuer: issuer, tokenEndpoint: tokenEndpoint,
      revocationEndpoint: revocationEndpoint, clientID: clientID, tokens: tokens, dpopKey: dpopKey)
  }

  /// The grant at another home server of the same issuer (G101).
  package func with(pds: URL, handle: Handle?) -> Grant {
    Grant(
      did: did, handle: handle, pds: pds, issuer: issuer, tokenEndpoint: tokenEndpoint,
      revocationEndpoint: revocationEndpoint, clientID: clientID, tokens: tokens, dpopKey: dpopKey)
  }
}

package import ATSyntax
package import Foundation
package import OAuth
package import OpenSSLCrypto

/// One sign-in between leaving for the browser and coming back.
///
/// Everything a callback is checked against, so that one which starts the program can be finished
/// (A17). Holds secrets: keep it in the vault, as ``sealable()`` writes it.
///
/// - SeeAlso: atproto-wire §7.3
package struct AuthorizationAttempt: Sendable {
  /// Proves that a callback answers this attempt; 32 random bytes in base64url.
  package let state: Secret
  /// The authorization server that was asked.
  package let issuer: Issuer
  /// Where the code is exchanged.
  package let tokenEndpoint: URL
  /// Where tokens that fail a check are revoked.
  package let revocationEndpoint: URL?
  /// The PKCE verifier.
  package let verifier: Secret
  /// The key of this attempt and of the session it may become; never used for another.
  package let dpopKey: P256PrivateKey
  /// The client id and redirect that were sent.
  package let client: ClientIdentity
  /// The scope that was asked for.
  package let scope: String
  /// The home server whose authorization server was asked.
  package let pds: URL
  /// Whose tokens are expected; `nil` for a sign-up, where only `sub` will tell.
  package let expectedDID: DID?
  /// The handle of that account, confirmed in both directions before the browser opened.
  package let handle: Handle?
  /// When the attempt began.
  package let createdAt: Date
  /// When a callback comes too late.
  package let expiresAt: Date

  /// Where its callback must arrive, or `nil` if the redirect is no longer one this program reads.
  package var route: CallbackRoute? {
    do {
      return try CallbackRoute(redirectURI: client.redirectURI)
    } catch {
      return nil
    }
  }

  /// Whether a callback's state is this attempt's; takes the same time wherever they differ.
  package func hasState(_ text: String?) -> Bool {
    guard let text else { return false }
    return state == Secret(text: text)
  }
}

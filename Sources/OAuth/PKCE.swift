import JOSE
package import OpenSSLCrypto
package import SystemClients

/// One proof key for code exchange: it ties an authorization code to the client that asked for it.
///
/// A pair serves one attempt only; the reference server refuses a challenge it has seen before.
///
/// - SeeAlso: RFC 7636
package struct PKCE: Sendable, Equatable {
  /// The only method atproto allows.
  package static let method = "S256"

  /// Sent with the code, and never before: 43 to 128 unreserved characters.
  package let verifier: Secret
  /// base64url of the verifier's SHA-256, sent when the authorization is asked for.
  package let challenge: String

  /// The pair of a verifier made earlier.
  package init(verifier: Secret) {
    self.verifier = verifier
    challenge = verifier.withBytes { Base64URL.encode(Digest.sha256($0)) }
  }

  /// A new pair from 32 random bytes.
  package static func make(random: SystemRandom) -> PKCE {
    PKCE(verifier: Secret(text: Base64URL.encode(random.bytes(32))))
  }
}

package import Foundation
package import OpenSSLCrypto
import OAuth

/// What one answer of a token endpoint gave; its parts are never mixed with another answer's.
package struct TokenSet: Sendable, Equatable {
  /// For the resource server, with a proof.
  package let accessToken: Secret
  /// For the token endpoint, once.
  package let refreshToken: Secret?
  /// When the access token ends, by this machine's clock; `nil` if the server did not say.
  package let expiresAt: Date?
  /// What was granted, as the server wrote it.
  package let scope: String

  /// A set of values that belong together.
  package init(accessToken: Secret, refreshToken: Secret?, expiresAt: Date?, scope: String) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiresAt = expiresAt
    self.scope = scope
  }

  /// The set after a refresh: what the answer leaves out stays as it was (G113).
  func refreshed(by response: TokenResponse) -> TokenSet {
    TokenSet(
      accessToken: response.accessToken, refreshToken: response.refreshToken ?? refreshToken,
      expiresAt: response.expiresAt, scope: response.scope ?? scope)
  }

  /// Whether the access token will have ended after this time from now.
  package func expires(within lead: Duration, of now: Date) -> Bool {
    guard let expiresAt else { return false }
    return expiresAt.timeIntervalSince(now) <= lead / .seconds(1)
  }
}

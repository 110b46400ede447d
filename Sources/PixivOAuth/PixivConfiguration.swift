package import Foundation
package import OpenSSLCrypto

/// What the host application brings for Pixiv: none of it is in this repository (A48). The API is not an
/// official one, so every value can be changed from outside.
///
/// - SeeAlso: grain-product §19
package struct PixivConfiguration: Sendable {
  /// Names the client at the token endpoint.
  package var clientID: String
  /// Goes with it.
  package var clientSecret: Secret
  /// Salts `X-Client-Hash`.
  package var hashSalt: Secret
  /// Where the person signs in.
  package var loginURL: URL
  /// Where codes and refresh tokens are exchanged.
  package var tokenURL: URL
  /// What the API's paths are added to.
  package var apiBase: URL
  /// Sent with a code; the web view never gets there.
  package var redirectURI: String
  /// The `client` of the login page.
  package var client: String
  /// Sent to this provider's hosts, and to no other (FB-G4).
  package var userAgent: String
  /// `App-OS` and `App-OS-Version`, for user agents of the iOS style.
  package var appOS: (name: String, version: String)?
  /// The language of texts meant for people.
  package var acceptLanguage: String

  /// The mobile application's addresses, with the host's own client values.
  package init?(
    clientID: String, clientSecret: Secret, hashSalt: Secret,
    loginURL: String = "https://app-api.pixiv.net/web/v1/login",
    tokenURL: String = "https://oauth.secure.pixiv.net/auth/token",
    apiBase: String = "https://app-api.pixiv.net"
  ) {
    guard
      !clientID.isEmpty, let login = URL(string: loginURL), let token = URL(string: tokenURL),
      let api = URL(string: apiBase)
    else { return nil }
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.hashSalt = hashSalt
    self.loginURL = login
    self.tokenURL = token
    self.apiBase = api
    redirectURI = "https://app-api.pixiv.net/web/v1/users/auth/pixiv/callback"
    client = "pixiv-android"
    userAgent = "PixivAndroidApp/5.0.234 (Android 11; Pixel 5)"
    acceptLanguage = "en"
  }
}

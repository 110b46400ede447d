package import Foundation
import HTTPTransport
package import OAuth
package import OpenSSLCrypto
package import SystemClients

/// One sign-in in a web view of the shell's own (X10, X11). Pixiv sends no `state`: what binds the answer
/// to the attempt is the web view it was caught in, and PKCE.
package struct PixivAttempt: Sendable {
  /// Where the web view's navigation is stopped; nothing is registered for it with the desktop (X19).
  package static let callback = "pixiv://account/login"

  /// Sent with the code, never before (X4).
  package let pkce: PKCE
  /// The page the web view opens.
  package let loginURL: URL
  /// The callback as a route.
  package let route: CallbackRoute

  /// A new attempt with a verifier of its own; a code that came too late is never tried again (FB-G2).
  package init(
    configuration: PixivConfiguration, random: SystemRandom
  ) throws(CallbackRoute.Invalid) {
    pkce = .make(random: random)
    route = try CallbackRoute(redirectURI: Self.callback)
    var components = URLComponents(url: configuration.loginURL, resolvingAgainstBaseURL: false)
    components?.percentEncodedQuery = FormURLEncoding.encodeText([
      ("code_challenge", pkce.challenge), ("code_challenge_method", PKCE.method),
      ("client", configuration.client),
    ])
    loginURL = components?.url ?? configuration.loginURL
  }

  /// The code, if this address is the one the web view was to stop at; `nil` for every other page, a code
  /// inside another parameter included, and the attempt goes on (FB-G3).
  package func code(from address: String) -> Secret? {
    do {
      return code(in: try CallbackURL(address))
    } catch {
      return nil
    }
  }

  /// The same for an address that was taken apart already.
  package func code(in url: CallbackURL) -> Secret? {
    guard route.matches(url), let code = url.code, !code.isEmpty else { return nil }
    return Secret(text: code)
  }
}

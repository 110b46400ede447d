package import Foundation
import HTTPTransport
package import OAuth
package import OpenSSLCrypto
package import SystemClients

/// One sign-in under way: what was sent to the browser, and what the answer must match (P10–P17).
///
/// Holds secrets: whoever keeps it across a restart (A17) keeps it sealed.
///
/// - SeeAlso: RFC 7636, grain-product §§17–18
package struct PlatriumAttempt: Sendable {
  /// The service that was asked.
  package let server: PlatriumServer
  /// Binds the answer to this attempt (A7).
  package let state: Secret
  /// Sent with the code, never before (P17).
  package let pkce: PKCE
  /// Where the answer arrives: a custom scheme, a loopback port of ours, or an allowed https address.
  package let redirectURI: String
  /// The redirect as a route.
  package let route: CallbackRoute

  /// An attempt by its parts, as it was kept.
  ///
  /// - Throws: when the redirect is no route.
  package init(
    server: PlatriumServer, redirectURI: String, state: Secret, pkce: PKCE
  ) throws(CallbackRoute.Invalid) {
    self.server = server
    self.redirectURI = redirectURI
    self.state = state
    self.pkce = pkce
    route = try CallbackRoute(redirectURI: redirectURI)
  }

  /// A new attempt with a state and a verifier of its own.
  ///
  /// - Throws: when the redirect is no route.
  package init(
    server: PlatriumServer, redirectURI: String, random: SystemRandom
  ) throws(CallbackRoute.Invalid) {
    try self.init(
      server: server, redirectURI: redirectURI,
      state: Secret(text: PKCE.make(random: random).challenge), pkce: .make(random: random))
  }

  /// The consent page for this attempt; it stands behind the service's own login (P11, P12).
  package func authorizationURL(for client: PlatriumClientIdentity) -> URL {
    var fields = [
      ("redirect_uri", redirectURI), ("code_challenge", pkce.challenge),
      ("code_challenge_method", PKCE.method), ("state", state.revealText()),
      ("name", client.name),
    ]
    if let platform = client.platform { fields.append(("platform", platform)) }
    if let version = client.appVersion, client.platform != nil {
      fields.append(("app_version", version))
    }
    var components = URLComponents(
      url: server.base.appending(path: "authorize"), resolvingAgainstBaseURL: false)
    components?.percentEncodedQuery = FormURLEncoding.encodeText(fields)
    return components?.url ?? server.base
  }

  /// The code of an answer: route first, then state, then a refusal, then the code (grain-product §17).
  ///
  /// - Throws: `callbackMismatch` for another route or state, which leaves the attempt as it was;
  ///   `denied` or `refused` when the service said no.
  package func code(from callback: CallbackURL) throws(PlatriumError) -> Secret {
    guard
      route.matches(callback), let answered = callback.state, Secret(text: answered) == state
    else { throw .callbackMismatch }
    if let error = callback.error {
      throw error == "access_denied"
        ? .denied
        : .refused(
          code: ServerText.clean(error, hiding: [state.revealText()], limit: 80), message: nil)
    }
    guard let code = callback.code, !code.isEmpty else { throw .callbackMismatch }
    return Secret(text: code)
  }
}

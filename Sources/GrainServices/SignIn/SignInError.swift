package import Foundation

/// Why nobody was signed in. Nothing is stored and other accounts are untouched.
package enum SignInError: Error, Equatable, Sendable {
  /// The text is neither a handle nor a DID.
  case handleInvalid(typed: String)
  /// Nobody answers to this name.
  case handleNotFound(name: String)
  /// The name could not be looked up; it may well exist.
  case identityUnreachable(name: String)
  /// The name leads to an account whose document does not name it back, so it may be anybody's.
  case handleUnconfirmed(name: String)
  /// The account's document names no PDS.
  case noServer(name: String)
  /// The server does not offer what sign-in needs, and what is missing.
  case serverUnsupported(host: String, detail: String)
  /// The authorization server could not read our client document (G68).
  case clientUnavailable(host: String, detail: String?)
  /// The person said no on the consent page.
  case denied
  /// The authorization server answered with an error of its own words.
  case refused(host: String, error: String, detail: String?)
  /// The browser's answer does not belong to this attempt.
  case callbackMismatch
  /// Another authorization server speaks than the one that was asked: two names that must be equal
  /// byte for byte are not (FB-A14, FB-A16). `found` is `nil` where none was given.
  case issuerMismatch(expected: String, found: String?, in: IssuerSource)
  /// The attempt took too long.
  case expired
  /// Another account came back than the one asked for.
  case identityMismatch
  /// The grant lacks `atproto`, without which nothing works.
  case grantUnusable
  /// The port on which the browser's answer was to be awaited belongs to another program (FB-B1); 0
  /// where none at all could be had.
  case noPort(Int)
  /// Network or server.
  case remote(RemoteFault)
  /// The new account could not be stored; its tokens were revoked.
  case store(StoreFault)
  /// Nobody can sign in with this provider here, and why.
  case unavailable(AccountProvider, ProviderOffer.Reason)
  /// The text is no address of a service, or none was named where one must be.
  case serverInvalid(typed: String)
  /// What was pasted does not look like a token; it was sent nowhere (P3, P25).
  case notAToken
  /// The service does not know the token that was pasted (P25).
  case tokenInvalid(host: String)
  /// The code was refused, or may have been used up by an answer that was lost; it is never sent again,
  /// only a new sign-in helps (P18, FB-G2).
  case codeSpent(host: String, detail: String?)
  /// A protection service answered in the provider's place (FB-G4).
  case blocked(host: String, status: Int)
  /// Another sign-in is under way.
  case busy
  /// The person or the shell stopped it.
  case cancelled

  /// Where an issuer was named.
  package enum IssuerSource: Equatable, Sendable {
    /// In the server's own document, before any browser opened.
    case metadata
    /// In the browser's answer, before any code was sent.
    case callback
    /// By the home server of the account that came back; its tokens were revoked (G28, FB-A15).
    case account
  }
}

/// How far a sign-in has come.
package enum SignInStep: Equatable, Sendable {
  case resolving
  /// The host that signs in, once it is known.
  case contacting(host: String)
  case waitingForBrowser(BrowserRequest)
  case exchanging
}

/// What a browser has to show, and how its answer comes back.
package struct BrowserRequest: Equatable, Sendable {
  /// The page; Grain's is the authorization endpoint with client id and one-time `request_uri` (G19).
  package let url: String
  /// The host whose page it is.
  package let host: String
  /// How the answer comes back.
  package let callback: Callback
  /// After this the server no longer knows the request: ask for the page anew instead of opening this
  /// one (FB-A25).
  package let opensUntil: Date
  /// Whether only a web view of the shell's own can catch the answer (X10, X11).
  package let needsWebView: Bool

  /// A page to show.
  package init(
    url: String, host: String, callback: Callback, opensUntil: Date = .distantFuture,
    needsWebView: Bool = false
  ) {
    self.url = url
    self.host = host
    self.callback = callback
    self.opensUntil = opensUntil
    self.needsWebView = needsWebView
  }

  /// Where the browser brings the answer.
  package enum Callback: Equatable, Sendable {
    /// We listen on a loopback port ourselves.
    case core
    /// The shell watches for exactly this scheme, host (often none) and path.
    case shell(scheme: String, host: String?, path: String)
  }
}

/// What became of a callback URL.
package enum CallbackDelivery: Equatable, Sendable {
  /// It belongs to the waiting attempt, which goes on with it.
  case delivered
  /// No waiting attempt has this route and state: ignored and counted (grain-product §17).
  case unknown
}

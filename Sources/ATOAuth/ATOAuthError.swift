package import ATIdentity
package import HTTPTransport
package import OAuth

/// Why a sign-in ended without an account.
package enum ATOAuthError: Error, Equatable, Sendable {
  /// The name or account could not be established: not found, unconfirmed, without a home server,
  /// or nobody answered.
  case identity(IdentityError)
  /// A server does not offer sign-in as atproto needs it (FB-A17).
  case serverUnsupported(host: String, Unsupported)
  /// The authorization server cannot get or does not accept this app's client document (G68).
  case clientUnavailable(host: String, description: String?)
  /// The person said no in the browser: a quiet end, not a fault (FB-A13).
  case denied
  /// The callback does not belong to the attempt.
  case callbackMismatch(CallbackMismatch)
  /// The person came back too late.
  case expired
  /// The attempt has had its callback; this one changes nothing.
  case alreadyUsed
  /// The tokens are another account's than the one asked for (FB-A15). They were revoked.
  case identityMismatch(IdentityMismatch)
  /// The grant lacks the `atproto` scope (FB-A23). Its tokens were revoked.
  case scopeRefused(granted: String?)
  /// No answer came from a server.
  case network(host: String, HTTPError)
  /// A server refused or failed, in its own words; `retryAfter` if it named a time.
  case server(
    host: String, status: Int, error: String?, description: String?, retryAfter: Duration?)
  /// A server answered with something the protocol does not allow; which part.
  case badResponse(host: String, String)
  /// This client's own settings cannot work at any server.
  case misconfigured(ClientIdentity.Invalid)
  /// A key or a signature could not be made.
  case cryptography

  /// What a server lacks.
  package enum Unsupported: Equatable, Sendable {
    /// It has no such document, or a page instead of it; the HTTP status.
    case noMetadata(status: Int)
    /// It redirects instead of answering.
    case redirects
    /// Its document breaks the rules.
    case metadata(MetadataError)
    /// It does not list the home server it is named by.
    case doesNotCover(resource: String)
  }

  /// What is wrong with a callback. No case holds any part of it but the two issuers.
  package enum CallbackMismatch: Equatable, Sendable {
    /// It is no URL that could be a callback.
    case malformed(CallbackURL.Invalid)
    /// It arrived somewhere else than the attempt's redirect.
    case route
    /// Its state is missing or not the attempt's.
    case state
    /// Its issuer is missing or not the attempt's (RFC 9207).
    case issuer(expected: String, found: String?)
    /// It carries neither an error nor a code.
    case noCode
  }

  /// Which check of the tokens' subject failed.
  package enum IdentityMismatch: Equatable, Sendable {
    /// The subject is missing or no atproto DID.
    case noSubject
    /// The subject is another DID than the one signed in with.
    case otherAccount
    /// The subject's home server signs in at another authorization server (G28).
    case hostedElsewhere(expected: String, found: String)
  }

  /// Whether starting the same sign-in again later may succeed (FB-A3).
  package var isTemporary: Bool {
    switch self {
    case .identity(.unreachable), .clientUnavailable, .denied, .expired: true
    case .network(_, let error):
      OAuthRequestError.transport(error).isTemporary
    case .server(_, let status, let error, _, _):
      status >= 500 || [408, 425, 429].contains(status) || error == "temporarily_unavailable"
    default: false
    }
  }
}

package import HTTPTransport

/// Why Platrium did not do what was asked.
package enum PlatriumError: Error, Equatable, Sendable {
  /// 401: the token is gone at the service. Forget it; there is nothing to refresh (P9).
  case tokenGone
  /// 403: the token is good, but not for this (a push token for an app, say). Never a reason to forget it.
  case forbidden(String?)
  /// 404: there is no such thing at the service (any more).
  case notFound
  /// The person said no on the consent page.
  case denied
  /// The answer of the browser belongs to another attempt or is none.
  case callbackMismatch
  /// The code was refused; it is burned, only a new sign-in helps (P18).
  case codeRefused
  /// The answer to the code was lost. It may have been redeemed, so it is never sent again (P18).
  case answerLost
  /// What was pasted or answered is no token.
  case invalidToken
  /// 429, or a wait the service asked for before; how long is left (P33).
  case rateLimited(Duration)
  /// Another refusal, with the service's code and words, cleaned.
  case refused(code: String, message: String?)
  /// 5xx, or an answer that makes no sense.
  case server(status: Int)
  /// No answer.
  case network(HTTPError)

  /// Whether the stored token has to be forgotten. Nothing but a 401 does that: 403, 429 and 5xx never.
  package var endsSession: Bool { self == .tokenGone }
}

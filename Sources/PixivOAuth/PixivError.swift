package import HTTPTransport

/// Why Pixiv did not do what was asked.
package enum PixivError: Error, Equatable, Sendable {
  /// The refresh token is refused: this account has to sign in again, and only this one is wiped (X18).
  case signInRequired(String?)
  /// The code came too late or was used; a new attempt is needed (FB-G2).
  case codeRefused(String?)
  /// Our client id or secret is refused. Nothing stored is touched (FB-G6).
  case clientRefused
  /// A protection service answered instead of Pixiv, with this status (FB-G4).
  case blocked(status: Int)
  /// The provider wants us to wait.
  case rateLimited(retryAfter: Duration?)
  /// The provider refused in its own words; nothing stored is touched.
  case refused(status: Int, message: String?)
  /// An answer that makes no sense.
  case badAnswer(status: Int)
  /// No answer.
  case network(HTTPError)
  /// The tokens could not be stored; they are not used then.
  case storeFailed
  /// A page of another host was named as the next one.
  case foreignPage

  /// Whether the stored tokens of the account have to go.
  package var endsSession: Bool {
    if case .signInRequired = self { return true }
    return false
  }
}

package import Foundation
package import HTTPTransport
package import OpenSSLCrypto
import StrictJSON

/// What a token endpoint hands out.
///
/// - SeeAlso: RFC 6749 §5.1, RFC 9449 §5
package struct TokenResponse: Sendable, Equatable {
  /// Bound to the key whose proof came with the request.
  package let accessToken: Secret
  /// Absent where the server keeps the old one good (G113).
  package let refreshToken: Secret?
  /// When the access token ends, counted from the start of the request; `nil` if the server is silent.
  package let expiresAt: Date?
  /// What was granted, as the server wrote it; absent when it did not say.
  package let scope: String?
  /// Whose tokens these are, as the server claims it; nothing to trust before it is checked.
  package let subject: String?

  /// Reads the endpoint's answer.
  ///
  /// - Throws: ``OAuthRequestError/unreadable(_:)`` when the access token is missing or the token is not
  ///   bound to our key (`token_type` other than DPoP, in any case).
  package init(_ answer: TokenEndpointClient.Answer) throws(OAuthRequestError) {
    guard let body = JSONValue(ofResponse: answer.response)?.objectValue else {
      throw .unreadable("body")
    }
    guard let accessToken = body["access_token"]?.stringValue, Self.isToken(accessToken) else {
      throw .unreadable("access_token")
    }
    guard body["token_type"]?.stringValue?.lowercased() == "dpop" else {
      throw .unreadable("token_type")
    }
    self.accessToken = Secret(text: accessToken)
    refreshToken = body["refresh_token"]?.stringValue.flatMap {
      $0.isEmpty ? nil : Secret(text: $0)
    }
    // Whatever a server writes, the end is a date that can be reckoned with: at most a year ahead.
    expiresAt = body["expires_in"]?.doubleValue.map {
      answer.sentAt.addingTimeInterval(min(max(0, $0), 31_536_000))
    }
    scope = body["scope"]?.stringValue
    subject = body["sub"]?.stringValue
  }

  /// What a server has issued, though it may be unusable: whatever came is to be given back.
  ///
  /// - Returns: the refresh token, or else the access token; `nil` where there is neither.
  package static func issued(
    in response: HTTPResponse
  ) -> (token: Secret, isRefreshToken: Bool)? {
    guard let body = JSONValue(ofResponse: response)?.objectValue else { return nil }
    for (member, isRefreshToken) in [("refresh_token", true), ("access_token", false)] {
      guard let text = body[member]?.stringValue, !text.isEmpty else { continue }
      return (Secret(text: text), isRefreshToken)
    }
    return nil
  }

  /// Whether the text can stand in an `Authorization` header: visible ASCII, nothing else.
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

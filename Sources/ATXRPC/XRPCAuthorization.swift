package import Foundation
package import HTTPTransport

/// How one account's calls are signed: closures over whoever owns its tokens.
///
/// Bound to one account for its whole life; nothing here asks who is active.
package struct XRPCAuthorization: Sendable {
  /// Names a token without holding it: two tags are equal when the tokens are the same.
  package struct TokenTag: Hashable, Sendable {
    private let value: String

    /// A tag from anything that differs between tokens, such as a count of refreshes.
    package init(_ value: String) { self.value = value }
  }

  /// A request with `Authorization` and a fresh proof.
  package struct Signed: Sendable {
    /// The request to send.
    package let request: HTTPRequest
    /// Which token it carries.
    package let token: TokenTag
    /// The nonce its proof carries.
    package let nonce: String?

    /// A signed request.
    package init(request: HTTPRequest, token: TokenTag, nonce: String?) {
      self.request = request
      self.token = token
      self.nonce = nonce
    }
  }

  /// Signs a request with the account's current token, refreshed first if it is about to end; fails
  /// for a request to another origin than the account's home server.
  package var sign: @Sendable (HTTPRequest) async throws(XRPCError) -> Signed
  /// Takes the nonce from a response of any status and returns it.
  package var learn: @Sendable (HTTPResponse, URL) -> String?
  /// Takes the server's time from a response that refused a proof.
  package var correctClock: @Sendable (HTTPResponse, URL) -> Void
  /// Which token the account has now.
  package var currentToken: @Sendable () async -> TokenTag
  /// Returns once the account has another token than this one, joining a refresh under way.
  package var refresh: @Sendable (TokenTag) async throws(XRPCError) -> Void

  /// An authorization made of its closures.
  package init(
    sign: @escaping @Sendable (HTTPRequest) async throws(XRPCError) -> Signed,
    learn: @escaping @Sendable (HTTPResponse, URL) -> String?,
    correctClock: @escaping @Sendable (HTTPResponse, URL) -> Void,
    currentToken: @escaping @Sendable () async -> TokenTag,
    refresh: @escaping @Sendable (TokenTag) async throws(XRPCError) -> Void
  ) {
    self.sign = sign
    self.learn = learn
    self.correctClock = correctClock
    self.currentToken = currentToken
    self.refresh = refresh
  }
}

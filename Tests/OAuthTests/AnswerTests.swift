import Foundation
import HTTPTransport
import OAuth
import OpenSSLCrypto
import Testing

@Suite("Successful answers of an authorization server")
struct AnswerTests {
  private let sentAt = Date(timeIntervalSince1970: 1000)

  private func answer(_ body: String) -> TokenEndpointClient.Answer {
    TokenEndpointClient.Answer(
      response: HTTPResponse(status: 200, body: Array(body.utf8)), sentAt: sentAt)
  }

  @Test("tokens expire by the start of the request, not by the arrival of the answer")
  func tokens() throws {
    let response = try TokenResponse(
      answer(
        """
        {"access_token":"a.b","token_type":"DPoP","refresh_token":"ref-1","scope":"atproto",
        "expires_in":3599,"sub":"did:plc:x"}
        """))
    #expect(response.accessToken == Secret(text: "a.b"))
    #expect(response.refreshToken == Secret(text: "ref-1"))
    #expect(response.expiresAt == sentAt.addingTimeInterval(3599))
    #expect(response.scope == "atproto")
    #expect(response.subject == "did:plc:x")
  }

  @Test("what a server leaves out is absent, and the token type has no case (G113)")
  func tolerant() throws {
    let response = try TokenResponse(
      answer(#"{"access_token":"a","token_type":"dpop","refresh_token":"","expires_in":-5}"#))
    #expect(response.refreshToken == nil)
    #expect(response.scope == nil)
    #expect(response.subject == nil)
    #expect(response.expiresAt == sentAt)
    // A number no clock can hold is believed for a year.
    let eternal = #"{"access_token":"a","token_type":"DPoP","expires_in":1e300}"#
    #expect(
      try TokenResponse(answer(eternal)).expiresAt == sentAt.addingTimeInterval(31_536_000))
    #expect(
      try TokenResponse(answer(#"{"access_token":"a","token_type":"DPOP"}"#)).expiresAt == nil)
  }

  @Test(
    "an answer that cannot be used says which part, never its content (FB-A3)",
    arguments: [
      ("[]", "body"), ("<html>", "body"), (#"{"token_type":"DPoP"}"#, "access_token"),
      (#"{"access_token":"","token_type":"DPoP"}"#, "access_token"),
      (#"{"access_token":"a\r\nX: y","token_type":"DPoP"}"#, "access_token"),
      (#"{"access_token":7,"token_type":"DPoP"}"#, "access_token"),
      (#"{"access_token":"a","token_type":"Bearer"}"#, "token_type"),
      (#"{"access_token":"a"}"#, "token_type"),
    ])
  func unusableTokens(body: String, part: String) {
    #expect(throws: OAuthRequestError.unreadable(part)) { try TokenResponse(answer(body)) }
  }

  @Test("a pushed request is named in the browser's address with the client id alone (G19)")
  func pushed() throws {
    let pushed = try PushedAuthorization(
      answer(#"{"request_uri":"urn:ietf:params:oauth:request_uri:req-1","expires_in":299}"#))
    #expect(pushed.expiresAt == sentAt.addingTimeInterval(299))
    let query =
      "client_id=https%3A%2F%2Fa.test%2Fc.json&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Areq-1"
    #expect(
      pushed.authorizationURL(
        endpoint: try OAuthFixture.url("https://as.test/authorize"),
        clientID: "https://a.test/c.json")
        == "https://as.test/authorize?\(query)")
    #expect(
      pushed.authorizationURL(
        endpoint: try OAuthFixture.url("https://as.test/authorize?x=1"),
        clientID: "https://a.test/c.json")
        == "https://as.test/authorize?x=1&\(query)")
  }

  @Test(
    "a pushed request without a name or a lifetime is no success",
    arguments: [
      ("{}", "request_uri"), (#"{"request_uri":"","expires_in":9}"#, "request_uri"),
      (#"{"request_uri":"urn:x"}"#, "expires_in"),
      (#"{"request_uri":"urn:x","expires_in":0}"#, "expires_in"),
      ("", "body"),
    ])
  func unusablePush(body: String, part: String) {
    #expect(throws: OAuthRequestError.unreadable(part)) { try PushedAuthorization(answer(body)) }
  }
}

import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import JOSE
import OpenSSLCrypto
import StrictJSON
import Testing

@testable import Sandbox

@Suite("Codes against tokens")
struct CodeGrantTests {
  private let rig: AuthorizationRig

  init() throws { rig = try AuthorizationRig() }

  private func redeem(
    _ code: String, _ changes: [String: String?] = [:], key: P256PrivateKey? = nil
  ) async throws -> HTTPServerResponse {
    try await rig.signedPost(
      "/oauth/token", AuthorizationRig.codeFields(code, changes), key: key)
  }

  @Test("a code buys an access token, a refresh token, the scope and the account")
  func tokens() async throws {
    let response = try await redeem(rig.code())
    let tokens = try Tokens(response)
    #expect(
      try response.json.keys == [
        "access_token", "token_type", "refresh_token", "scope", "expires_in", "sub",
      ])
    #expect(try response.json["token_type"]?.stringValue == "DPoP")
    #expect(tokens.refresh.wholeMatch(of: /ref-GRAINCANARY[0-9a-f]{53}/) != nil)
    #expect(tokens.scope == AuthorizationRig.scope.joined(separator: " "))
    #expect(tokens.expiresIn == 3600)
    #expect(tokens.subject == FakeDirectory.alice)
    #expect(response.headers["Content-Type"] == "application/json")
    #expect(response.headers["Cache-Control"] == "no-store")
    #expect(response.headers["DPoP-Nonce"] != nil)
  }

  @Test("a client that declares no refresh gets none")
  func withoutRefresh() async throws {
    let rig = try AuthorizationRig { $0["grant_types"] = ["authorization_code"] }
    let response = try await rig.signedPost(
      "/oauth/token", AuthorizationRig.codeFields(rig.code()))
    #expect(try response.json["refresh_token"] == nil)
    let refresh = try await rig.refresh("ref-" + String(repeating: "0", count: 64))
    #expect(
      refresh.outcome
        == "400 invalid_grant: \"refresh_token\" grant type is not allowed for this client")
  }

  /// A mistake after which the code is gone.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let changes: [String: String?]
    let text: String
    var testDescription: String { text }
  }

  @Test(
    "each mistake after the code is taken destroys it (wire §7.2)",
    arguments: [
      Mistake(
        changes: ["redirect_uri": "http://127.0.0.1:1/cb"],
        text: "The redirect_uri parameter must match the one used in the authorization request"),
      Mistake(
        changes: ["code_verifier": String(repeating: "a", count: 43)],
        text: "Invalid code_verifier"),
      Mistake(changes: ["code_verifier": nil], text: "code_verifier is required"),
    ])
  func mistakes(mistake: Mistake) async throws {
    let code = try await rig.code()
    let wrong = try await redeem(code, mistake.changes)
    #expect(wrong.outcome == "400 invalid_grant: \(mistake.text)")
    #expect(try await redeem(code).outcome == "400 invalid_grant: Invalid code")
  }

  @Test("another key than that of the pushed request is refused, and the code is gone")
  func otherKey() async throws {
    let code = try await rig.code()
    let wrong = try await redeem(code, key: P256PrivateKey.generate())
    #expect(
      wrong.outcome == "400 invalid_grant: DPoP proof does not match the expected JKT")
    #expect(try await redeem(code).outcome == "400 invalid_grant: Invalid code")
  }

  @Test("a key is bound here when the pushed request showed none")
  func lateKey() async throws {
    let response = try await rig.post("/oauth/par", AuthorizationRig.pushFields())
    let uri = try #require(try response.json["request_uri"]?.stringValue)
    let callback = try await rig.visitor().approve(
      authorizationURL: rig.address(requestURI: uri), handle: "alice.test", password: "sandbox")
    let tokens = try Tokens(await redeem(#require(callback.field("code"))))
    #expect(try await rig.access(tokens.access).outcome == "granted")
  }

  @Test("what is repeatable is refused before the code is taken (wire §8.2)")
  func repeatable() async throws {
    let code = try await rig.code()
    let url = AuthorizationRig.issuer + "/oauth/token"
    let fields = AuthorizationRig.codeFields(code)
    let stale = try rig.proof("POST", url, nonce: "old")
    #expect(
      try await rig.post("/oauth/token", fields, proof: stale).outcome
        == "400 use_dpop_nonce: DPoP \"nonce\" mismatch")
    #expect(
      try await rig.post("/oauth/token", fields).outcome
        == "401 invalid_dpop_proof: DPoP proof required")
    let unknown = "https://app.sandbox-host.dev/other.json"
    #expect(
      try await redeem(code, ["client_id": unknown]).outcome.hasPrefix(
        "400 invalid_client_metadata: "))
    #expect(
      try await redeem(code, ["grant_type": "password"]).outcome
        == "400 invalid_grant: Grant type \"password\" is not supported by the server")
    #expect(
      try await redeem(code, ["code_verifier": "short"]).outcome
        == "400 invalid_grant: Invalid token request: "
        + "Invalid code_verifier format at body.code_verifier")
    #expect(
      try await redeem(code, ["client_id": nil]).outcome
        == "400 invalid_grant: Invalid client credentials: Required at body.client_id")
    #expect(try await redeem(code).status == 200)
  }

  @Test("another client's code is no use, and gone")
  func otherClient() async throws {
    let id = "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb&scope=atproto"
    let code = try await rig.code()
    #expect(
      try await redeem(code, ["client_id": id]).outcome
        == "400 invalid_grant: Token was not issued to this client")
  }

  @Test("a code is good for five minutes")
  func expired() async throws {
    let code = try await rig.code()
    await rig.clock.advance(by: .seconds(301))
    rig.forgetNonce()
    #expect(try await redeem(code).outcome == "400 invalid_grant: This code has expired")
  }

  @Test("what does not look like a code is said so")
  func malformed() async throws {
    #expect(
      try await redeem("cod-1").outcome
        == "400 invalid_grant: Invalid code: Invalid code format")
    #expect(
      try await redeem("cod-" + String(repeating: "0", count: 64)).outcome
        == "400 invalid_grant: Invalid code")
  }

  @Test("a code used twice ends the session made from it and forgets the browser's sign-in")
  func replayed() async throws {
    let code = try await rig.code()
    let tokens = try Tokens(await redeem(code))
    #expect(try await rig.access(tokens.access).outcome == "granted")
    #expect(try await redeem(code).outcome == "400 invalid_grant: Invalid code")
    #expect(try await rig.access(tokens.access).outcome == "401 invalid_token: Invalid token")
    #expect(
      try await rig.refresh(tokens.refresh).outcome
        == "400 invalid_grant: Invalid refresh token")
  }

  @Test("a PKCE challenge is redeemed once a day, so every attempt needs its own")
  func challengeReuse() async throws {
    _ = try await rig.tokens()
    #expect(
      try await redeem(rig.code()).outcome == "400 invalid_grant: Code challenge already used")
    await rig.clock.advance(by: .seconds(26 * 3600 + 1))
    rig.forgetNonce()
    #expect(try await redeem(rig.code()).status == 200)
  }

  @Test("the issuer's own metadata and keys are the reference server's, with ES256 alone")
  func metadata() async throws {
    let response = try await rig.send("GET", "/.well-known/oauth-authorization-server")
    let json = try response.json
    #expect(response.headers["Cache-Control"] == "max-age=300")
    #expect(response.headers["DPoP-Nonce"] == nil)
    #expect(json["issuer"]?.stringValue == AuthorizationRig.issuer)
    #expect(json["dpop_signing_alg_values_supported"] == ["ES256"])
    #expect(json["protected_resources"] == [.string(AuthorizationRig.issuer)])
    for name in ["authorize", "token", "par", "revoke", "jwks"] {
      #expect(response.text.contains("\"\(AuthorizationRig.issuer)/oauth/\(name)\""))
    }
    for name in [
      "require_pushed_authorization_requests", "client_id_metadata_document_supported",
      "authorization_response_iss_parameter_supported", "require_request_uri_registration",
    ] {
      #expect(json[name]?.boolValue == true, "\(name)")
    }
    #expect(try await rig.send("GET", "/oauth/jwks").text == "{\"keys\":[]}")
    let entryway = ServerMetadata.document(issuer: "https://as.dev", protectedResources: [])
    #expect(entryway["protected_resources"] == nil)
  }
}

@Suite("Refresh tokens")
struct RefreshGrantTests {
  private let rig: AuthorizationRig

  init() throws { rig = try AuthorizationRig() }

  @Test("a refresh changes both tokens, and the old access token dies at once (wire §8.4)")
  func rotation() async throws {
    let first = try await rig.tokens()
    let second = try Tokens(await rig.refresh(first.refresh))
    #expect(first.access != second.access)
    #expect(first.refresh != second.refresh)
    #expect(second.scope == first.scope)
    #expect(second.subject == first.subject)
    #expect(try await rig.access(first.access).outcome == "401 invalid_token: Invalid token")
    #expect(try await rig.access(second.access).outcome == "granted")
  }

  @Test("a spent refresh token ends the whole session (FB-A5, FB-A6)")
  func replay() async throws {
    let first = try await rig.tokens()
    let second = try Tokens(await rig.refresh(first.refresh))
    let third = try Tokens(await rig.refresh(second.refresh))
    #expect(
      try await rig.refresh(first.refresh).outcome
        == "400 invalid_grant: Refresh token replayed")
    #expect(try await rig.access(third.access).outcome == "401 invalid_token: Invalid token")
    #expect(
      try await rig.refresh(third.refresh).outcome
        == "400 invalid_grant: Invalid refresh token")
  }

  @Test("of two refreshes at once with one token, one is a replay")
  func concurrent() async throws {
    let tokens = try await rig.tokens()
    async let one = rig.refresh(tokens.refresh)
    async let two = rig.refresh(tokens.refresh)
    let outcomes = try await [one.outcome, two.outcome]
    #expect(outcomes.sorted() == ["200", "400 invalid_grant: Refresh token replayed"])
  }

  @Test("another key ends the session, as any failure after the token was taken (wire §8.5)")
  func otherKey() async throws {
    let tokens = try await rig.tokens()
    #expect(
      try await rig.refresh(tokens.refresh, key: P256PrivateKey.generate()).outcome
        == "400 invalid_grant: DPoP proof does not match the expected JKT")
    #expect(
      try await rig.refresh(tokens.refresh).outcome
        == "400 invalid_grant: Invalid refresh token")
  }

  @Test("a nonce challenge, a broken proof or no proof leave the refresh token good")
  func repeatable() async throws {
    let tokens = try await rig.tokens()
    let fields = [
      ("grant_type", "refresh_token"), ("client_id", AuthorizationRig.clientID),
      ("refresh_token", tokens.refresh),
    ]
    let url = AuthorizationRig.issuer + "/oauth/token"
    let stale = try rig.proof("POST", url, nonce: nil)
    #expect(try await rig.post("/oauth/token", fields, proof: stale).status == 400)
    let wrong = try rig.proof("GET", url, nonce: await rig.currentNonce())
    #expect(try await rig.post("/oauth/token", fields, proof: wrong).status == 401)
    #expect(try await rig.post("/oauth/token", fields).status == 401)
    #expect(try await rig.refresh(tokens.refresh).status == 200)
  }

  @Test("an account that is gone ends its session")
  func accountGone() async throws {
    let tokens = try await rig.tokens()
    rig.directory.remove(FakeDirectory.alice)
    for _ in 0..<2 {
      #expect(
        try await rig.refresh(tokens.refresh).outcome
          == "400 invalid_grant: Invalid refresh token")
    }
  }

  @Test("what does not look like a refresh token is said so")
  func malformed() async throws {
    #expect(
      try await rig.refresh("ref-1").outcome
        == "400 invalid_grant: Invalid refresh token: Invalid refresh token format")
    #expect(
      try await rig.refresh("ref-" + String(repeating: "0", count: 64)).outcome
        == "400 invalid_grant: Invalid refresh token")
  }

  @Test("an access token is good for an hour, to the second of the server's clock (wire §10.3)")
  func accessExpiry() async throws {
    let tokens = try await rig.tokens()
    await rig.clock.advance(by: .seconds(3599))
    rig.forgetNonce()
    #expect(try await rig.access(tokens.access).outcome == "granted")
    await rig.clock.advance(by: .seconds(1))
    #expect(
      try await rig.access(tokens.access).outcome
        == "401 invalid_token: \"exp\" claim timestamp check failed")
    #expect(try await rig.refresh(tokens.refresh).status == 200)
  }

  @Test("a session ends after two weeks whatever its activity, its last token cut short (G111)")
  func sessionEnd() async throws {
    var tokens = try await rig.tokens()
    for _ in 0..<13 {
      await rig.clock.advance(by: .seconds(24 * 3600))
      rig.forgetNonce()
      tokens = try Tokens(await rig.refresh(tokens.refresh))
      #expect(tokens.expiresIn == 3600)
    }
    await rig.clock.advance(by: .seconds(24 * 3600 - 60))
    rig.forgetNonce()
    tokens = try Tokens(await rig.refresh(tokens.refresh))
    #expect(tokens.expiresIn == 60)
    await rig.clock.advance(by: .seconds(60))
    rig.forgetNonce()
    #expect(
      try await rig.refresh(tokens.refresh).outcome == "400 invalid_grant: Session expired")
  }

  @Test("a refresh token not used for two weeks has expired")
  func refreshExpiry() async throws {
    var settings = AuthorizationSettings()
    settings.lifetimes.session = .seconds(90 * 24 * 3600)
    let rig = try AuthorizationRig(settings: settings)
    let tokens = try await rig.tokens()
    await rig.clock.advance(by: .seconds(14 * 24 * 3600 + 1))
    rig.forgetNonce()
    #expect(
      try await rig.refresh(tokens.refresh).outcome
        == "400 invalid_grant: Refresh token expired")
  }
}

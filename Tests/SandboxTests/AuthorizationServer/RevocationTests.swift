import Foundation
import HTTPServing
import HTTPTransport
import OpenSSLCrypto
import Testing

@testable import Sandbox

@Suite("Revocation")
struct RevocationTests {
  private let rig: AuthorizationRig

  init() throws { rig = try AuthorizationRig() }

  private func fields(_ token: String, client: String? = nil) -> [(String, String)] {
    [
      ("client_id", client ?? AuthorizationRig.clientID), ("token", token),
      ("token_type_hint", "refresh_token"),
    ]
  }

  @Test("either token ends the session at once, and so does a refresh token already spent")
  func revoked() async throws {
    let first = try await rig.tokens()
    let second = try Tokens(await rig.refresh(first.refresh))
    let late = try await rig.signedPost("/oauth/revoke", fields(first.access))
    #expect(late.status == 200)
    #expect(late.text == "{}")
    #expect(
      try await rig.access(second.access).outcome == "granted",
      "a rotated access token finds nothing")
    _ = try await rig.signedPost("/oauth/revoke", fields(first.refresh))
    #expect(try await rig.access(second.access).outcome == "401 invalid_token: Invalid token")
    #expect(
      try await rig.refresh(second.refresh).outcome
        == "400 invalid_grant: Invalid refresh token")
  }

  @Test("the access token of the moment will do as well")
  func byAccessToken() async throws {
    let tokens = try await rig.tokens()
    _ = try await rig.signedPost("/oauth/revoke", fields(tokens.access))
    #expect(try await rig.access(tokens.access).outcome == "401 invalid_token: Invalid token")
  }

  @Test("200 is no proof: no proof, another key, another client and nonsense change nothing")
  func unproven() async throws {
    let tokens = try await rig.tokens()
    let other = "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb&scope=atproto"
    let answers = [
      try await rig.post("/oauth/revoke", fields(tokens.refresh)),
      try await rig.signedPost(
        "/oauth/revoke", fields(tokens.refresh), key: P256PrivateKey.generate()),
      try await rig.signedPost("/oauth/revoke", fields(tokens.refresh, client: other)),
      try await rig.signedPost("/oauth/revoke", fields("nonsense")),
    ]
    for answer in answers {
      #expect(answer.status == 200)
      #expect(answer.text == "{}")
    }
    #expect(try await rig.access(tokens.access).outcome == "granted")
  }

  @Test("a missing nonce, a broken proof and a broken body are refused")
  func refused() async throws {
    let tokens = try await rig.tokens()
    let url = AuthorizationRig.issuer + "/oauth/revoke"
    let bare = try rig.proof("POST", url, nonce: nil)
    #expect(
      try await rig.post("/oauth/revoke", fields(tokens.refresh), proof: bare).outcome
        == "400 use_dpop_nonce: Authorization server requires nonce in DPoP proof")
    let nonce = try await rig.currentNonce()
    let broken = try rig.proof("GET", url, nonce: nonce)
    #expect(
      try await rig.post("/oauth/revoke", fields(tokens.refresh), proof: broken).outcome
        == "401 invalid_dpop_proof: DPoP \"htm\" mismatch")
    #expect(
      try await rig.post("/oauth/revoke", [("token", "x")]).outcome
        == "400 invalid_request: Invalid client credentials: Required at body.client_id")
    #expect(
      try await rig.post(
        "/oauth/revoke", [("client_id", "x"), ("token", "x"), ("token_type_hint", "y")]
      ).outcome
        == "400 invalid_request: Invalid token identification: "
        + "Invalid enum value at body.token_type_hint")
  }
}

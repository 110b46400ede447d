import ATSyntax
import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import OpenSSLCrypto
import StrictJSON
import Testing

@testable import Sandbox

@Suite("Requests to the resource server")
struct AccessGuardTests {
  private let rig: AuthorizationRig
  private let path = "/xrpc/com.atproto.server.getSession"

  init() throws { rig = try AuthorizationRig() }

  private func verdict(_ headers: HTTPHeaders) async throws -> HTTPServerResponse {
    let url = try #require(URL(string: AuthorizationRig.issuer))
    switch await rig.server.verifyAccess(.test("GET", path, headers: headers), publicURL: url) {
    case .refused(let response): return response
    case .granted:
      Issue.record("a refusal was expected")
      return .empty(status: 200)
    }
  }

  @Test("a good request acts for its account, with the scopes of its token and the next nonce")
  func granted() async throws {
    let tokens = try await rig.tokens()
    guard case .granted(let grant) = try await rig.access(tokens.access) else {
      Issue.record("refused")
      return
    }
    #expect(grant.did.rawValue == FakeDirectory.alice)
    #expect(grant.scopes == AuthorizationRig.scope)
    #expect(grant.clientID == AuthorizationRig.clientID)
    #expect(grant.dpopNonce.utf8.count == 43)
  }

  @Test(
    "what is no DPoP authorization is refused without a challenge (wire §10.2)",
    arguments: [
      (nil, "401 AuthMissing: Authentication Required"),
      ("DPoP", "400 InvalidToken: Malformed authorization header"),
      ("DPoP  x", "400 InvalidToken: Malformed authorization header"),
      ("DPoP ", "400 invalid_request: Invalid authorization header"),
      ("Bearer x", "400 InvalidToken: Malformed token"),
      ("Basic x", "400 InvalidToken: Unexpected authorization type"),
      ("Digest x", "400 InvalidToken: Unsupported authorization type: Digest"),
    ] as [(String?, String)])
  func otherSchemes(header: String?, outcome: String) {
    switch AuthorizationHeader(header) {
    case .dpop: Issue.record("taken")
    case .refused(let response):
      #expect(response.outcome == outcome)
      #expect(response.headers["WWW-Authenticate"] == nil)
      #expect(response.headers["DPoP-Nonce"] == nil)
    }
  }

  @Test("the scheme's name is compared without case")
  func schemeCase() {
    guard case .dpop("x") = AuthorizationHeader("dpop x") else {
      Issue.record("refused")
      return
    }
  }

  @Test("a proof without a nonce is challenged with 401 and everything a client needs")
  func challenge() async throws {
    let tokens = try await rig.tokens()
    let proof = try rig.proof(
      "GET", AuthorizationRig.issuer + path, nonce: nil, token: tokens.access)
    let response = try await verdict([
      "Authorization": "DPoP \(tokens.access)", "DPoP": proof,
    ])
    let text = "Authorization server requires nonce in DPoP proof"
    #expect(response.outcome == "401 use_dpop_nonce: \(text)")
    #expect(
      response.headers["WWW-Authenticate"]
        == #"DPoP algs="ES256", error="use_dpop_nonce", error_description="\#(text)""#)
    #expect(response.headers["DPoP-Nonce"] != nil)
    #expect(response.headers["Content-Type"] == "application/json; charset=utf-8")
    #expect(response.headers["Cache-Control"] == "private")
    #expect(response.headers["Vary"] == "Authorization")
    #expect(
      response.headers["Access-Control-Expose-Headers"] == "DPoP-Nonce, WWW-Authenticate")
  }

  @Test("faults are found in the reference server's order")
  func order() async throws {
    let tokens = try await rig.tokens()
    let url = AuthorizationRig.issuer + path
    func outcome(
      _ token: String, key: P256PrivateKey? = nil, nonce: String? = nil, proof: String? = nil
    ) async throws -> String {
      let nonce = if let nonce { nonce } else { try await rig.currentNonce() }
      let proof = try proof ?? rig.proof("GET", url, nonce: nonce, token: token, key: key)
      return try await verdict(["Authorization": "DPoP \(token)", "DPoP": proof]).outcome
    }
    #expect(try await outcome("x", nonce: "old") == "401 use_dpop_nonce: DPoP \"nonce\" mismatch")
    #expect(try await outcome("x") == "401 invalid_token: Malformed token")
    let forged = tokens.access.dropLast(4) + "AAAA"
    #expect(
      try await outcome(String(forged)) == "401 invalid_token: signature verification failed")
    #expect(
      try await outcome(tokens.access, key: P256PrivateKey.generate())
        == "401 invalid_token: Invalid DPoP key binding")
    let missing = try await verdict(["Authorization": "DPoP \(tokens.access)"])
    #expect(missing.outcome == "401 invalid_dpop_proof: DPoP proof required")
    let other = try rig.proof("GET", url, nonce: await rig.currentNonce(), token: "other")
    #expect(
      try await outcome(tokens.access, proof: other)
        == "401 invalid_dpop_proof: DPoP \"ath\" mismatch")
  }

  @Test("a proof used at the authorization server is used up here as well")
  func sharedReplay() async throws {
    let tokens = try await rig.tokens()
    let url = AuthorizationRig.issuer
    let nonce = try await rig.currentNonce()
    let spent = try rig.proof("POST", url + "/oauth/revoke", nonce: nonce) {
      $0.claims["jti"] = "one"
    }
    let fields = [("client_id", AuthorizationRig.clientID), ("token", "x")]
    #expect(try await rig.post("/oauth/revoke", fields, proof: spent).status == 200)
    let again = try rig.proof("GET", url + path, nonce: nonce, token: tokens.access) {
      $0.claims["jti"] = "one"
    }
    #expect(
      try await rig.access(tokens.access, proof: again).outcome
        == "401 invalid_dpop_proof: DPoP proof replayed")
  }

  @Test("a token for another server is refused")
  func audience() async throws {
    rig.directory.move(
      FakeDirectory.alice, to: try #require(URL(string: "https://pds.elsewhere.dev")))
    let tokens = try await rig.tokens()
    #expect(try await rig.access(tokens.access).outcome == "401 invalid_token: Invalid audience")
  }

  @Test("sessions dropped by the server end at once")
  func dropped() async throws {
    let tokens = try await rig.tokens()
    await rig.server.dropSessions(of: try DID(FakeDirectory.alice))
    #expect(try await rig.access(tokens.access).outcome == "401 invalid_token: Invalid token")
    #expect(
      try await rig.refresh(tokens.refresh).outcome
        == "400 invalid_grant: Invalid refresh token")
  }

  @Test("behind an entryway nonces are the PDS's own, and a token outlives its session (FB-A2)")
  func entryway() async throws {
    let pds = "http://127.0.0.1:2590"
    rig.directory.move(FakeDirectory.alice, to: try #require(URL(string: pds)))
    let tokens = try await rig.tokens()
    #expect(
      try await rig.access(tokens.access, at: pds).outcome
        == "401 use_dpop_nonce: DPoP \"nonce\" mismatch", "the entryway's nonce is no good here")
    guard case .refused(let response) = try await rig.access(tokens.access, at: pds),
      let nonce = response.headers["DPoP-Nonce"]
    else {
      Issue.record("no challenge")
      return
    }
    #expect(try await rig.access(tokens.access, at: pds, nonce: nonce).outcome == "granted")
    _ = try await rig.signedPost(
      "/oauth/revoke", [("client_id", AuthorizationRig.clientID), ("token", tokens.refresh)])
    #expect(try await rig.access(tokens.access, at: pds, nonce: nonce).outcome == "granted")
    await rig.clock.advance(by: .seconds(3600))
    #expect(
      try await rig.access(tokens.access, at: pds, nonce: nonce).outcome
        == "401 use_dpop_nonce: DPoP \"nonce\" mismatch")
  }
}

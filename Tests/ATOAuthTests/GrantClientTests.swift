import ATOAuth
import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import StrictJSON
import Testing

@Suite("Refreshing and revoking a grant")
struct GrantClientTests {
  private let world = World()

  private var client: GrantClient {
    GrantClient(http: world.http, environment: world.environment)
  }

  @Test(
    "a refresh asks the stored endpoint with the stored client and key, and nobody else (G54, FB-A12)"
  )
  func request() async throws {
    let grant = try world.grant()
    let tokens = try await client.refresh(grant)
    #expect(world.addresses == ["as.test/oauth/token"])
    #expect(
      World.form(world.requests[0]) == [
        "grant_type": "refresh_token", "client_id": "https://grain.test/oauth/client.json",
        "refresh_token": "refresh-token-0",
      ])
    let proof = try World.proof(world.requests[0])
    #expect(proof.thumbprint == DPoPProver(key: grant.dpopKey).thumbprint)
    #expect(proof.claims["ath"] == nil)
    #expect(tokens.accessToken == Secret(text: "access-token-1"))
    #expect(tokens.refreshToken == Secret(text: "refresh-token-1"))
    #expect(tokens.expiresAt == world.clock.now.addingTimeInterval(3600))
  }

  @Test("what the answer leaves out is kept (G113)")
  func partialAnswer() async throws {
    world.answer("as.test/oauth/token", World.tokens(subject: nil, scope: nil, refresh: false))
    let tokens = try await client.refresh(world.grant())
    #expect(tokens.refreshToken == Secret(text: "refresh-token-0"))
    #expect(tokens.scope == World.scope)
    world.answer("as.test/oauth/token", World.tokens(scope: "atproto"))
    #expect(try await client.refresh(world.grant()).scope == "atproto")
  }

  @Test("the nonce of a refusal is followed once (FB-A8)")
  func nonce() async throws {
    world.answer(
      "as.test/oauth/token",
      .json(#"{"error":"use_dpop_nonce"}"#, status: 400, headers: ["DPoP-Nonce": "n2"]),
      World.tokens())
    _ = try await client.refresh(world.grant())
    #expect(try world.requests.map { try World.proof($0).claims["nonce"] } == [nil, "n2"])
  }

  private static let refusals: [(Int, String, Bool)] = [
    (400, #"{"error":"invalid_grant","error_description":"Refresh token replayed"}"#, true),
    (400, #"{"error":"never_seen_before"}"#, true), (401, #"{"error":"invalid_token"}"#, true),
    (403, #"{"error":"access_denied"}"#, true), (400, #"{"error":"invalid_request"}"#, false),
    (415, #"{"error":"invalid_request"}"#, false), (415, #"{"error":"unseen_before"}"#, false),
    (400, #"{"error":"unauthorized_client"}"#, true),
    (400, #"{"error":"use_dpop_nonce"}"#, false), (401, #"{"error":"invalid_dpop_proof"}"#, false),
    (400, #"{"error":"invalid_client"}"#, false), (401, #"{"error":"invalid_client"}"#, false),
    (400, #"{"error":"invalid_client_metadata"}"#, false),
    (400, #"{"error":"invalid_client_id"}"#, false),
    (400, #"{"error":"invalid_redirect_uri"}"#, false),
    (400, #"{"error":"temporarily_unavailable"}"#, false),
    (408, #"{"error":"invalid_grant"}"#, false), (425, #"{"error":"invalid_grant"}"#, false),
    (429, #"{"error":"RateLimitExceeded"}"#, false), (400, "<html>captive portal</html>", false),
    (403, "", false), (404, "{}", false), (400, #"{"error":7}"#, false),
    (302, #"{"error":"invalid_grant"}"#, false), (500, #"{"error":"invalid_grant"}"#, false),
    (503, "", false), (200, "<html>", false), (200, "{}", false),
    (403, #"{"error":"Forbidden"}"#, false), (404, #"{"error":"Not Found"}"#, false),
    (404, #"{"error":"not_found"}"#, false), (403, #"{"error":"forbidden","code":7}"#, false),
    (404, #"{"timestamp":"x","status":404,"error":"Not Found","path":"/oauth/token"}"#, false),
    (401, #"{"error":"unauthorized","message":"Sign in to the hotel's network"}"#, false),
    (400, #"{"error":"Bad Request","message":"No such tenant"}"#, false),
    (406, #"{"error":"NotAcceptableError","message":"x"}"#, false),
    (403, #"{"error":"never_seen_before","error_description":"x"}"#, true),
    (400, #"{"error":"invalid_grant","message":"x"}"#, true),
    (410, #"{"error":"invalid_grant"}"#, true),
  ]

  @Test(
    "only a refusal of the grant ends it; every other answer keeps the account (G55)",
    arguments: refusals)
  func classification(status: Int, body: String, ends: Bool) async throws {
    world.answer(
      "as.test/oauth/token",
      .response(
        HTTPResponse(status: status, headers: ["Retry-After": "7"], body: Array(body.utf8))))
    let grant = try world.grant()
    let failure = await #expect(throws: RefreshFailure.self) { try await client.refresh(grant) }
    let ended = if case .ended = failure { true } else { false }
    #expect(ended == ends)
  }

  @Test(
    "no answer keeps the account (FB-A4, FB-A6)",
    arguments: [HTTPError.connectionLost, .timeout, .offline, .tls("expired"), .cannotConnect("h")])
  func transport(error: HTTPError) async throws {
    world.answer("as.test/oauth/token", .failure(error))
    await #expect(throws: RefreshFailure.transient(.network(error), retryAfter: nil)) {
      try await client.refresh(world.grant())
    }
  }

  @Test("the time a server asks for is passed on, its words too")
  func words() async throws {
    world.answer(
      "as.test/oauth/token",
      .json(#"{"error":"slow_down"}"#, status: 429, headers: ["Retry-After": "30"]))
    await #expect(
      throws: RefreshFailure.transient(
        .server(status: 429, error: "slow_down", description: nil), retryAfter: .seconds(30))
    ) { try await client.refresh(world.grant()) }
    world.answer(
      "as.test/oauth/token",
      .json(
        #"{"error":"invalid_grant","error_description":"spent: refresh-token-0"}"#, status: 400))
    await #expect(throws: RefreshFailure.ended(error: "invalid_grant", description: "spent: …")) {
      try await client.refresh(world.grant())
    }
  }

  @Test("an answer for another account ends the grant and is revoked")
  func otherSubject() async throws {
    world.answer("as.test/oauth/token", World.tokens(subject: World.mallory))
    await #expect(throws: RefreshFailure.ended(error: "other_subject", description: nil)) {
      try await client.refresh(world.grant())
    }
    #expect(
      World.form(world.requests(to: "as.test/oauth/revoke")[0])["token"] == "refresh-token-1")
  }

  @Test(
    "a revocation names the refresh token, with a proof; a nonce refusal is followed (G59, FB-A27)")
  func revocation() async throws {
    world.answer(
      "as.test/oauth/revoke",
      .json(#"{"error":"use_dpop_nonce"}"#, status: 400, headers: ["DPoP-Nonce": "n1"]),
      .json("{}"))
    let grant = try world.grant()
    #expect(await client.revoke(try #require(Revocation(of: grant))) == nil)
    #expect(world.requests.count == 2)
    #expect(
      World.form(world.requests[1]) == [
        "client_id": "https://grain.test/oauth/client.json", "token": "refresh-token-0",
        "token_type_hint": "refresh_token",
      ])
    #expect(try World.proof(world.requests[1]).claims["nonce"] == "n1")
  }

  @Test("a revocation that fails reports why and throws nothing (G84)")
  func failedRevocation() async throws {
    let revocation = try #require(Revocation(of: try world.grant()))
    world.answer("as.test/oauth/revoke", .status(500))
    #expect(
      await client.revoke(revocation) == .answered(status: 500, error: nil, retryAfter: nil))
    world.answer("as.test/oauth/revoke", .failure(.timeout))
    #expect(await client.revoke(revocation) == .transport(.timeout))
    #expect(world.requests.allSatisfy { $0.deadline == .seconds(4) })
  }
}

import ATIdentity
import ATOAuth
import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import StrictJSON
import Testing

@Suite("Coming back from the browser")
struct CallbackCompletionTests {
  private let world = World()

  private func begin() async throws -> (AuthorizationFlow, StartedAuthorization) {
    let flow = try world.flow()
    return (flow, try await flow.begin(.account(ATIdentifier("alice.test"))))
  }

  private var tokenRequests: [HTTPRequest] { world.requests(to: "as.test/oauth/token") }

  @Test("the code is exchanged with verifier, redirect, key and the newest nonce (G22, FB-A1)")
  func exchange() async throws {
    let (flow, started) = try await begin()
    let grant = try await flow.complete(started.callback(), attempt: started.attempt)
    #expect(
      World.form(tokenRequests[0]) == [
        "grant_type": "authorization_code", "client_id": "https://grain.test/oauth/client.json",
        "code": "cod-1", "redirect_uri": "test.grain:/oauth/callback",
        "code_verifier": started.attempt.verifier.revealText(),
      ])
    let proof = try World.proof(tokenRequests[0])
    #expect(proof.claims["nonce"] == "as-2")
    #expect(proof.claims["ath"] == nil)
    #expect(proof.thumbprint == DPoPProver(key: started.attempt.dpopKey).thumbprint)
    #expect(grant.handle?.rawValue == "alice.test")
    #expect(grant.pds.absoluteString == "https://pds.test")
    #expect(grant.issuer.rawValue == "https://as.test")
    #expect(grant.tokenEndpoint.absoluteString == "https://as.test/oauth/token")
    #expect(grant.clientID == "https://grain.test/oauth/client.json")
    #expect(grant.tokens.accessToken == Secret(text: "access-token-1"))
    #expect(grant.tokens.expiresAt == world.clock.now.addingTimeInterval(3600))
    #expect(grant.scope == World.scope)
  }

  @Test("state, issuer, route and form are checked before any code leaves (G20, G21, G80, FB-A14)")
  func mismatches() async throws {
    let cases:
      [(String, @Sendable (StartedAuthorization) -> String, ATOAuthError.CallbackMismatch)] = [
        ("state", { $0.callback(state: "other") }, .state),
        (
          "no state", { _ in "test.grain:/oauth/callback?code=1&iss=https%3A%2F%2Fas.test" }, .state
        ),
        (
          "issuer", { $0.callback(issuer: "https://evil.test") },
          .issuer(expected: "https://as.test", found: "https://evil.test")
        ),
        (
          "slash", { $0.callback(issuer: "https://as.test/") },
          .issuer(expected: "https://as.test", found: "https://as.test/")
        ),
        (
          "no issuer", { $0.callback(issuer: nil) },
          .issuer(expected: "https://as.test", found: nil)
        ),
        (
          "issuer of an error", { $0.callback(issuer: nil, outcome: "error=access_denied") },
          .issuer(expected: "https://as.test", found: nil)
        ),
        ("route", { $0.callback().replacing("callback", with: "callback/") }, .route),
        ("scheme", { $0.callback().replacing("test.grain", with: "grain") }, .route),
        ("form", { $0.callback() + "&code=2" }, .malformed(.repeatedParameter("code"))),
        ("JARM", { $0.callback() + "&response=x" }, .malformed(.responseObject)),
        ("nothing", { $0.callback(outcome: "x=1") }, .noCode),
        ("empty code", { $0.callback(outcome: "code=") }, .noCode),
      ]
    for (name, callback, expected) in cases {
      let (flow, started) = try await begin()
      await #expect(throws: ATOAuthError.callbackMismatch(expected), "\(name)") {
        try await flow.complete(callback(started), attempt: started.attempt)
      }
    }
    #expect(tokenRequests.isEmpty)
  }

  @Test("a stranger's callback does not use the attempt up; its own does (A16)")
  func singleUse() async throws {
    let (flow, started) = try await begin()
    for stray in [started.callback(state: "other"), "grain://oauth/callback?code=1", "nonsense"] {
      await #expect(throws: ATOAuthError.self) {
        try await flow.complete(stray, attempt: started.attempt)
      }
    }
    _ = try await flow.complete(started.callback(), attempt: started.attempt)
    await #expect(throws: ATOAuthError.alreadyUsed) {
      try await flow.complete(started.callback(), attempt: started.attempt)
    }
    #expect(tokenRequests.count == 1)
  }

  @Test("even a failed callback uses the attempt up")
  func usedByFailure() async throws {
    let (flow, started) = try await begin()
    await #expect(throws: ATOAuthError.self) {
      try await flow.complete(started.callback(issuer: nil), attempt: started.attempt)
    }
    await #expect(throws: ATOAuthError.alreadyUsed) {
      try await flow.complete(started.callback(), attempt: started.attempt)
    }
  }

  @Test("an attempt ends after an hour, or when it is given up (A18, A46)")
  func expiry() async throws {
    let (flow, started) = try await begin()
    await world.clock.advance(by: .seconds(3600))
    await #expect(throws: ATOAuthError.expired) {
      try await flow.complete(started.callback(), attempt: started.attempt)
    }
    let (other, cancelled) = try await begin()
    await other.cancel(cancelled.attempt)
    await #expect(throws: ATOAuthError.alreadyUsed) {
      try await other.complete(cancelled.callback(), attempt: cancelled.attempt)
    }
    #expect(tokenRequests.isEmpty)
  }

  @Test("a denial is quiet, another error is told in the server's words (G81, FB-A13, FB-A25)")
  func denial() async throws {
    let (flow, started) = try await begin()
    await #expect(throws: ATOAuthError.denied) {
      try await flow.complete(
        started.callback(outcome: "error=access_denied&error_description=No"),
        attempt: started.attempt)
    }
    let (other, second) = try await begin()
    await #expect(
      throws: ATOAuthError.server(
        host: "https://as.test", status: 400, error: "server_error", description: "Try later",
        retryAfter: nil)
    ) {
      try await other.complete(
        second.callback(outcome: "error=server_error&error_description=Try+later"),
        attempt: second.attempt)
    }
  }

  @Test("an attempt that was stored finishes in a new process (A17)")
  func coldLaunch() async throws {
    let (_, started) = try await begin()
    let stored = try AuthorizationAttempt(unsealed: started.attempt.sealable())
    let grant = try await world.flow().complete(started.callback(), attempt: stored)
    #expect(grant.did.rawValue == World.alice)
  }

  @Test("tokens of another account are refused and revoked (G23, G82, FB-A15)")
  func wrongSubject() async throws {
    world.answer("as.test/oauth/token", World.tokens(subject: World.mallory))
    let (flow, started) = try await begin()
    await #expect(throws: ATOAuthError.identityMismatch(.otherAccount)) {
      try await flow.complete(started.callback(), attempt: started.attempt)
    }
    let revocation = try #require(world.requests(to: "as.test/oauth/revoke").first)
    #expect(
      World.form(revocation) == [
        "client_id": "https://grain.test/oauth/client.json", "token": "refresh-token-1",
        "token_type_hint": "refresh_token",
      ])
    #expect(
      try World.proof(revocation).thumbprint == DPoPProver(key: started.attempt.dpopKey).thumbprint)
  }

  @Test(
    "a subject must be a DID atproto resolves",
    arguments: [nil, "", "alice.test", "did:key:zabc", "did:plc:short"] as [String?])
  func noSubject(subject: String?) async throws {
    world.answer("as.test/oauth/token", World.tokens(subject: subject))
    let (flow, started) = try await begin()
    await #expect(throws: ATOAuthError.identityMismatch(.noSubject)) {
      try await flow.complete(started.callback(), attempt: started.attempt)
    }
    #expect(world.requests(to: "as.test/oauth/revoke").count == 1)
  }

  @Test("the account is looked up afresh: one that moved to a foreign server fails (FB-A15)")
  func movedAway() async throws {
    world.answer(
      "plc.test/\(World.alice)", .didDocument(), .didDocument(pds: "https://new.test"))
    world.answer(
      "new.test/.well-known/oauth-protected-resource",
      .protectedResource("https://new.test", server: "https://evil.test"))
    world.answer(
      "evil.test/.well-known/oauth-authorization-server", .authorizationServer("https://evil.test"))
    let (flow, started) = try await begin()
    await #expect(
      throws: ATOAuthError.identityMismatch(
        .hostedElsewhere(
          expected: "https://as.test", found: "https://evil.test"))
    ) { try await flow.complete(started.callback(), attempt: started.attempt) }
    #expect(world.requests(to: "as.test/oauth/revoke").count == 1)
  }

  @Test("an account that moved within its authorization server is kept, at its new home")
  func movedWithin() async throws {
    world.answer(
      "plc.test/\(World.alice)", .didDocument(), .didDocument(pds: "https://new.test"))
    world.answer(
      "new.test/.well-known/oauth-protected-resource", .protectedResource("https://new.test"))
    let (flow, started) = try await begin()
    let grant = try await flow.complete(started.callback(), attempt: started.attempt)
    #expect(grant.pds.absoluteString == "https://new.test")
  }

  @Test(
    "a new account is learnt from its subject and kept if it is hosted where it was made (G26–G28, G83)"
  )
  func signUp() async throws {
    world.answer(
      "signup.test/.well-known/oauth-protected-resource", .protectedResource("https://signup.test"))
    world.answer("plc.test/\(World.alice)", .didDocument(pds: "https://signup.test"))
    let flow = try world.flow()
    let started = try await flow.begin(.signUp)
    let grant = try await flow.complete(started.callback(), attempt: started.attempt)
    #expect(grant.did.rawValue == World.alice)
    #expect(grant.handle == nil)
    #expect(grant.pds.absoluteString == "https://signup.test")
    #expect(!world.addresses.contains("alice.test/.well-known/atproto-did"))
  }

  @Test("a new account that turns out to be hosted elsewhere is refused (G28, G83)")
  func signUpElsewhere() async throws {
    world.answer(
      "signup.test/.well-known/oauth-protected-resource", .protectedResource("https://signup.test"))
    world.answer(
      "pds.test/.well-known/oauth-protected-resource",
      .protectedResource(server: "https://other.test"))
    world.answer(
      "other.test/.well-known/oauth-authorization-server",
      .authorizationServer("https://other.test"))
    let flow = try world.flow()
    let started = try await flow.begin(.signUp)
    await #expect(
      throws: ATOAuthError.identityMismatch(
        .hostedElsewhere(
          expected: "https://as.test", found: "https://other.test"))
    ) { try await flow.complete(started.callback(), attempt: started.attempt) }
    #expect(world.requests(to: "as.test/oauth/revoke").count == 1)
  }

  @Test(
    "a grant without atproto is refused and revoked, any other subset is the caller's (FB-A23, G110)",
    arguments: [(nil, false), ("", false), ("repo:a.b.c", false), ("repo:a.b.c  atproto", true)]
      as [(String?, Bool)])
  func scope(scope: String?, isAccepted: Bool) async throws {
    world.answer("as.test/oauth/token", World.tokens(scope: scope))
    let (flow, started) = try await begin()
    if isAccepted {
      let grant = try await flow.complete(started.callback(), attempt: started.attempt)
      #expect(grant.scope == scope)
    } else {
      await #expect(throws: ATOAuthError.scopeRefused(granted: scope)) {
        try await flow.complete(started.callback(), attempt: started.attempt)
      }
      #expect(world.requests(to: "as.test/oauth/revoke").count == 1)
    }
  }

  @Test(
    "tokens that were issued but cannot be used are given back, with a proof of their key",
    arguments: [
      (#"{"access_token":"a-1","token_type":"Bearer","refresh_token":"r-1"}"#, "r-1"),
      (#"{"access_token":"a 1","token_type":"DPoP","refresh_token":"r-1"}"#, "r-1"),
      (#"{"token_type":"DPoP","refresh_token":"r-1"}"#, "r-1"),
      (#"{"access_token":"a-1"}"#, "a-1"),
    ])
  func unusable(body: String, token: String) async throws {
    world.answer("as.test/oauth/token", .json(body))
    let (flow, started) = try await begin()
    await #expect(throws: ATOAuthError.self) {
      try await flow.complete(started.callback(), attempt: started.attempt)
    }
    let revocation = try #require(world.requests(to: "as.test/oauth/revoke").first)
    #expect(revocation.method == "POST")
    #expect(
      World.form(revocation) == [
        "client_id": "https://grain.test/oauth/client.json", "token": token,
        "token_type_hint": token == "r-1" ? "refresh_token" : "access_token",
      ])
    #expect(
      try World.proof(revocation).thumbprint == DPoPProver(key: started.attempt.dpopKey).thumbprint)
  }

  @Test("a revocation that fails changes nothing about the reason given")
  func failedRevocation() async throws {
    world.answer("as.test/oauth/token", World.tokens(subject: World.mallory))
    world.answer("as.test/oauth/revoke", .failure(.timeout))
    let (flow, started) = try await begin()
    await #expect(throws: ATOAuthError.identityMismatch(.otherAccount)) {
      try await flow.complete(started.callback(), attempt: started.attempt)
    }
  }

  @Test(
    "a handle that changed meanwhile is left open: no look-up stands before the tokens (FB-A26)")
  func renamed() async throws {
    world.answer("plc.test/\(World.alice)", .didDocument(), .didDocument(handle: "new.test"))
    let (flow, started) = try await begin()
    let grant = try await flow.complete(started.callback(), attempt: started.attempt)
    #expect(grant.handle == nil)
    #expect(!world.addresses.contains("new.test/.well-known/atproto-did"))
  }

  @Test("faults of the token endpoint are told like those of the pushed request (FB-A3)")
  func tokenFaults() async throws {
    let cases: [(ScriptedHTTP.Answer, ATOAuthError)] = [
      (
        .json(
          #"{"error":"invalid_grant","error_description":"Invalid code cod-12345"}"#, status: 400),
        .server(
          host: "as.test", status: 400, error: "invalid_grant", description: "Invalid code …",
          retryAfter: nil)
      ),
      (
        .status(502),
        .server(host: "as.test", status: 502, error: nil, description: nil, retryAfter: nil)
      ),
      (
        .json(#"{"access_token":"a","token_type":"Bearer"}"#),
        .badResponse(host: "as.test", "token_type")
      ),
      (
        .json(#"{"error":"invalid_client_metadata"}"#, status: 400),
        .clientUnavailable(host: "as.test", description: nil)
      ),
    ]
    for (answer, expected) in cases {
      world.answer("as.test/oauth/token", answer)
      let (flow, started) = try await begin()
      await #expect(throws: expected) {
        try await flow.complete(
          started.callback(outcome: "code=cod-12345"), attempt: started.attempt)
      }
    }
  }
}

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

@Suite("Signing in, up to the browser")
struct SignInTests {
  private let world = World()

  private func begin(_ name: String = "alice.test") async throws -> StartedAuthorization {
    try await world.flow().begin(.account(ATIdentifier(name)))
  }

  @Test("a cold sign-in with a handle costs eight requests, one nonce refusal included")
  func cost() async throws {
    let flow = try world.flow()
    let started = try await flow.begin(.account(ATIdentifier("alice.test")))
    let grant = try await flow.complete(started.callback(), attempt: started.attempt)
    #expect(grant.did.rawValue == World.alice)
    #expect(
      world.addresses == [
        "alice.test/.well-known/atproto-did", "plc.test/\(World.alice)",
        "pds.test/.well-known/oauth-protected-resource",
        "as.test/.well-known/oauth-authorization-server", "as.test/oauth/par", "as.test/oauth/par",
        "as.test/oauth/token", "plc.test/\(World.alice)",
      ])
  }

  @Test("every request of a sign-in is bounded in time and size (check 11)")
  func bounds() async throws {
    let flow = try world.flow()
    let started = try await flow.begin(.account(ATIdentifier("alice.test")))
    _ = try await flow.complete(started.callback(), attempt: started.attempt)
    for request in world.requests {
      #expect(request.deadline <= .seconds(15), "\(request.url)")
      let limit = request.url.path.hasPrefix("/oauth/") ? 1 << 20 : 65_536
      #expect(request.maximumBodyBytes <= limit, "\(request.url)")
    }
  }

  @Test("the pushed form holds what was agreed and nothing else (G15–G18, G24, G76, FB-A22)")
  func form() async throws {
    let started = try await begin()
    let forms = world.requests(to: "as.test/oauth/par").map(World.form)
    #expect(forms.count == 2)
    #expect(
      forms[0] == [
        "client_id": "https://grain.test/oauth/client.json", "response_type": "code",
        "redirect_uri": "test.grain:/oauth/callback", "scope": World.scope,
        "state": started.attempt.state.revealText(), "code_challenge_method": "S256",
        "code_challenge": PKCE(verifier: started.attempt.verifier).challenge,
        "login_hint": "alice.test",
      ])
    #expect(forms[0] == forms[1])
  }

  @Test(
    "the first request has no nonce, the second the server's, both the attempt's key (G16, G79)")
  func proofs() async throws {
    let started = try await begin()
    let proofs = try world.requests(to: "as.test/oauth/par").map(World.proof)
    #expect(proofs.map { $0.claims["nonce"] } == [nil, "as-1"])
    let own = DPoPProver(key: started.attempt.dpopKey).thumbprint
    #expect(proofs.map(\.thumbprint) == [own, own])
    #expect(proofs.allSatisfy { $0.claims["ath"] == nil })
  }

  @Test(
    "the browser gets the client's id and the request's name only, and a time limit (G19, FB-A25)")
  func browser() async throws {
    let started = try await begin()
    #expect(
      started.authorizationURL == "https://as.test/oauth/authorize"
        + "?client_id=https%3A%2F%2Fgrain.test%2Foauth%2Fclient.json&request_uri=urn%3Areq-1")
    #expect(started.opensUntil == world.clock.now.addingTimeInterval(299))
    #expect(started.route == (try CallbackRoute(redirectURI: "test.grain:/oauth/callback")))
    #expect(started.attempt.expiresAt == world.clock.now.addingTimeInterval(3600))
  }

  @Test("every attempt has its own state, verifier and key")
  func fresh() async throws {
    let first = try await begin().attempt
    world.answer(
      "as.test/oauth/par", .json(#"{"request_uri":"urn:req-2","expires_in":299}"#, status: 200))
    let second = try await begin().attempt
    #expect(first.state.count == 43)
    #expect(first.state != second.state)
    #expect(first.verifier != second.verifier)
    #expect(first.dpopKey.publicKey != second.dpopKey.publicKey)
  }

  @Test("a sign-in by DID hints the DID; a sign-up asks to create and hints nothing (G25, G26)")
  func hints() async throws {
    _ = try await begin(World.alice)
    #expect(World.form(world.requests(to: "as.test/oauth/par")[0])["login_hint"] == World.alice)

    let other = World()
    other.answer(
      "signup.test/.well-known/oauth-protected-resource", .protectedResource("https://signup.test"))
    let started = try await other.flow().begin(.signUp)
    let form = World.form(other.requests(to: "as.test/oauth/par")[0])
    #expect(form["prompt"] == "create")
    #expect(form["login_hint"] == nil)
    #expect(started.attempt.expectedDID == nil)
    #expect(other.addresses.first == "signup.test/.well-known/oauth-protected-resource")
  }

  @Test("a server that lists its prompts without create makes no accounts, and is not asked (G25)")
  func signUpUnsupported() async throws {
    world.answer(
      "signup.test/.well-known/oauth-protected-resource", .protectedResource("https://signup.test"))
    for (prompts, isOffered) in [(#""login""#, false), (#""login","create""#, true)] {
      world.answer(
        "as.test/.well-known/oauth-authorization-server",
        .authorizationServer(extra: "\"prompt_values_supported\":[\(prompts)],"))
      let flow = try world.flow()
      if isOffered {
        _ = try await flow.begin(.signUp)
      } else {
        await #expect(
          throws: ATOAuthError.serverUnsupported(
            host: "https://as.test",
            .metadata(.unsupported(member: "prompt_values_supported", value: "create")))
        ) { try await flow.begin(.signUp) }
        #expect(world.requests(to: "as.test/oauth/par").isEmpty)
      }
    }
  }

  @Test("a sign-in that confirms something asks for the owner's word, where a server can (A45)")
  func confirmation() async throws {
    _ = try await world.flow().begin(.confirmation(ATIdentifier("alice.test")))
    let silent = World.form(world.requests(to: "as.test/oauth/par")[0])
    #expect(silent["login_hint"] == "alice.test")
    #expect(silent["prompt"] == nil)

    let other = World()
    other.answer(
      "as.test/.well-known/oauth-authorization-server",
      .authorizationServer(extra: #""prompt_values_supported":["login","consent"],"#))
    let started = try await other.flow().begin(.confirmation(ATIdentifier("alice.test")))
    let form = World.form(other.requests(to: "as.test/oauth/par")[0])
    #expect(form["login_hint"] == "alice.test")
    #expect(form["prompt"] == "login")
    #expect(started.attempt.expectedDID?.rawValue == World.alice)
  }

  @Test("a loopback receiver's redirect is used, with the development client's id (G97)")
  func development() async throws {
    let started = try await world.flow(client: .development).begin(
      .account(ATIdentifier("alice.test")), redirectURI: "http://127.0.0.1:4711/callback")
    let form = World.form(world.requests(to: "as.test/oauth/par")[0])
    #expect(form["redirect_uri"] == "http://127.0.0.1:4711/callback")
    #expect(
      form["client_id"]?.hasPrefix("http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2F")
        == true)
    #expect(started.route.port == 4711)
    await #expect(throws: ATOAuthError.misconfigured(.redirectURI("test.grain:/oauth/callback"))) {
      try await world.flow(client: .development).begin(.account(ATIdentifier("alice.test")))
    }
  }

  @Test(
    "a home server without sign-in, and one that does not answer, are named with the reason (FB-A17)",
    arguments: [
      (
        ScriptedHTTP.Answer.status(404),
        ATOAuthError.serverUnsupported(host: "pds.test", .noMetadata(status: 404))
      ),
      (.text("<html>"), .serverUnsupported(host: "pds.test", .noMetadata(status: 200))),
      (.json("{"), .serverUnsupported(host: "pds.test", .noMetadata(status: 200))),
      (.json("{}", status: 201), .serverUnsupported(host: "pds.test", .noMetadata(status: 201))),
      (
        .status(302, headers: ["Location": "https://evil.test/"]),
        .serverUnsupported(host: "pds.test", .redirects)
      ),
      (.failure(.timeout), .network(host: "pds.test", .timeout)),
      (
        .status(503, headers: ["Retry-After": "9"]),
        .server(
          host: "pds.test", status: 503, error: nil, description: nil, retryAfter: .seconds(9))
      ),
      (
        .protectedResource("https://other.test"),
        .serverUnsupported(
          host: "pds.test",
          .metadata(
            .mismatch(member: "resource", expected: "https://pds.test", found: "https://other.test")
          ))
      ),
    ])
  func homeServer(answer: ScriptedHTTP.Answer, expected: ATOAuthError) async throws {
    world.answer("pds.test/.well-known/oauth-protected-resource", answer)
    await #expect(throws: expected) { try await begin() }
    #expect(world.requests(to: "as.test/oauth/par").isEmpty)
  }

  @Test("another issuer's document stops the sign-in before any browser opens (G14, G75)")
  func issuerMismatch() async throws {
    world.answer(
      "as.test/.well-known/oauth-authorization-server", .authorizationServer("https://evil.test"))
    await #expect(
      throws: ATOAuthError.serverUnsupported(
        host: "as.test",
        .metadata(
          .mismatch(member: "issuer", expected: "https://as.test", found: "https://evil.test")))
    ) { try await begin() }
  }

  @Test("an authorization server must speak for the home server, where it lists any")
  func notCovered() async throws {
    world.answer(
      "as.test/.well-known/oauth-authorization-server",
      .authorizationServer(extra: #""protected_resources":["https://other.test"],"#))
    await #expect(
      throws: ATOAuthError.serverUnsupported(
        host: "https://as.test", .doesNotCover(resource: "https://pds.test"))
    ) { try await begin() }
  }

  @Test(
    "an app the server cannot look up is its own error, another refusal is told in its words (G68)",
    arguments: [
      "invalid_client_metadata", "invalid_client", "invalid_client_id", "invalid_request",
    ])
  func refusedPush(code: String) async throws {
    world.answer(
      "as.test/oauth/par",
      .json(#"{"error":"\#(code)","error_description":"Because"}"#, status: 400))
    let expected: ATOAuthError =
      code == "invalid_request"
      ? .server(
        host: "as.test", status: 400, error: code, description: "Because", retryAfter: nil)
      : .clientUnavailable(host: "as.test", description: "Because")
    await #expect(throws: expected) { try await begin() }
  }

  @Test("faults of the pushed request never yield an address to open (FB-A3)")
  func pushFaults() async throws {
    let cases: [(ScriptedHTTP.Answer, ATOAuthError, Bool)] = [
      (
        .status(413),
        .server(host: "as.test", status: 413, error: nil, description: nil, retryAfter: nil), false
      ),
      (
        .status(429, headers: ["Retry-After": "30"]),
        .server(
          host: "as.test", status: 429, error: nil, description: nil, retryAfter: .seconds(30)),
        true
      ),
      (
        .response(HTTPResponse(status: 502, body: Array("<html>".utf8))),
        .server(host: "as.test", status: 502, error: nil, description: nil, retryAfter: nil), true
      ),
      (.json("{}"), .badResponse(host: "as.test", "request_uri"), false),
      (.failure(.connectionLost), .network(host: "as.test", .connectionLost), true),
    ]
    for (answer, expected, isTemporary) in cases {
      world.answer("as.test/oauth/par", answer)
      await #expect(throws: expected) { try await begin() }
      #expect(expected.isTemporary == isTemporary)
    }
  }

  @Test("an identity that cannot be established is passed on as it is")
  func identity() async throws {
    world.answer("plc.test/\(World.alice)", .status(404))
    await #expect(throws: ATOAuthError.identity(.didNotFound(try DID(World.alice)))) {
      try await begin()
    }
  }
}

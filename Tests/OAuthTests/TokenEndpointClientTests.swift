import Foundation
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import StrictJSON
import Testing

@Suite("A form posted to an authorization server")
struct TokenEndpointClientTests {
  private let clock = TestClock()
  private let prover = DPoPProver(key: .generate())

  private func post(
    _ network: ScriptedHTTP, _ fields: [FormField] = [.plain("a", "b")],
    environment: DPoPEnvironment? = nil
  ) async throws -> TokenEndpointClient.Answer {
    try await TokenEndpointClient(
      http: network.client, environment: environment ?? OAuthFixture.environment(clock)
    ).post(fields, to: OAuthFixture.url("https://as.test/oauth/par"), prover: prover)
  }

  @Test("fields are form-encoded once, everything but the unreserved characters (G119, FB-A11)")
  func encoding() async throws {
    let network = ScriptedHTTP(.json("{}"))
    let scope = "atproto rpc:*?aud=did:web:a.test%23svc blob:image/svg+xml&="
    _ = try await post(network, [.plain("scope", scope), .secret("code", Secret(text: "c~1"))])
    let request = network.requests[0]
    #expect(request.method == "POST")
    #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
    #expect(request.headers["Accept"] == "application/json")
    #expect(
      request.body
        == .bytes(
          Array(
            ("scope=atproto%20rpc%3A%2A%3Faud%3Ddid%3Aweb%3Aa.test%2523svc"
              + "%20blob%3Aimage%2Fsvg%2Bxml%26%3D&code=c~1").utf8)))
  }

  @Test("a server that wants a nonce is asked once more, with a fresh proof (G38, G39, G79)")
  func nonceRetry() async throws {
    let network = ScriptedHTTP(
      OAuthFixture.challenge("use_dpop_nonce", nonce: "n1"),
      .json("{}", status: 201, headers: ["DPoP-Nonce": "n2"]))
    let environment = OAuthFixture.environment(clock)
    _ = try await post(network, environment: environment)
    let claims = try network.requests.map(OAuthFixture.claims)
    #expect(claims[0]["nonce"] == nil)
    #expect(claims[1]["nonce"] == "n1")
    #expect(claims[0]["jti"] != claims[1]["jti"])
    #expect(claims[1]["htu"] == "https://as.test/oauth/par")
    #expect(claims[1]["ath"] == nil)
    #expect(network.requests[0].body == network.requests[1].body)
    #expect(environment.nonces.nonce(for: try OAuthFixture.url("https://as.test/")) == "n2")
  }

  @Test("the nonce of the refusal wins over whatever was known before (FB-A8)")
  func staleNonce() async throws {
    let environment = OAuthFixture.environment(clock)
    environment.nonces.learn(
      from: HTTPResponse(status: 200, headers: ["DPoP-Nonce": "n1"]),
      url: try OAuthFixture.url("https://as.test/"))
    let network = ScriptedHTTP(
      OAuthFixture.challenge("use_dpop_nonce", nonce: "n2"), .json("{}"))
    _ = try await post(network, environment: environment)
    #expect(try network.requests.map { try OAuthFixture.claims(of: $0)["nonce"] } == ["n1", "n2"])
  }

  @Test(
    "a challenge is followed once, and only to a nonce that is new (G40)",
    arguments: [("n1", "n2", 2), (nil, nil, 1), ("n1", nil, 2)])
  func noLoop(first: String?, second: String?, requests: Int) async throws {
    let network = ScriptedHTTP(
      OAuthFixture.challenge("use_dpop_nonce", nonce: first),
      OAuthFixture.challenge("use_dpop_nonce", nonce: second))
    await #expect(
      throws: OAuthRequestError.answered(
        status: 400, error: OAuthErrorBody(error: "use_dpop_nonce"), retryAfter: nil)
    ) { try await post(network) }
    #expect(network.requests.count == requests)
  }

  @Test("the same nonce again is no reason to ask again")
  func sameNonce() async throws {
    let environment = OAuthFixture.environment(clock)
    environment.nonces.learn(
      from: HTTPResponse(status: 200, headers: ["DPoP-Nonce": "n1"]),
      url: try OAuthFixture.url("https://as.test/"))
    let network = ScriptedHTTP(OAuthFixture.challenge("use_dpop_nonce", nonce: "n1"))
    await #expect(throws: OAuthRequestError.self) {
      try await post(network, environment: environment)
    }
    #expect(network.requests.count == 1)
  }

  @Test("a proof refused for its time is repeated once by the server's clock (A44)")
  func clockSkew() async throws {
    // The server lives an hour later than this machine.
    let network = ScriptedHTTP(
      ScriptedHTTP.Answer { [clock] _ in
        HTTPResponse(
          status: 401,
          headers: ["Date": HTTPDate.string(from: clock.now.addingTimeInterval(3600))],
          body: Array(#"{"error":"invalid_dpop_proof"}"#.utf8), receivedAt: clock.now)
      },
      OAuthFixture.challenge("use_dpop_nonce", nonce: "n1"), .json("{}"), .json("{}"))
    let environment = OAuthFixture.environment(clock)
    _ = try await post(network, environment: environment)
    _ = try await post(network, environment: environment)
    let times = try network.requests.map { try OAuthFixture.claims(of: $0)["iat"]?.intValue ?? 0 }
    let now = Int(clock.now.timeIntervalSince1970)
    #expect(times == [now, now + 3600, now + 3600, now + 3600])
  }

  @Test("a proof refused twice is an error, without a third request")
  func refusedTwice() async throws {
    let network = ScriptedHTTP(
      OAuthFixture.challenge("invalid_dpop_proof", status: 401),
      OAuthFixture.challenge("invalid_dpop_proof", status: 401))
    await #expect(throws: OAuthRequestError.self) { try await post(network) }
    #expect(network.requests.count == 2)
  }

  @Test("answers are told apart by status, code, words and the time to wait (FB-A3)")
  func failures() async throws {
    let cases: [(ScriptedHTTP.Answer, OAuthRequestError, Bool)] = [
      (
        .json(
          #"{"error":"invalid_request","error_description":"Invalid redirect_uri"}"#, status: 400),
        .answered(
          status: 400,
          error: OAuthErrorBody(error: "invalid_request", description: "Invalid redirect_uri"),
          retryAfter: nil), false
      ),
      (.status(413), .answered(status: 413, error: nil, retryAfter: nil), false),
      (
        .status(429, headers: ["Retry-After": "30"]),
        .answered(status: 429, error: nil, retryAfter: .seconds(30)), true
      ),
      (
        .response(HTTPResponse(status: 502, body: Array("<html>".utf8))),
        .answered(status: 502, error: nil, retryAfter: nil), true
      ),
      (.status(302), .answered(status: 302, error: nil, retryAfter: nil), false),
      (.failure(.timeout), .transport(.timeout), true),
      (.failure(.tls("x")), .transport(.tls("x")), false),
    ]
    for (answer, expected, isTemporary) in cases {
      await #expect(throws: expected) { try await post(ScriptedHTTP(answer)) }
      #expect(expected.isTemporary == isTemporary)
    }
  }

  @Test("a server that echoes a secret gets it nowhere; its words become one plain line (FB-A34)")
  func echo() async throws {
    let network = ScriptedHTTP(
      .json(
        #"{"error":"invalid_grant","error_description":"code sec-ret-code-1 is\nno\u001b[31mgood"}"#,
        status: 400))
    await #expect(
      throws: OAuthRequestError.answered(
        status: 400,
        error: OAuthErrorBody(error: "invalid_grant", description: "code … is no [31mgood"),
        retryAfter: nil)
    ) { try await post(network, [.secret("code", Secret(text: "sec-ret-code-1"))]) }
  }
}

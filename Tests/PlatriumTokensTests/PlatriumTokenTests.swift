import Foundation
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import PlatriumTokens
import StrictJSON
import SystemClients
import Testing

@Suite("Platrium: getting the token")
struct PlatriumTokenTests {
  @Test("a code, its verifier and its redirect are exchanged for a token (P2, P17, P35)")
  func exchange() async throws {
    let fixture = try Fixture(Fixture.issued())
    let attempt = try fixture.attempt()
    let issued = try await fixture.client.exchange(code: Secret(text: "c"), of: attempt)
    #expect(issued.token.secret == Secret(text: Fixture.token))
    #expect(issued.session.kind == .device)
    #expect(issued.session.deviceID == "d1")
    #expect(issued.session.tenantID == "7")
    #expect(issued.session.user.name == "Ada")
    #expect(issued.clientID == "c1")
    let request = try #require(fixture.http.requests.first)
    #expect(request.url.absoluteString == "https://platrium.test/api/auth/token")
    #expect(Fixture.body(request)?["code"] == "c")
    #expect(Fixture.body(request)?["redirect_uri"] == "platrium://auth/callback")
    #expect(
      Fixture.body(request)?["code_verifier"]?.stringValue == attempt.pkce.verifier.revealText())
    #expect(request.headers["Authorization"] == nil)
  }

  @Test("a token without a device row is an app (P6)")
  func app() async throws {
    let fixture = try Fixture(Fixture.issued(kind: "APP"))
    let issued = try await fixture.client.exchange(
      code: Secret(text: "c"), of: try fixture.attempt())
    #expect(issued.session.kind == .app)
  }

  static let failures: [(String, ScriptedHTTP.Answer, PlatriumError)] = [
    ("burned", .json(#"{"error":"invalid_grant"}"#, status: 400), .codeRefused),
    ("lost", .failure(.connectionLost), .answerLost),
    ("late", .failure(.timeout), .answerLost),
    ("server fault", .status(502), .answerLost),
    ("no token inside", .json("{}"), .answerLost),
    ("token too short", Fixture.issued("plt_short"), .answerLost),
    ("offline", .failure(.offline), .network(.offline)),
    ("too many", .status(429, headers: ["Retry-After": "30"]), .rateLimited(.seconds(30))),
    (
      "another refusal", .json(#"{"error":"invalid_redirect","message":"No."}"#, status: 400),
      .refused(code: "invalid_redirect", message: "No.")
    ),
  ]

  @Test("a code is posted once, whatever the answer (P18, P33)", arguments: failures)
  func once(failure: (name: String, answer: ScriptedHTTP.Answer, error: PlatriumError)) async throws
  {
    let fixture = try Fixture(failure.answer)
    let attempt = try fixture.attempt()
    await #expect(throws: failure.error, "\(failure.name)") {
      try await fixture.client.exchange(code: Secret(text: "c"), of: attempt)
    }
    #expect(fixture.http.requests.count == 1)
  }

  @Test("a token made by hand is checked with `me` before it is taken (P25)")
  func pasted() async throws {
    let fixture = try Fixture(
      .json(#"{"user":{"id":"u1"},"auth_kind":"APP"}"#))
    let issued = try await PlatriumGrant.pasted(Secret(text: "  \(Fixture.token)\n"))
      .redeem(fixture.client)
    #expect(issued.token.secret == Secret(text: Fixture.token))
    #expect(issued.session.kind == .app)
    #expect(fixture.http.requests.map(\.url.path) == ["/api/auth/me"])
  }

  @Test("a code and a pasted token go through one seam, where another grant can join (P26)")
  func seam() async throws {
    let fixture = try Fixture(Fixture.issued())
    let issued = try await PlatriumGrant.code(Secret(text: "c"), of: try fixture.attempt())
      .redeem(fixture.client)
    #expect(issued.session.user.id == "u1")
    let other = PlatriumGrant { _ async throws(PlatriumError) in throw .denied }
    await #expect(throws: PlatriumError.denied) { try await other.redeem(fixture.client) }
  }

  @Test("a grant that waits for another device ends in the same kind of token (P2, P26)")
  func waitingGrant() async throws {
    let fixture = try Fixture(.json(#"{"user":{"id":"u1"},"auth_kind":"DEVICE"}"#))
    let token = try PlatriumToken(Fixture.token)
    let allowed = Gate()
    // RFC 8628 in the small: somebody agrees elsewhere, and the token comes here.
    let grant = PlatriumGrant { client async throws(PlatriumError) in
      await allowed.pass()
      return try await client.issued(for: token)
    }
    let client = fixture.client
    let waiting = Task { try await grant.redeem(client) }
    await allowed.arrivals(atLeast: 1)
    #expect(fixture.http.requests.isEmpty)
    allowed.open()
    let issued = try await waiting.value
    #expect(issued.token.secret == Secret(text: Fixture.token))
    #expect(issued.session.kind == .device)
  }

  @Test(
    "what does not look like a token is refused without asking the service (P3)",
    arguments: [
      "", "plt_", "plt_" + String(repeating: "A", count: 42), String(repeating: "A", count: 47),
      "plt_" + String(repeating: "A", count: 42) + "/", "plt_" + String(repeating: "é", count: 43),
      "plt_" + String(repeating: "A", count: 600),
    ])
  func notAToken(text: String) async throws {
    let fixture = try Fixture()
    await #expect(throws: PlatriumError.invalidToken) {
      try await PlatriumGrant.pasted(Secret(text: text)).redeem(fixture.client)
    }
    #expect(fixture.http.requests.isEmpty)
  }

  @Test("a token never prints itself; a subscription gets it as a bearer (P31, P47)")
  func values() throws {
    let token = try PlatriumToken(Fixture.token)
    #expect(!"\(token)".contains("AAAA"))
    #expect(
      token.connectionInitPayload == ["Authorization": Secret(text: "Bearer \(Fixture.token)")])
  }
}

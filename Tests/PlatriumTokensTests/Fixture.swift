import Foundation
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import PlatriumTokens
import StrictJSON
import SystemClients

/// A service at `https://platrium.test` that answers from a script.
struct Fixture {
  static let token = "plt_" + String(repeating: "A", count: 43)
  let clock = TestClock()
  let http: ScriptedHTTP
  let client: PlatriumClient

  init(_ answers: ScriptedHTTP.Answer...) throws {
    http = ScriptedHTTP(answers)
    client = PlatriumClient(
      server: try PlatriumServer("platrium.test"), http: http.client, clock: clock.clock)
  }

  func attempt(redirectURI: String = "platrium://auth/callback") throws -> PlatriumAttempt {
    try PlatriumAttempt(server: client.server, redirectURI: redirectURI, random: .seeded(7))
  }

  /// The body of a request, as JSON.
  static func body(_ request: HTTPRequest?) -> JSONValue? {
    guard case .bytes(let bytes) = request?.body else { return nil }
    do {
      return try JSONParser.parse(bytes)
    } catch {
      return nil
    }
  }

  /// What the token endpoint gives for a good code.
  static func issued(_ token: String = token, kind: String = "DEVICE") -> ScriptedHTTP.Answer {
    .json(
      """
      {"token":"\(token)","kind":"\(kind)","client_id":"c1","device_id":"d1",
      "user":{"id":"u1","email":"ada@example.com","name":"Ada"},"tenant":{"id":7,"name":"Works"}}
      """)
  }
}

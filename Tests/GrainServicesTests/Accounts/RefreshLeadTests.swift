import ATOAuth
import ATSyntax
import ATXRPC
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OAuth
import SystemClients
import Testing

@Suite("When a token is refreshed ahead of its end")
struct RefreshLeadTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld

  init() async throws {
    world = try await AccountsWorld()
    world.http.answer("as.alice.test/token", .tokens("1"))
  }

  private var refreshes: Int { world.http.requests(to: "as.alice.test/token").count }

  /// A session whose every draw is the smallest or the largest there is.
  private func session(
    endsIn seconds: TimeInterval, drawing byte: UInt8
  ) async throws -> TokenSession {
    let grant = try world.grant(endsIn: seconds)
    _ = try await world.store.adopt(grant, missingScopes: [])
    let environment = DPoPEnvironment(
      nonces: world.nonces, clock: world.clock.clock,
      random: SystemRandom(bytes: { Array(repeating: byte, count: $0) }))
    return TokenSession(
      grant: grant, grants: GrantClient(http: world.http.client, environment: environment),
      store: world.store, environment: environment,
      lead: .init(atLeast: .seconds(60), jitter: .seconds(30)), onEvent: { _ in })
  }

  private func sign(_ session: TokenSession) async throws {
    let url = try World.url("https://pds.alice.test/xrpc/a.b.c")
    _ = try await session.authorization.sign(HTTPRequest(method: "GET", url: url))
  }

  @Test(
    "a minute before its end at the latest, up to half a minute earlier by chance (wire §8.6)",
    arguments: [
      (59, 0, 1), (61, 0, 0), (61, 255, 1), (89, 255, 1), (91, 255, 0),
    ] as [(TimeInterval, UInt8, Int)])
  func jitter(seconds: TimeInterval, byte: UInt8, expected: Int) async throws {
    let session = try await session(endsIn: seconds, drawing: byte)
    try await sign(session)
    #expect(refreshes == expected)
  }

  @Test("a token that lives a minute is not refreshed with every call, but in its second half")
  func shortLife() async throws {
    world.http.answer("as.alice.test/token", .tokens("1", expiresIn: 60))
    let session = try await session(endsIn: 5, drawing: 255)
    for _ in 0..<3 { try await sign(session) }
    #expect(refreshes == 1)
    await world.clock.advance(by: .seconds(31))
    try await sign(session)
    #expect(refreshes == 2)
  }
}

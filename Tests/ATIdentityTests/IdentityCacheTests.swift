import ATIdentity
import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport
import Testing

@Suite("What a resolver remembers")
struct IdentityCacheTests {
  private let network = ScriptedHTTP(answering: { request in
    request.url.host() == "alice.test"
      ? IdentityFixture.text(IdentityFixture.alice) : IdentityFixture.document()
  })
  private let clock = TestClock()

  @Test("a second look within ten minutes asks nobody, a later one asks again")
  func lifetime() async throws {
    let resolver = try IdentityFixture.resolver(network, clock: clock)
    let handle = ATIdentifier.handle(try Handle("alice.test"))
    _ = try await resolver.resolve(handle)
    _ = try await resolver.resolve(handle)
    #expect(network.requests.count == 2)
    await clock.advance(by: .seconds(580))
    _ = try await resolver.resolve(handle)
    #expect(network.requests.count == 2)
    await clock.advance(by: .seconds(20))
    _ = try await resolver.resolve(handle)
    #expect(network.requests.count == 4)
  }

  @Test("a fresh look passes by what is remembered and replaces it (FB-A15)")
  func fresh() async throws {
    let resolver = try IdentityFixture.resolver(network, clock: clock)
    let did = try DID(IdentityFixture.alice)
    _ = try await resolver.document(for: did)
    _ = try await resolver.document(for: did, fresh: true)
    _ = try await resolver.document(for: did)
    #expect(network.requests.count == 2)
  }

  @Test("a fresh look at a handle asks its host and the directory again, and starts the time anew")
  func freshHandle() async throws {
    let resolver = try IdentityFixture.resolver(network, clock: clock)
    let handle = ATIdentifier.handle(try Handle("alice.test"))
    _ = try await resolver.resolve(handle)
    await clock.advance(by: .seconds(500))
    _ = try await resolver.resolve(handle, fresh: true)
    #expect(network.requests.count == 4)
    await clock.advance(by: .seconds(500))
    _ = try await resolver.resolve(handle)
    #expect(network.requests.count == 4)
  }

  @Test("a failed look-up is not remembered")
  func failures() async throws {
    let network = ScriptedHTTP(.status(503), IdentityFixture.document())
    let resolver = try IdentityFixture.resolver(network, clock: clock)
    let did = try DID(IdentityFixture.alice)
    await #expect(throws: IdentityError.unreachable(host: "plc.directory", nil)) {
      try await resolver.document(for: did)
    }
    _ = try await resolver.document(for: did)
  }
}

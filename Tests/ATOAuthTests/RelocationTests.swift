import ATOAuth
import Foundation
import GrainTestSupport
import Testing

@Suite("An account whose home server no longer takes its calls")
struct RelocationTests {
  private let world = World()

  private func locate() async throws -> AccountRelocation.Outcome {
    try await AccountRelocation(
      identities: world.resolver(), http: world.http, environment: world.environment
    ).locate(world.grant())
  }

  @Test("it may not have moved at all")
  func unmoved() async throws {
    guard case .unmoved = try await locate() else {
      Issue.record("taken for moved")
      return
    }
    #expect(!world.addresses.contains("pds.test/.well-known/oauth-protected-resource"))
  }

  @Test("a move within its authorization server changes the home in place (G101)")
  func moved() async throws {
    world.answer("plc.test/\(World.alice)", .didDocument(pds: "https://new.test"))
    world.answer(
      "new.test/.well-known/oauth-protected-resource", .protectedResource("https://new.test"))
    guard case .moved(let grant) = try await locate() else {
      Issue.record("not taken for moved")
      return
    }
    #expect(grant.pds.absoluteString == "https://new.test")
    #expect(grant.tokens == (try world.grant().tokens))
  }

  @Test("a move to another authorization server needs a new sign-in (G101)")
  func elsewhere() async throws {
    world.answer("plc.test/\(World.alice)", .didDocument(pds: "https://new.test"))
    world.answer(
      "new.test/.well-known/oauth-protected-resource",
      .protectedResource("https://new.test", server: "https://new.test"))
    world.answer(
      "new.test/.well-known/oauth-authorization-server", .authorizationServer("https://new.test"))
    guard case .needsSignIn(issuer: "https://new.test") = try await locate() else {
      Issue.record("no new sign-in asked for")
      return
    }
  }
}

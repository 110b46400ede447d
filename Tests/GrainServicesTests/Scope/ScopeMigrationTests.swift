import ATOAuth
import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import Testing

@Suite("The first launch after the permissions changed (G85)")
struct ScopeMigrationTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld

  init() async throws {
    world = try await AccountsWorld(launchedBefore: false)
    for name in ["alice", "bob"] { world.http.answer("as.\(name).test/revoke", .json("{}")) }
  }

  private static let all = CoreConfiguration().appView?.scopeItems ?? []

  private func adopt(_ did: DID, without item: String? = nil) async throws {
    let scope = Self.all.filter { $0 != item }.joined(separator: " ")
    _ = try await world.store.adopt(World.grant(did, scope: scope), missingScopes: [])
  }

  /// What a launch shows.
  private func launch() async throws -> AccountsState? {
    let service = world.service()
    await service.restore()
    await service.revocationsEnded()
    return await service.state()
  }

  @Test(
    "an account whose grant misses a required scope is dropped, one that has all stays (G63, G66)")
  func dropping() async throws {
    try await adopt(World.alice)
    try await adopt(World.bob, without: "repo:social.grain.comment")
    let state = try await launch()
    #expect(state?.accounts.map(\.standing) == [.ok, .expired(.permissionsChanged)])
    #expect(state?.session == .signedIn(World.alice.account))
    #expect(state?.active == World.alice.account)
    #expect(try await world.store.grant(World.bob) == nil)
    #expect(try await world.store.grant(World.alice) != nil)
  }

  @Test("a dropped grant is revoked at its server (G59)")
  func revoked() async throws {
    try await adopt(World.bob, without: "blob:image/*")
    _ = try await launch()
    #expect(
      world.http.requests(to: "as.bob.test/revoke").map { form($0)["token"] } == ["refresh-0"])
    #expect(try world.count("revocation") == 0)
  }

  @Test("when nobody is left the sign-in screen says why (G61, G64); everybody stays listed (G104)")
  func nobodyLeft() async throws {
    try await adopt(World.alice, without: "repo:social.grain.story")
    try await adopt(World.bob, without: "repo:social.grain.story")
    let state = try await launch()
    #expect(state?.session == .signedOut(.permissionsChanged))
    #expect(state?.accounts.map(\.id) == [World.alice.account, World.bob.account])
    #expect(state?.accounts.allSatisfy { !$0.hasCredentials } == true)
    #expect(state?.active == nil)
  }

  @Test("an account without its servers on record is dropped (G62)")
  func withoutServers() async throws {
    try await adopt(World.alice)
    try await world.seal(World.alice, #"{"kind":"atproto.grant","v":1,"did":"\#(World.alice)"}"#)
    #expect(try await launch()?.session == .signedOut(.permissionsChanged))
  }

  @Test("it happens once: a server that keeps granting less signs nobody out again (G65, G66)")
  func once() async throws {
    try await adopt(World.alice, without: "repo:social.grain.story")
    _ = try await launch()
    try await adopt(World.alice, without: "repo:social.grain.story")
    #expect(try await launch()?.session == .signedIn(World.alice.account))
    #expect(try world.count("setting WHERE name = 'scopeMigrationDone_v3'") == 1)
  }

  @Test("the flag is set when there was nobody, so that a later account is not looked at (G65)")
  func nobodyThere() async throws {
    #expect(try await launch()?.session == .signedOut(nil))
    try await adopt(World.alice, without: "repo:social.grain.story")
    #expect(try await launch()?.session == .signedIn(World.alice.account))
  }

  @Test("a store that cannot be written keeps everybody, and the next launch looks again")
  func storeFails() async throws {
    try await adopt(World.alice, without: "repo:social.grain.story")
    try world.breakStore()
    #expect(try await launch()?.session == .restoring)
    #expect(try await world.store.grant(World.alice) != nil)
    try world.mendStore()
    #expect(try await launch()?.session == .signedOut(.permissionsChanged))
  }

  @Test("a row that does not open is no reason to drop the account")
  func unopenable() async throws {
    try await adopt(World.alice)
    try world.execute("UPDATE vault_row SET sealed = x'00' WHERE kind = 'grant'")
    #expect(try await launch()?.session == .signedIn(World.alice.account))
    #expect(try world.count("vault_row WHERE kind = 'grant'") == 1)
  }
}

import ATOAuth
import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import SystemClients
import Testing

@Suite("Revocations that outlive their account")
struct RevocationQueueTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld

  init() async throws { world = try await AccountsWorld() }

  private var asked: [HTTPRequest] { world.http.requests(to: "as.alice.test/revoke") }

  private func answer(_ list: ScriptedHTTP.Answer...) {
    world.http.answer("as.alice.test/revoke", list)
  }

  /// Alice's account is gone, her revocation was not taken.
  private func leave(_ answer: ScriptedHTTP.Answer = .failure(.offline)) async throws {
    self.answer(answer)
    try await world.restored(World.grant()).signOut(World.alice.account, discardDrafts: false)
  }

  /// What the next core does at its launch.
  private func launch() async throws {
    let service = AccountService(
      store: try await world.reopenedStore(), drafts: world.drafts, http: world.http.client,
      environment: world.environment, configuration: CoreConfiguration(), log: .silent)
    await service.restore()
    await service.revocationsEnded()
  }

  @Test("what a server did not take is tried again at the next launch, with the same key (G103)")
  func nextLaunch() async throws {
    try await leave()
    #expect(asked.count == 1)
    answer(.json("{}"))
    try await launch()
    #expect(asked.map { form($0)["token"] } == ["refresh-0", "refresh-0"])
    #expect(asked.allSatisfy { $0.headers["DPoP"] != nil })
    try await launch()
    #expect(asked.count == 2)
    #expect(try world.count("revocation") == 0)
    #expect(try world.count("vault_row WHERE kind = 'revocation'") == 0)
  }

  @Test("and after the next sign-in, which does not wait for it (G103, FB-A26)")
  func nextSignIn() async throws {
    try await leave()
    let gate = Gate()
    answer(ScriptedHTTP.Answer.json("{}").held(at: gate))
    let service = world.service()
    await service.restore()
    await service.signInBegan()
    try await service.adopt(World.grant(World.bob))
    #expect(await service.state()?.session == .signedIn(World.bob.account))
    gate.open()
    await service.revocationsEnded()
    #expect(try world.count("revocation") == 0)
  }

  @Test("the account is forgotten and its revocation remembered in one transaction (G103)")
  func oneTransaction() async throws {
    let grant = try World.grant()
    _ = try await world.store.adopt(grant, missingScopes: [])
    try world.breakStore()
    let queued = try #require(QueuedRevocation(of: grant, at: world.clock.now, random: .live))
    await #expect(throws: StoreFault.self) {
      try await world.store.remove(World.alice.account, revoking: queued)
    }
    #expect(try world.count("account") == 1)
    #expect(try world.count("revocation") == 0)
    #expect(try await world.store.grant(World.alice) != nil)
  }

  @Test("a sign-out the store refuses revokes nothing: the account goes on")
  func storeRefuses() async throws {
    let service = try await world.restored(World.grant())
    try world.breakStore()
    await #expect(throws: AccountError.self) {
      try await service.signOut(World.alice.account, discardDrafts: false)
    }
    #expect(world.http.requests.isEmpty)
    try world.mendStore()
    await #expect(throws: Never.self) { try await service.client(World.alice) }
  }

  @Test("the account is off the list while its server is still asked (G60)")
  func forgottenFirst() async throws {
    let gate = Gate()
    answer(ScriptedHTTP.Answer.json("{}").held(at: gate))
    let service = try await world.restored(World.grant())
    let leaving = Task { try await service.signOut(World.alice.account, discardDrafts: false) }
    await gate.arrivals(atLeast: 1)
    #expect(await service.state()?.session == .signedOut(nil))
    #expect(try world.count("revocation") == 1)
    gate.open()
    try await leaving.value
  }

  @Test("the queue holds what a revocation needs and nothing of the person (G103)")
  func contents() async throws {
    try await leave()
    let queued = try #require(try await world.store.revocations().first)
    let text = queued.request.revealText()
    for secret in ["access-0", "did:plc", "alice.test\"", "pds"] {
      #expect(!text.contains(secret), "\(secret)")
    }
    #expect(!queued.id.contains("did:"))
    #expect(try world.count("vault_row WHERE label LIKE 'did:%'") == 0)
  }

  @Test("a grant that a new sign-in replaced is queued like one that was signed out (FB-E8)")
  func replaced() async throws {
    answer(.status(503))
    let service = try await world.restored(World.grant())
    await service.revocationsEnded()
    await service.signInBegan()
    try await service.adopt(World.grant(tokens: "1"))
    await service.revocationsEnded()
    #expect(try world.count("revocation") == 1)
    answer(.json("{}"))
    try await launch()
    #expect(asked.map { form($0)["token"] } == ["refresh-0", "refresh-0"])
    #expect(try world.count("revocation") == 0)
  }

  @Test(
    "a server that keeps failing is asked five times in all, one that is never reached costs none",
    arguments: [
      (ScriptedHTTP.Answer.status(500), 5), (.failure(.timeout), 5), (.failure(.offline), 8),
    ])
  func bounded(answer: ScriptedHTTP.Answer, requests: Int) async throws {
    try await leave(answer)
    for _ in 0..<7 { try await launch() }
    #expect(asked.count == requests)
    #expect(try world.count("revocation") == (requests == 5 ? 0 : 1))
  }

  @Test("after two weeks the session has ended of itself and nobody is asked (G111)")
  func twoWeeks() async throws {
    try await leave()
    world.clock.set(world.clock.now.addingTimeInterval(14 * 86_400 - 60))
    try await launch()
    #expect(asked.count == 2)
    world.clock.set(world.clock.now.addingTimeInterval(120))
    try await launch()
    #expect(asked.count == 2)
    #expect(try world.count("revocation") == 0)
  }

  @Test("a server that knows the token no more has nothing left to revoke")
  func unknownToken() async throws {
    try await leave(.refusal("invalid_token"))
    #expect(try world.count("revocation") == 0)
  }

  @Test("a row that does not open is dropped, the others are sent")
  func damaged() async throws {
    try await leave()
    let other = try World.grant(World.bob)
    _ = try await world.store.adopt(other, missingScopes: [])
    _ = try await world.store.remove(
      World.bob.account, revoking: QueuedRevocation(of: other, at: world.clock.now, random: .live))
    try world.execute(
      """
      UPDATE vault_row SET sealed = x'00' WHERE kind = 'revocation' AND label =
        (SELECT id FROM revocation ORDER BY rowid LIMIT 1)
      """)
    #expect(try await world.store.revocations().count == 1)
    #expect(try world.count("revocation") == 1)
  }

  @Test("a core that stops asks nobody any more, and keeps what is left")
  func stopping() async throws {
    try await leave()
    let service = world.service()
    await service.stop()
    await service.restore()
    await service.revocationsEnded()
    #expect(asked.count == 1)
    #expect(try world.count("revocation") == 1)
  }
}

import ATOAuth
import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import Testing

@Suite("Signing out")
struct SignOutTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld

  init() async throws { world = try await AccountsWorld() }

  private var revocations: [HTTPRequest] { world.http.requests(to: "as.alice.test/revoke") }

  /// How a revocation endpoint may behave, and how often it is asked then.
  static let endpoints: [(name: String, answers: [ScriptedHTTP.Answer], requests: Int)] = [
    ("works", [.json("{}")], 1),
    ("fails", [.status(500)], 1),
    ("hangs until its time is up", [.failure(.timeout)], 1),
    (
      "wants a nonce first",
      [
        .json(#"{"error":"use_dpop_nonce"}"#, status: 400, headers: ["DPoP-Nonce": "n"]),
        .json("{}"),
      ], 2
    ),
    ("knows the session no more", [.refusal("invalid_token")], 1),
    ("is not reached", [.failure(.offline)], 1),
  ]

  @Test(
    "the refresh token is revoked, and local tokens are gone however that went (G59, G60, FB-A27)",
    arguments: endpoints)
  func revoking(
    endpoint: (name: String, answers: [ScriptedHTTP.Answer], requests: Int)
  ) async throws {
    world.http.answer("as.alice.test/revoke", endpoint.answers)
    let service = try await world.restored(World.grant())
    try await service.signOut(World.alice.account, discardDrafts: false)
    #expect(revocations.count == endpoint.requests, "\(endpoint.name)")
    for request in revocations {
      #expect(form(request)["token"] == "refresh-0")
      #expect(form(request)["token_type_hint"] == "refresh_token")
      #expect(request.headers["DPoP"] != nil)
      #expect(request.deadline == .seconds(4))
    }
    #expect(await service.state() == AccountsState(session: .signedOut(nil)))
    #expect(try world.count("account") == 0)
    #expect(try world.count("vault_row WHERE kind = 'grant'") == 0)
  }

  @Test("a server without revocation is not asked")
  func notAdvertised() async throws {
    let service = try await world.restored(World.grant(revocable: false))
    try await service.signOut(World.alice.account, discardDrafts: false)
    #expect(world.http.requests.isEmpty)
    #expect(await service.state()?.accounts == [])
  }

  @Test("the newest refresh token is the one that is revoked")
  func newestToken() async throws {
    world.http.answer("as.alice.test/token", .tokens("1"))
    world.http.answer("as.alice.test/revoke", .json("{}"))
    let service = try await world.restored(
      world.grant(endsIn: 30), World.grant(World.bob))
    try await service.activate(World.alice.account)
    try await service.signOut(World.alice.account, discardDrafts: false)
    #expect(revocations.map { form($0)["token"] } == ["refresh-1"])
  }

  @Test("signing out the active account makes the next one active, for good (FB-A28)")
  func nextIsActive() async throws {
    world.http.answer("as.alice.test/revoke", .json("{}"))
    let service = try await world.restored(World.grant(World.bob), World.grant())
    try await service.signOut(World.alice.account, discardDrafts: false)
    #expect(await service.state()?.session == .signedIn(World.bob.account))
    #expect(await service.state()?.active == World.bob.account)
    #expect(try await world.reopenedStore().load().active == World.bob.account)
    #expect(world.http.requests(to: "as.bob.test/revoke").isEmpty)
  }

  @Test("signing out another account changes nothing for the active one")
  func otherAccount() async throws {
    world.http.answer("as.bob.test/revoke", .json("{}"))
    let service = try await world.restored(World.grant(World.bob), World.grant())
    try await service.signOut(World.bob.account, discardDrafts: false)
    #expect(await service.state()?.session == .signedIn(World.alice.account))
    #expect(await service.state()?.accounts.map(\.id.did) == [World.alice])
    #expect(try await world.store.grant(World.alice) != nil)
  }

  @Test("an expired account is taken off the list without any request")
  func expired() async throws {
    let grant = try World.grant()
    _ = try await world.store.adopt(grant, missingScopes: [])
    _ = try await world.store.end(grant, .refused)
    let service = world.service()
    await service.restore()
    try await service.signOut(World.alice.account, discardDrafts: false)
    #expect(await service.state()?.accounts == [])
    #expect(world.http.requests.isEmpty)
  }

  @Test("while it is revoked nothing is signed for the account any more")
  func leaving() async throws {
    let gate = Gate()
    world.http.answer("as.alice.test/revoke", ScriptedHTTP.Answer.json("{}").held(at: gate))
    let service = try await world.restored(World.grant())
    let client = try await service.client(World.alice)
    let leaving = Task { try await service.signOut(World.alice.account, discardDrafts: false) }
    await gate.arrivals(atLeast: 1)
    await #expect(throws: CallFault.sessionExpired(World.alice)) {
      try await client.applyWrites([])
    }
    gate.open()
    try await leaving.value
  }

  @Test("drafts stay on disk, hidden, unless they are to be discarded (grain-product §4)")
  func drafts() async throws {
    world.http.answer("as.alice.test/revoke", .json("{}"))
    world.http.answer("as.bob.test/revoke", .json("{}"))
    let service = try await world.restored(World.grant(World.bob), World.grant())
    for did in [World.alice, World.bob] { _ = try await world.drafts.create(repo: did) }
    try await service.signOut(World.alice.account, discardDrafts: false)
    try await service.signOut(World.bob.account, discardDrafts: true)
    #expect(try await world.drafts.drafts(of: World.alice).count == 1)
    #expect(try await world.drafts.drafts(of: World.bob).isEmpty)
  }

  @Test("drafts that cannot be removed do not keep the account")
  func undiscardable() async throws {
    world.http.answer("as.alice.test/revoke", .json("{}"))
    let service = try await world.restored(World.grant())
    try world.execute("ALTER TABLE draft RENAME TO elsewhere")
    await #expect(throws: AccountError.self) {
      try await service.signOut(World.alice.account, discardDrafts: true)
    }
    #expect(await service.state()?.accounts == [])
  }
}

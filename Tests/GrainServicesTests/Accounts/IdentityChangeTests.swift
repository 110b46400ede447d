import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import SystemClients
import Testing

/// One sequence for every change of identity, whoever the provider is (grain-product §4).
@Suite("From one identity to another")
struct IdentityChangeTests {
  private let heard = Recorder<String>()

  private func hooks() -> AccountHooks {
    AccountHooks { [heard] account, call in
      heard.record("leaves \(account)\(call == nil ? "" : ", and may call")")
    } didActivate: { [heard] account in
      heard.record("shown \(account?.rawValue ?? "nobody")")
    }
  }

  private static let alice = AccountsWorld.alice.account
  private static let ada = PlatriumWorld.account

  /// Alice at Grain and Ada at Platrium; Ada is shown.
  private func both() async throws -> (PlatriumWorld, AccountService) {
    let world = try await PlatriumWorld(signedIn: true, over: true)
    let service = AccountService(
      store: try await world.base.base.reopenedStore(), drafts: world.base.base.drafts,
      http: world.http.client, environment: world.base.base.environment,
      configuration: CoreConfiguration(), log: .silent, hooks: hooks())
    await service.restore()
    await service.upkeepEnded()
    return (world, service)
  }

  @Test(
    "the outgoing account takes its leave before the incoming one is shown, both ways (A30, A31)")
  func bothWays() async throws {
    let (_, service) = try await both()
    try await service.activate(Self.alice)
    #expect(heard.values == ["leaves \(Self.ada)", "shown \(Self.alice)"])
    try await service.activate(Self.ada)
    #expect(
      heard.values.suffix(2) == ["leaves \(Self.alice), and may call", "shown \(Self.ada)"])
  }

  @Test("a sign-in, a sign-out and an ended account take the same way (A30, A31)")
  func otherChanges() async throws {
    let (world, service) = try await both()
    try await service.activate(Self.alice)
    await service.signInBegan()
    let again = try #require(try await world.store.credentials(Self.ada))
    try await service.adopt(
      SignedInAccount(id: Self.ada, handle: nil, credentials: again))
    #expect(
      heard.values.suffix(2) == ["leaves \(Self.alice), and may call", "shown \(Self.ada)"])
    try await service.signOut(Self.ada, discardDrafts: false)
    #expect(heard.values.suffix(2) == ["leaves \(Self.ada)", "shown \(Self.alice)"])
  }

  @Test("one that its provider has ended has nothing to say any more; the next is told (A31)")
  func ended() async throws {
    let (world, service) = try await both()
    world.http.answer(PlatriumWorld.endpoint("me"), .status(401))
    await service.sources.platrium.lookAfter(Self.ada, .shown)
    await service.upkeepEnded()
    #expect(heard.values == ["shown \(Self.alice)"])
    #expect(await service.state()?.session == .signedIn(Self.alice))
  }

  @Test(
    "an answer for the account that was left changes that account's row and nothing that is shown, both ways (A30)"
  )
  func lateAnswers() async throws {
    let (world, service) = try await both()
    let gate = Gate()
    world.http.answer(
      PlatriumWorld.endpoint("me"), PlatriumWorld.me(name: "Late").held(at: gate))
    await service.sources.platrium.lookAfter(Self.ada, .shown)
    await gate.arrivals(atLeast: 1)
    try await service.activate(Self.alice)
    gate.open()
    await service.upkeepEnded()
    var state = await service.state()
    #expect(state?.session == .signedIn(Self.alice))
    #expect(state?.active == Self.alice)
    #expect(state?.accounts.first { $0.id == Self.ada }?.displayName == "Late")
    #expect(state?.accounts.first { $0.id == Self.alice }?.displayName == nil)

    let refusal = Gate()
    world.http.answer(
      PlatriumWorld.endpoint("me"), ScriptedHTTP.Answer.status(401).held(at: refusal))
    try await service.activate(Self.ada)
    await refusal.arrivals(atLeast: 1)
    try await service.activate(Self.alice)
    let before = heard.values
    refusal.open()
    await service.upkeepEnded()
    state = await service.state()
    #expect(state?.session == .signedIn(Self.alice))
    #expect(state?.accounts.first { $0.id == Self.ada }?.standing == .expired(.refused))
    #expect(heard.values == before)
  }
}

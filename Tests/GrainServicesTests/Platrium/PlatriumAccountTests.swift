import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import Testing

@Suite("Platrium accounts")
struct PlatriumAccountTests {
  private typealias World = PlatriumWorld

  // MARK: Launch

  @Test(
    "a launch shows the account before the service is asked, and asks who its token acts for (A4, A40, P27, P28, P41)"
  )
  func launch() async throws {
    let world = try await World(signedIn: true)
    let gate = Gate()
    world.http.answer(World.endpoint("me"), World.me(name: "Ada L.").held(at: gate))
    let service = try await world.restarted()
    #expect(await service.state()?.session == .signedIn(World.account))
    await gate.arrivals(atLeast: 1)
    let asked = world.http.requests(to: World.endpoint("me")).last
    #expect(asked?.headers["Authorization"] == "Bearer \(World.first)")
    #expect(asked?.headers["Cookie"] == nil)
    gate.open()
    await service.upkeepEnded()
    #expect(await service.state()?.accounts.first?.displayName == "Ada L.")
  }

  @Test(
    "only a 401 ends the account: not 403, not 429, not 5xx, not silence (P9, A29, A43)",
    arguments: [
      (ScriptedHTTP.Answer.status(401), false), (.status(403), true), (.status(429), true),
      (.status(500), true), (.failure(.offline), true), (.json("[]"), true),
    ])
  func whatEnds(answer: ScriptedHTTP.Answer, stays: Bool) async throws {
    let world = try await World(signedIn: true)
    world.http.answer(World.endpoint("me"), answer)
    let service = try await world.restarted()
    await service.upkeepEnded()
    let state = await service.state()
    #expect(state?.accounts.first?.standing == (stays ? .ok : .expired(.refused)))
    #expect(state?.session == (stays ? .signedIn(World.account) : .signedOut(.ended(.refused))))
    #expect(try await world.store.credentials(World.account) == nil || stays)
  }

  @Test(
    "when the service has ended one, the next account is shown; nothing is refreshed (P9, P30, A42)"
  )
  func nextOne() async throws {
    let world = try await World(signedIn: true, over: true)
    world.http.answer(World.endpoint("me"), .status(401))
    let service = try await world.restarted()
    await service.upkeepEnded()
    let state = await service.state()
    #expect(state?.active == AccountsWorld.alice.account)
    #expect(state?.session == .signedIn(AccountsWorld.alice.account))
    #expect(world.asked.filter { $0 == "GET me" }.count == 1)
  }

  // MARK: Late answers

  @Test("a 401 to an older token says nothing about the newer one (A27, A30)")
  func lateRefusal() async throws {
    let world = try await World(signedIn: true)
    let gate = Gate()
    world.http.answer(World.endpoint("me"), ScriptedHTTP.Answer.status(401).held(at: gate))
    await world.accounts.sources.platrium.lookAfter(World.account, .shown)
    await gate.arrivals(atLeast: 1)
    world.http.answer(World.endpoint("token"), World.issued(World.second))
    #expect(await world.signIn() == .success(World.account))
    gate.open()
    await world.accounts.upkeepEnded()
    #expect(await world.accounts.state()?.accounts.first?.standing == .ok)
    #expect(await world.accounts.state()?.session == .signedIn(World.account))
  }

  @Test("an answer that comes after the account has gone brings nobody back (A30)")
  func lateForNobody() async throws {
    let world = try await World(signedIn: true)
    let gate = Gate()
    world.http.answer(World.endpoint("me"), World.me(name: "Late").held(at: gate))
    await world.accounts.sources.platrium.lookAfter(World.account, .shown)
    await gate.arrivals(atLeast: 1)
    try await world.accounts.signOut(World.account, discardDrafts: false)
    gate.open()
    await world.accounts.upkeepEnded()
    #expect(await world.accounts.state()?.accounts == [])
    #expect(try await world.base.base.reopenedStore().load().accounts == [])
  }

  // MARK: Signing out

  @Test(
    "a sign-out clears push, gives the token back and forgets it, in this order (P39, P40, A25)")
  func signOut() async throws {
    let world = try await World(signedIn: true)
    try await world.accounts.signOut(World.account, discardDrafts: true)
    #expect(world.asked.suffix(2) == ["DELETE device/push", "POST logout"])
    #expect(await world.accounts.state()?.session == .signedOut(nil))
    #expect(try world.base.base.count("account") == 0)
    #expect(try world.base.base.count("vault_row WHERE label LIKE 'platrium:%'") == 0)
  }

  @Test("who leaves waits seconds for the service, and no longer than with Grain (G59, G60)")
  func bounded() async throws {
    let world = try await World(signedIn: true)
    try await world.accounts.signOut(World.account, discardDrafts: true)
    #expect(world.http.requests.suffix(2).map(\.deadline) == [.seconds(4), .seconds(4)])
    #expect(world.http.requests.first?.deadline == .seconds(15))
  }

  @Test(
    "a service that is not there keeps nobody signed in, and hears of it after the next launch (G103)"
  )
  func offline() async throws {
    let world = try await World(signedIn: true)
    world.http.answer(World.endpoint("device/push"), .failure(.offline))
    world.http.answer(World.endpoint("logout"), .failure(.offline))
    try await world.accounts.signOut(World.account, discardDrafts: false)
    #expect(await world.accounts.state()?.accounts == [])
    #expect(try world.base.base.count("revocation") == 1)
    world.http.answer(World.endpoint("device/push"), .status(204))
    world.http.answer(World.endpoint("logout"), .status(204))
    // A token does not end of itself, so it is worth giving back however late.
    world.base.clock.set(world.base.clock.now.addingTimeInterval(86_400 * 30))
    await (try await world.restarted()).revocationsEnded()
    #expect(world.asked.suffix(2) == ["DELETE device/push", "POST logout"])
    #expect(
      world.http.requests.last?.headers["Authorization"] == "Bearer \(World.first)")
    #expect(try world.base.base.count("revocation") == 0)
  }

  @Test("other accounts stay as they were (A32)")
  func others() async throws {
    let world = try await World(signedIn: true, over: true)
    try await world.accounts.signOut(World.account, discardDrafts: false)
    let state = await world.accounts.state()
    #expect(state?.accounts.map(\.id) == [AccountsWorld.alice.account])
    #expect(state?.session == .signedIn(AccountsWorld.alice.account))
    #expect(try await world.store.grant(AccountsWorld.alice) != nil)
  }

  @Test("an account of this provider cannot be deleted from here, only signed out (A32)")
  func deletion() async throws {
    let world = try await World(signedIn: true)
    await #expect(throws: AccountError.deletion(.unconfirmed)) {
      try await world.accounts.delete(World.account)
    }
    #expect(await world.accounts.state()?.accounts.count == 1)
  }

  @Test("the same token pasted again is not given back")
  func pastedTwice() async throws {
    let world = try await World(signedIn: true)
    let target = SignInTarget.platriumToken(
      server: World.host, token: Secret(text: World.first))
    #expect(await world.signIn(target) == .success(World.account))
    await world.accounts.revocationsEnded()
    #expect(!world.asked.contains("POST logout"))
  }
}

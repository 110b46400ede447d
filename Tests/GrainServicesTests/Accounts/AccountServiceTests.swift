import ATOAuth
import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import SystemClients
import Testing

@Suite("Everybody who is signed in")
struct AccountServiceTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld

  init() async throws { world = try await AccountsWorld() }

  private func asked(_ address: String) -> [HTTPRequest] { world.http.requests(to: address) }

  // MARK: Launch

  @Test("what is stored is shown at launch without any network (A43, FB-A29)")
  func restoring() async throws {
    let service = try await world.restored(World.grant(World.bob), World.grant())
    let state = await service.state()
    #expect(state?.session == .signedIn(World.alice.account))
    #expect(state?.active == World.alice.account)
    #expect(state?.accounts.map(\.id.did) == [World.bob, World.alice])
    #expect(world.http.requests.isEmpty)
  }

  @Test("an access token that ended long ago is still an account (FB-A32)")
  func restoringExpiredToken() async throws {
    let service = try await world.restored(world.grant(endsIn: -86_400))
    #expect(await service.state()?.session == .signedIn(World.alice.account))
  }

  @Test("nobody stored is signed out, without a reason")
  func restoringNobody() async throws {
    let service = try await world.restored()
    #expect(await service.state() == AccountsState(session: .signedOut(nil)))
  }

  @Test("a store that cannot be read is restoring with its reason, and a later look may succeed")
  func unreadable() async throws {
    _ = try await world.store.adopt(World.grant(), missingScopes: [])
    try world.execute("ALTER TABLE account RENAME TO elsewhere")
    let service = world.service()
    await service.restore()
    let state = await service.state()
    #expect(state?.session == .restoring)
    #expect(state?.fault != nil)

    try world.execute("ALTER TABLE elsewhere RENAME TO account")
    await service.restore()
    #expect(await service.state()?.session == .signedIn(World.alice.account))
    #expect(await service.state()?.fault == nil)
  }

  @Test("a damaged account is said in the log, and nobody else is locked out by it")
  func damagedAccount() async throws {
    for did in [World.bob, World.alice] {
      _ = try await world.store.adopt(World.grant(did), missingScopes: [])
    }
    try world.execute("DELETE FROM vault_row WHERE label = '\(World.alice)'")
    let lines = Recorder<String>()
    let service = AccountService(
      store: try await world.reopenedStore(), drafts: world.drafts, http: world.http.client,
      environment: world.environment, configuration: CoreConfiguration(),
      log: Log(
        clock: world.clock.clock,
        sink: LogSink { lines.record(String(decoding: $0, as: UTF8.self)) }))
    await service.restore()
    #expect(await service.state()?.session == .signedIn(World.bob.account))
    #expect(await service.state()?.accounts.map(\.standing) == [.ok, .expired(.damaged)])
    #expect(lines.values.contains { $0.contains("see doctor") })
  }

  @Test("a watcher hears every change until it stops listening")
  func watching() async throws {
    let service = try await world.restored(World.grant())
    var states = await service.states().makeAsyncIterator()
    #expect(await states.next()?.session == .signedIn(World.alice.account))
    await service.signInBegan()
    #expect(await states.next()?.session == .authenticating(over: World.alice.account))
    await service.signInEnded()
    #expect(await states.next()?.session == .signedIn(World.alice.account))
  }

  // MARK: Sign-in

  @Test("a new account is stored, shown and active; the others stay")
  func adopting() async throws {
    let service = try await world.restored(World.grant())
    await service.signInBegan()
    try await service.adopt(World.grant(World.bob))
    let state = await service.state()
    #expect(state?.session == .signedIn(World.bob.account))
    #expect(state?.accounts.map(\.id.did) == [World.alice, World.bob])
    #expect(try await world.reopenedStore().load().active == World.bob.account)
  }

  @Test("what the grant does not cover is listed with the account (G110, FB-A23)")
  func missingScopes() async throws {
    let service = try await world.restored()
    await service.signInBegan()
    let full = CoreConfiguration().appView?.scopeItems ?? []
    let granted = full.filter { !$0.hasSuffix("gallery.item") && !$0.hasPrefix("blob:") }
    try await service.adopt(World.grant(scope: granted.reversed().joined(separator: "  ") + " x:y"))
    #expect(
      await service.state()?.accounts.map(\.missingScopes)
        == [["blob:image/*", "repo:social.grain.gallery.item"]])
  }

  @Test("the grant a new sign-in replaces is revoked, and nobody waits for that (FB-E8, FB-A26)")
  func replacing() async throws {
    let gate = Gate()
    world.http.answer("as.alice.test/revoke", ScriptedHTTP.Answer.json("{}").held(at: gate))
    let service = try await world.restored(World.grant())
    await service.signInBegan()
    try await service.adopt(World.grant(tokens: "1"))
    #expect(await service.state()?.session == .signedIn(World.alice.account))
    gate.open()
    await service.revocationsEnded()
    #expect(asked("as.alice.test/revoke").map { form($0)["token"] } == ["refresh-0"])
  }

  @Test("a client made before a new sign-in of its account goes on with the new tokens")
  func clientsGoOn() async throws {
    world.http.answer("as.alice.test/revoke", .json("{}"))
    world.http.answer(
      "pds.alice.test/xrpc/com.atproto.repo.applyWrites", .json("{}"))
    let service = try await world.restored(World.grant())
    let client = try await service.client(World.alice)
    try await service.adopt(World.grant(tokens: "1"))
    try await client.applyWrites([])
    #expect(world.http.requests.last?.headers["Authorization"] == "DPoP access-1")
    await service.revocationsEnded()
  }

  @Test("tokens that cannot be stored are revoked and nothing has changed")
  func adoptingFails() async throws {
    world.http.answer("as.bob.test/revoke", .json("{}"))
    let service = try await world.restored(World.grant())
    await service.signInBegan()
    try world.breakStore()
    await #expect(throws: StoreFault.self) { try await service.adopt(World.grant(World.bob)) }
    await service.signInEnded()
    #expect(asked("as.bob.test/revoke").map { form($0)["token"] } == ["refresh-0"])
    #expect(await service.state()?.accounts.map(\.id.did) == [World.alice])
    #expect(await service.state()?.session == .signedIn(World.alice.account))
  }

  @Test("an account whose stored grant is damaged can be signed in to again")
  func adoptingOverDamage() async throws {
    let service = try await world.restored(World.grant())
    try world.execute("UPDATE vault_row SET sealed = x'00' WHERE kind = 'grant'")
    await service.signInBegan()
    try await service.adopt(World.grant(tokens: "1"))
    #expect(
      try await world.store.grant(World.alice)?.tokens.accessToken.revealText() == "access-1")
  }

  // MARK: Switching

  @Test("a switch is on disk before it is shown, and needs no network while the token is good")
  func switching() async throws {
    let service = try await world.restored(World.grant(World.bob), World.grant())
    try await service.activate(World.bob.account)
    #expect(await service.state()?.session == .signedIn(World.bob.account))
    #expect(await service.state()?.active == World.bob.account)
    #expect(try await world.reopenedStore().load().active == World.bob.account)
    #expect(world.http.requests.isEmpty)
  }

  @Test("the incoming account is refreshed first (G57)")
  func switchingRefreshes() async throws {
    world.http.answer("as.bob.test/token", .tokens("1"))
    let service = try await world.restored(
      world.grant(World.bob, endsIn: 30), World.grant())
    try await service.activate(World.bob.account)
    #expect(asked("as.bob.test/token").count == 1)
    #expect(await service.state()?.active == World.bob.account)
  }

  @Test("an incoming account whose grant is over is not switched to, and is listed as expired")
  func switchingToEnded() async throws {
    world.http.answer("as.bob.test/token", .refusal("invalid_grant"))
    let service = try await world.restored(
      world.grant(World.bob, endsIn: 30), World.grant())
    await #expect(throws: AccountError.sessionExpired) {
      try await service.activate(World.bob.account)
    }
    let state = await service.state()
    #expect(state?.active == World.alice.account)
    #expect(state?.session == .signedIn(World.alice.account))
    #expect(state?.accounts.map(\.standing) == [.expired(.refused), .ok])
  }

  @Test("a passing fault does not stop a switch (grain-product §4)")
  func switchingOffline() async throws {
    world.http.answer("as.bob.test/token", .failure(.offline))
    let service = try await world.restored(
      world.grant(World.bob, endsIn: -30), World.grant())
    try await service.activate(World.bob.account)
    #expect(await service.state()?.active == World.bob.account)
  }

  @Test("an account that is signed out while it is refreshed for a switch does not become active")
  func switchingToLeaving() async throws {
    let gate = Gate()
    world.http.answer("as.bob.test/token", ScriptedHTTP.Answer.tokens("1").held(at: gate))
    world.http.answer("as.bob.test/revoke", .json("{}"))
    let service = try await world.restored(
      world.grant(World.bob, endsIn: 30), World.grant())
    let switching = Task { try await service.activate(World.bob.account) }
    await gate.arrivals(atLeast: 1)
    try await service.signOut(World.bob.account, discardDrafts: false)
    gate.open()
    await #expect(throws: AccountError.self) { try await switching.value }
    #expect(await service.state()?.active == World.alice.account)
    #expect(await service.state()?.accounts.map(\.id.did) == [World.alice])
  }

  @Test("unknown and expired accounts are refused")
  func switchingRefused() async throws {
    let service = try await world.restored(World.grant())
    await #expect(throws: AccountError.unknown) { try await service.activate(World.bob.account) }
    await #expect(throws: AccountError.unknown) {
      try await service.signOut(World.bob.account, discardDrafts: false)
    }
    await #expect(throws: AccountError.unknown) {
      try await service.move(World.bob.account, before: nil)
    }
    await #expect(throws: CallFault.sessionExpired(World.bob)) {
      try await service.client(World.bob)
    }
  }

  // MARK: The order of the list

  @Test("an account moves in front of another, or to the end")
  func moving() async throws {
    let service = try await world.restored(
      World.grant(), World.grant(World.bob), World.grant(World.carol))
    try await service.move(World.carol.account, before: World.alice.account)
    #expect(
      await service.state()?.accounts.map(\.id.did) == [World.carol, World.alice, World.bob])
    try await service.move(World.carol.account, before: nil)
    #expect(
      await service.state()?.accounts.map(\.id.did) == [World.alice, World.bob, World.carol])
    try await service.move(World.alice.account, before: World.alice.account)
    #expect(
      try await world.reopenedStore().load().accounts.map(\.id.did)
        == [World.alice, World.bob, World.carol])
  }

  // MARK: A grant that ends

  /// Makes a call for Alice, whose token is over.
  private func call(_ service: AccountService) async -> CallFault? {
    do throws(CallFault) {
      _ = try await service.client(World.alice).getRecord(.init(constant: "a.b.c"), .literalSelf)
      return nil
    } catch {
      return error
    }
  }

  @Test("a refusal drops that account only; the next one takes over (G55, FB-A28)")
  func successor() async throws {
    world.http.answer("as.alice.test/token", .refusal("invalid_grant"))
    let service = try await world.restored(
      World.grant(World.bob), world.grant(endsIn: -1))
    #expect(await call(service) == .sessionExpired(World.alice))
    let state = await service.state()
    #expect(state?.session == .signedIn(World.bob.account))
    #expect(state?.active == World.bob.account)
    #expect(state?.accounts.map(\.standing) == [.ok, .expired(.refused)])
    #expect(try await world.store.grant(World.bob) != nil)
    #expect(asked("as.bob.test/token").isEmpty)
  }

  @Test("the last account's end is signed out with the reason; the account stays listed (G111)")
  func lastOne() async throws {
    world.http.answer("as.alice.test/token", .refusal("invalid_grant"))
    let service = try await world.restored(world.grant(endsIn: -1))
    _ = await call(service)
    let state = await service.state()
    #expect(state?.session == .signedOut(.ended(.refused)))
    #expect(state?.accounts.map(\.standing) == [.expired(.refused)])
    await #expect(throws: AccountError.sessionExpired) {
      try await service.activate(World.alice.account)
    }
  }

  @Test("the next account stays usable under a sign-in during which the active one ended")
  func endsDuringSignIn() async throws {
    world.http.answer("as.alice.test/token", .refusal("invalid_grant"))
    let service = try await world.restored(
      World.grant(World.bob), world.grant(endsIn: -1))
    await service.signInBegan()
    _ = await call(service)
    #expect(await service.state()?.session == .authenticating(over: World.bob.account))
    await service.signInEnded()
    #expect(await service.state()?.session == .signedIn(World.bob.account))
  }

  @Test("a refresh is shown while it lasts")
  func refreshing() async throws {
    let gate = Gate()
    world.http.answer("as.alice.test/token", ScriptedHTTP.Answer.tokens("1").held(at: gate))
    world.http.answer(
      "pds.alice.test/xrpc/com.atproto.repo.getRecord", .json(#"{"value":{}}"#))
    let service = try await world.restored(world.grant(endsIn: -1))
    let calling = Task { await self.call(service) }
    await gate.arrivals(atLeast: 1)
    #expect(await service.state()?.session == .refreshing(World.alice.account))
    gate.open()
    #expect(await calling.value == nil)
    #expect(await service.state()?.session == .signedIn(World.alice.account))
  }

  @Test("a store that does not take new tokens is told as what it is (FB-E1)")
  func storeFault() async throws {
    world.http.answer("as.alice.test/token", .tokens("1"))
    let service = try await world.restored(world.grant(endsIn: -1))
    try world.breakStore()
    #expect(await call(service) == .store(.corrupt("broken")))
  }

  @Test(
    "an authorization server that is down, drops and fails costs calls, never the account (FB-A4)")
  func serverInTrouble() async throws {
    let answer = ScriptedHTTP.Answer.json(#"{"uri":"at://x","value":{}}"#)
    world.http.answer("pds.alice.test/xrpc/com.atproto.repo.getRecord", answer)
    world.http.answer(
      "as.alice.test/token", .failure(.cannotConnect("as.alice.test")), .failure(.connectionLost),
      .status(503), .tokens("1"))
    var service = try await world.restored(world.grant(endsIn: -1))
    for number in 1...4 {
      if number == 3 {
        // The core starts again: what it knows is what is on disk.
        await service.stop()
        service = AccountService(
          store: try await world.reopenedStore(), drafts: world.drafts, http: world.http.client,
          environment: world.environment, configuration: CoreConfiguration(), log: .silent)
        await service.restore()
      }
      // Longer than any rest after a failure.
      await world.clock.advance(by: .seconds(60))
      let fault = await call(service)
      #expect(asked("as.alice.test/token").count == number)
      #expect((fault == nil) == (number == 4), "\(number): \(String(describing: fault))")
      if let fault { #expect(fault.isTransient, "\(fault)") }
      let state = await service.state()
      #expect(state?.session == .signedIn(World.alice.account))
      #expect(state?.accounts.map(\.standing) == [.ok])
      // No placeholder in the store, ever.
      let stored = try await world.reopenedStore().grant(World.alice)?.tokens
      #expect(stored?.refreshToken?.revealText() == (number == 4 ? "refresh-1" : "refresh-0"))
      #expect(stored?.accessToken.revealText() == (number == 4 ? "access-1" : "access-0"))
    }
    #expect(
      asked("as.alice.test/token").map { form($0)["refresh_token"] }
        == Array(repeating: "refresh-0", count: 4))
  }
}

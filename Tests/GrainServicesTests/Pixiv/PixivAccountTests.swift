import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import PixivOAuth
import SystemClients
import Testing

@Suite("Signing in with Pixiv, and staying")
struct PixivAccountTests {
  private typealias World = PixivWorld

  @Test("without the host application's id, secret and salt it is not offered, and says why (A48)")
  func notConfigured() async throws {
    var configuration = CoreConfiguration()
    configuration.pixivClientID = "client"
    #expect(ProviderOffer.all(configuration).last?.reason == .notConfigured)
    configuration.pixivClientSecret = ConfiguredSecret("s")
    #expect(ProviderOffer.all(configuration).last?.reason == .notConfigured)
    configuration.pixivHashSalt = ConfiguredSecret("s")
    let offer = try #require(ProviderOffer.all(configuration).last)
    #expect(offer.available)
    #expect(offer.inShell(withWebView: true) == offer)
    #expect(offer.inShell(withWebView: false).reason == .needsWebView)
    #expect(!"\(configuration)".contains("\"s\""))
    let world = try await SignInWorld()
    #expect(
      await world.start(.pixiv).value == .failure(.unavailable(.pixiv, .notConfigured)))
    #expect(world.http.requests.isEmpty)
  }

  @Test("a client that is set up is nobody's session (A5)")
  func clientAlone() async throws {
    let world = try await World()
    #expect(await world.accounts.state()?.session == .signedOut(nil))
    #expect(world.http.requests.isEmpty)
  }

  @Test(
    "the page is shown in a web view; the code it stops at is exchanged at once, and the person is signed in (X1, X2, X4, X5, X10, X21)"
  )
  func signIn() async throws {
    let world = try await World()
    #expect(await world.signIn() == .success(World.account))
    let page = try #require(world.pages.first)
    #expect(page.url.hasPrefix("https://app-api.pixiv.net/web/v1/login?code_challenge="))
    #expect(page.needsWebView)
    #expect(page.callback == .shell(scheme: "pixiv", host: "account", path: "/login"))
    #expect(world.posted.map { $0["grant_type"] } == ["authorization_code"])
    #expect(world.posted.first?["code"] == "cod-1")
    let state = await world.accounts.state()
    #expect(
      state?.accounts == [
        AccountRecord(
          id: World.account, handle: "ada", displayName: "Ada", avatar: "https://i.pximg.net/170")
      ])
    #expect(state?.session == .signedIn(World.account))
    #expect(try await world.stored()?.accessToken == Secret(text: "access-1"))
  }

  @Test(
    "a callback that no web view caught, or that brings no code, is none (X11, X19, FB-G3, A10)",
    arguments: [
      ("pixiv://account/login?code=c&via=login", CallbackDoor.desktop),
      ("pixiv://account/login?code=c&via=login", .loopback), ("pixiv://account/login", .shell),
      ("pixiv://account/login?error=x", .shell), ("pixiv://account/login/?code=c", .shell),
      ("pixiv://accounts/login?code=c", .shell),
      ("https://accounts.pixiv.net/post-redirect?return_to=x%3Fcode%3Dc", .shell),
    ])
  func otherNavigation(text: String, door: CallbackDoor) async throws {
    let world = try await World()
    let task = world.base.start(.pixiv)
    await world.base.page.arrivals(atLeast: 1)
    #expect(world.base.coordinator.offer(text, from: door) == .unknown)
    #expect(
      world.base.coordinator.offer("pixiv://account/login?code=c&via=login") == .delivered)
    #expect(await task.value == .success(World.account))
  }

  @Test(
    "another provider's callback, and the second of one's own, change nothing (A10, A16, FB-G2)")
  func foreignAndDouble() async throws {
    let world = try await World()
    let gate = Gate()
    world.http.answer(World.tokenAddress, World.issued().held(at: gate))
    let task = world.base.start(.pixiv)
    await world.base.page.arrivals(atLeast: 1)
    for foreign in [
      "platrium://auth/callback?code=evil&state=s",
      "social.grain:/oauth/callback?code=evil&state=s",
      "http://127.0.0.1:1/callback?code=evil",
    ] {
      #expect(world.base.coordinator.offer(foreign) == .unknown, "\(foreign)")
    }
    let callback = "pixiv://account/login?code=cod-1&via=login"
    #expect(world.base.coordinator.offer(callback) == .delivered)
    #expect(world.base.coordinator.offer(callback) == .unknown)
    #expect(
      world.base.coordinator.offer("pixiv://account/login?code=evil&via=login") == .unknown)
    await gate.arrivals(atLeast: 1)
    gate.open()
    #expect(await task.value == .success(World.account))
    #expect(world.posted.map { $0["code"] } == ["cod-1"])
  }

  @Test("a code that came too late ends the attempt; the next one has another verifier (FB-G2)")
  func lateCode() async throws {
    let world = try await World()
    world.http.answer(World.tokenAddress, World.refused, World.issued())
    #expect(
      await world.signIn()
        == .failure(.codeSpent(host: "oauth.secure.pixiv.net", detail: "Invalid refresh token")))
    #expect(world.posted.count == 1)
    #expect(await world.signIn() == .success(World.account))
    #expect(world.posted[0]["code_verifier"] != world.posted[1]["code_verifier"])
  }

  @Test(
    "what else can go wrong is told as what it is, and the code is not sent again (FB-G4, FB-G6)",
    arguments: [
      (
        ScriptedHTTP.Answer.json(#"{"error":"invalid_client"}"#, status: 400),
        SignInError.clientUnavailable(host: "oauth.secure.pixiv.net", detail: "invalid_client")
      ),
      (
        .response(
          HTTPResponse(status: 403, headers: ["Content-Type": "text/html"], body: [60])),
        .blocked(host: "oauth.secure.pixiv.net", status: 403)
      ), (.failure(.offline), .remote(.offline)),
    ])
  func refusals(answer: ScriptedHTTP.Answer, error: SignInError) async throws {
    let world = try await World()
    world.http.answer(World.tokenAddress, answer)
    #expect(await world.signIn() == .failure(error))
    #expect(world.posted.count == 1)
    #expect(await world.accounts.state()?.session == .signedOut(nil))
  }

  @Test("the person may take minutes; giving up ends cleanly (X24, FB-G5)")
  func patience() async throws {
    let world = try await World()
    let task = world.base.start(.pixiv)
    await world.base.page.arrivals(atLeast: 1)
    await world.base.clock.sleepers(atLeast: 1)
    await world.base.clock.advance(by: .seconds(600))
    #expect(await world.accounts.state()?.session == .authenticating(over: nil))
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    #expect(await world.accounts.state()?.session == .signedOut(nil))
    #expect(
      world.base.coordinator.offer("pixiv://account/login?code=c&via=login") == .unknown)
  }

  // MARK: Launch and refresh

  @Test("the next launch lands signed in; signing out is local and stays (X22, X23)")
  func relaunch() async throws {
    let world = try await World(signedIn: true)
    let next = try await world.restarted()
    await next.upkeepEnded()
    #expect(await next.state()?.session == .signedIn(World.account))
    #expect(world.posted.count == 1)
    try await next.signOut(World.account, discardDrafts: false)
    await next.revocationsEnded()
    #expect(world.posted.count == 1)
    #expect(await (try await world.restarted()).state()?.session == .signedOut(nil))
    #expect(try world.base.base.count("vault_row WHERE label LIKE 'pixiv:%'") == 0)
  }

  @Test(
    "tokens that have ended are refreshed once for everybody, and on disk before they are used (X7, X9, X17, A27, A28, A41)"
  )
  func singleFlight() async throws {
    let world = try await World(signedIn: true)
    let gate = Gate()
    world.http.answer(World.detailAddress, World.ended, World.ended, World.detail)
    world.http.answer(World.tokenAddress, World.issued("2").held(at: gate))
    let source = world.accounts.sources.pixiv
    async let first = source.send(.userDetail("11"), as: World.account)
    async let second = source.send(.userDetail("11"), as: World.account)
    await gate.arrivals(atLeast: 1)
    gate.open()
    #expect(try await first.account == "ada")
    #expect(try await second.account == "ada")
    #expect(world.posted.filter { $0["grant_type"] == "refresh_token" }.count == 1)
    #expect(try await world.stored()?.accessToken == Secret(text: "access-2"))
  }

  @Test(
    "stale tokens are refreshed at the launch; offline the account is shown all the same (A40, A43)"
  )
  func staleLaunch() async throws {
    let world = try await World(signedIn: true)
    world.base.clock.set(world.base.clock.now.addingTimeInterval(7200))
    world.http.answer(World.tokenAddress, .failure(.offline))
    let offline = try await world.restarted()
    await offline.upkeepEnded()
    #expect(await offline.state()?.session == .signedIn(World.account))
    #expect(try await world.stored()?.accessToken == Secret(text: "access-1"))
    world.http.answer(World.tokenAddress, World.issued("2", account: "ada_new"))
    let online = try await world.restarted()
    await online.upkeepEnded()
    #expect(try await world.stored()?.accessToken == Secret(text: "access-2"))
    #expect(await online.state()?.accounts.first?.handle == "ada_new")
  }

  @Test("a refused refresh ends this account and no other (X18, A42)")
  func refusedRefresh() async throws {
    let world = try await World(signedIn: true, over: true)
    world.base.clock.set(world.base.clock.now.addingTimeInterval(7200))
    world.http.answer(World.tokenAddress, World.refused)
    let service = try await world.restarted()
    await service.upkeepEnded()
    let state = await service.state()
    #expect(
      state?.accounts.first { $0.id == World.account }?.standing == .expired(.refused))
    #expect(state?.active == AccountsWorld.alice.account)
    #expect(try await world.stored() == nil)
    await #expect(throws: AccountError.sessionExpired) {
      try await service.activate(World.account)
    }
  }

  @Test(
    "what says nothing about the grant ends nothing (FB-G1, FB-G4, FB-G6)",
    arguments: [
      ScriptedHTTP.Answer.json(#"{"error":"invalid_client"}"#, status: 401), .status(503),
      .json(#"{"has_error":true,"errors":{"system":{"message":"odd"}}}"#, status: 400),
      .json("{}", status: 429),
    ])
  func harmless(answer: ScriptedHTTP.Answer) async throws {
    let world = try await World(signedIn: true)
    world.base.clock.set(world.base.clock.now.addingTimeInterval(7200))
    world.http.answer(World.tokenAddress, answer)
    let service = try await world.restarted()
    await service.upkeepEnded()
    #expect(await service.state()?.session == .signedIn(World.account))
    #expect(try await world.stored() != nil)
  }

  // MARK: Late answers

  @Test("a refresh that is answered after the account has gone stores nothing (A30)")
  func lateForNobody() async throws {
    let world = try await World(signedIn: true)
    let gate = Gate()
    world.base.clock.set(world.base.clock.now.addingTimeInterval(7200))
    world.http.answer(World.tokenAddress, World.issued("2").held(at: gate))
    await world.accounts.sources.pixiv.lookAfter(World.account, .shown)
    await gate.arrivals(atLeast: 1)
    try await world.accounts.signOut(World.account, discardDrafts: false)
    gate.open()
    await world.accounts.upkeepEnded()
    #expect(try await world.stored() == nil)
    #expect(await world.accounts.state()?.accounts == [])
  }

  @Test(
    "one that is answered after a new sign-in neither replaces its tokens nor ends it (A27, A30)",
    arguments: [World.issued("late"), World.refused])
  func lateForNewer(answer: ScriptedHTTP.Answer) async throws {
    let world = try await World(signedIn: true)
    let gate = Gate()
    world.base.clock.set(world.base.clock.now.addingTimeInterval(7200))
    world.http.answer(World.tokenAddress, answer.held(at: gate), World.issued("new"))
    await world.accounts.sources.pixiv.lookAfter(World.account, .shown)
    await gate.arrivals(atLeast: 1)
    #expect(await world.signIn() == .success(World.account))
    gate.open()
    await world.accounts.upkeepEnded()
    #expect(try await world.stored()?.accessToken == Secret(text: "access-new"))
    #expect(await world.accounts.state()?.session == .signedIn(World.account))
  }

  @Test(
    "one that is answered after a switch changes that account alone, both ways (A30, A42)",
    arguments: [true, false])
  func lateAcrossSwitch(isRefused: Bool) async throws {
    let world = try await World(over: true)
    // Stale from the first moment.
    world.http.answer(
      World.tokenAddress,
      .json(
        """
        {"access_token":"access-1","refresh_token":"refresh-1","expires_in":30,
        "user":{"id":"11","name":"Ada","account":"ada"}}
        """))
    #expect(await world.signIn() == .success(World.account))
    let alice = AccountsWorld.alice.account
    let gate = Gate()
    world.http.answer(
      World.tokenAddress,
      (isRefused ? World.refused : World.issued("2", account: "late")).held(at: gate))
    await world.accounts.sources.pixiv.lookAfter(World.account, .shown)
    await gate.arrivals(atLeast: 1)
    try await world.accounts.activate(alice)
    gate.open()
    await world.accounts.upkeepEnded()
    let state = await world.accounts.state()
    #expect(state?.session == .signedIn(alice) && state?.active == alice)
    #expect(state?.accounts.first { $0.id == alice }?.standing == .ok)
    let ada = state?.accounts.first { $0.id == World.account }
    #expect(ada?.standing == (isRefused ? .expired(.refused) : .ok))
    #expect(ada?.handle == (isRefused ? "ada" : "late"))
    #expect(
      try await world.stored()?.accessToken == (isRefused ? nil : Secret(text: "access-2")))

    // The other way: the account that is returned to is refreshed, or told to sign in again.
    if isRefused {
      await #expect(throws: AccountError.sessionExpired) {
        try await world.accounts.activate(World.account)
      }
    } else {
      try await world.accounts.activate(World.account)
    }
    #expect(
      await world.accounts.state()?.session == .signedIn(isRefused ? alice : World.account))
  }
}

import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import Testing

@Suite("Giving a sign-in up")
struct SignInCancelTests {
  private typealias World = AccountsWorld

  @Test(
    "whatever is under way, cancelling ends it, nothing is stored, and the next one may begin (A46)",
    arguments: [
      "alice.test/.well-known/atproto-did", "plc.directory/\(AccountsWorld.alice)",
      "pds.alice.test/.well-known/oauth-protected-resource", "as.alice.test/oauth/par",
      SignInWorld.tokenEndpoint,
    ])
  func cancelled(during address: String) async throws {
    let world = try await SignInWorld(signedIn: World.bob)
    let gate = Gate()
    world.http.answer(
      "public.api.bsky.app/xrpc/com.atproto.identity.resolveHandle", .failure(.cancelled))
    world.http.answer(address, ScriptedHTTP.Answer.status(500).held(at: gate))
    let task = world.start()
    if address == SignInWorld.tokenEndpoint {
      await world.page.arrivals(atLeast: 1)
      #expect(world.coordinator.offer(world.callback()) == .delivered)
    }
    await gate.arrivals(atLeast: 1)
    #expect(await world.accounts.state()?.session == .authenticating(over: World.bob.account))
    task.cancel()
    gate.open()
    #expect(await task.value == .failure(.cancelled))
    #expect(await world.accounts.state()?.session == .signedIn(World.bob.account))
    #expect(await world.start(.name("alice")).value == .failure(.handleInvalid(typed: "alice")))
  }

  @Test("cancelling while the page is open ends the attempt; its callback is then ignored (A15)")
  func whileWaiting() async throws {
    let world = try await SignInWorld()
    let task = world.start()
    await world.page.arrivals(atLeast: 1)
    await world.clock.sleepers(atLeast: 1)
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    #expect(world.coordinator.offer(world.callback()) == .unknown)
    #expect(world.http.requests(to: SignInWorld.tokenEndpoint).isEmpty)
    #expect(world.clock.sleeperCount == 0)
  }

  @Test(
    "given up while the code is exchanged: who waits is let go, what still comes is revoked (A46)")
  func tokensTooLate() async throws {
    let world = try await SignInWorld()
    let (tokens, revocation) = (Gate(), Gate())
    world.http.answer(SignInWorld.tokenEndpoint, SignInWorld.tokens().held(at: tokens))
    world.http.answer("as.alice.test/oauth/revoke", .json("{}").held(at: revocation))
    let task = world.start()
    await world.page.arrivals(atLeast: 1)
    #expect(world.coordinator.offer(world.callback()) == .delivered)
    await tokens.arrivals(atLeast: 1)
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    #expect(world.http.requests(to: "as.alice.test/oauth/revoke").isEmpty)
    tokens.open()
    await revocation.arrivals(atLeast: 1)
    revocation.open()
    let revoked = world.http.requests(to: "as.alice.test/oauth/revoke").last
    #expect(form(revoked)["token"] == "refresh-1")
    #expect(await world.accounts.state()?.accounts == [])
  }

  @Test("a program that ends meanwhile waits until what still comes is revoked (A46, FB-A15)")
  func ending() async throws {
    let world = try await SignInWorld()
    let tokens = Gate()
    world.http.answer(SignInWorld.tokenEndpoint, SignInWorld.tokens().held(at: tokens))
    world.http.answer("as.alice.test/oauth/revoke", .json("{}"))
    let task = world.start()
    await world.page.arrivals(atLeast: 1)
    #expect(world.coordinator.offer(world.callback()) == .delivered)
    await tokens.arrivals(atLeast: 1)
    await world.service.leave()
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    let ending = Task { await world.service.settle() }
    for _ in 0..<100 { await Task.yield() }
    tokens.open()
    await ending.value
    let revoked = world.http.requests(to: "as.alice.test/oauth/revoke").last
    #expect(form(revoked)["token"] == "refresh-1")
  }

  // MARK: The loopback client

  /// Starts with a port of ours and returns where it is.
  private func listening(
    _ world: SignInWorld
  ) async throws -> (Task<Result<AccountID, SignInError>, Never>, redirect: String) {
    let task = world.start(loopback: true)
    await world.page.arrivals(atLeast: 1)
    let pushed = world.http.requests(to: "as.alice.test/oauth/par").last
    return (task, try #require(form(pushed)["redirect_uri"]))
  }

  private func visit(_ address: String) async throws -> Int {
    try await HTTPClient.loopback().send(
      HTTPRequest(method: "GET", url: World.url(address))
    ).status
  }

  @Test("with the loopback client the answer comes to a port of ours (G97)")
  func loopback() async throws {
    let world = try await SignInWorld(loopbackClient: true)
    let (task, redirect) = try await listening(world)
    #expect(redirect.hasPrefix("http://127.0.0.1:"))
    guard case .waitingForBrowser(let request) = world.steps.values.last else {
      Issue.record("no page")
      return
    }
    #expect(request.callback == .core)
    #expect(try await visit("\(redirect)?state=foreign&iss=x&code=y") != 200)
    #expect(try await visit(world.callback()) == 200)
    #expect(await task.value == .success(World.alice.account))
  }

  @Test("cancelling frees the port")
  func portIsFreed() async throws {
    let world = try await SignInWorld(loopbackClient: true)
    let (task, redirect) = try await listening(world)
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    await #expect(throws: HTTPError.self) { try await visit(redirect) }
  }

  @Test("where the configuration offers no loopback client, none is used")
  func notOffered() async throws {
    let world = try await SignInWorld()
    let task = world.start(loopback: true)
    await world.page.arrivals(atLeast: 1)
    let pushed = world.http.requests(to: "as.alice.test/oauth/par").last
    #expect(form(pushed)["redirect_uri"] == "social.grain:/oauth/callback")
    task.cancel()
    _ = await task.value
  }
}

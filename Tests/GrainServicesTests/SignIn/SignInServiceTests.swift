import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OAuth
import Testing

@Suite("From a name to a stored account")
struct SignInServiceTests {
  private typealias World = AccountsWorld
  private let world: SignInWorld

  init() async throws { world = try await SignInWorld() }

  private func request(
    _ host: String = "as.alice.test",
    callback: BrowserRequest.Callback = .shell(
      scheme: "social.grain", host: nil, path: "/oauth/callback")
  ) -> BrowserRequest {
    let client = "https%3A%2F%2Fgrain.social%2Foauth%2Fapp-client-metadata.json"
    return BrowserRequest(
      url: "https://\(host)/oauth/authorize?client_id=\(client)&request_uri=urn%3Areq-1",
      host: host, callback: callback, opensUntil: world.clock.now.addingTimeInterval(299))
  }

  /// Runs a sign-in to the browser and brings this answer back.
  private func run(
    _ target: SignInTarget = .name("alice.test"), answer: String = "code=cod-1"
  ) async -> Result<AccountID, SignInError> {
    let shown = world.page.arrivalCount
    let task = world.start(target)
    await world.page.arrivals(atLeast: shown + 1)
    if world.coordinator.offer(world.callback(answer)) != .delivered {
      Issue.record("the callback was not taken")
      task.cancel()
    }
    return await task.value
  }

  private func tokenRequests() -> [HTTPRequest] {
    world.http.requests(to: SignInWorld.tokenEndpoint)
  }

  // MARK: The whole way

  @Test("a handle leads through its steps, in order, to an account that is stored and active")
  func wholeWay() async throws {
    #expect(await run() == .success(World.alice.account))
    #expect(
      world.steps.values == [
        .resolving, .contacting(host: "pds.alice.test"), .waitingForBrowser(request()),
        .exchanging,
      ])
    let state = await world.accounts.state()
    #expect(state?.session == .signedIn(World.alice.account))
    #expect(state?.accounts.map(\.handle) == ["alice.test"])
    #expect(state?.accounts.map(\.missingScopes) == [[]])
    #expect(try await world.base.store.grant(World.alice) != nil)
  }

  @Test("what is typed around a handle does not matter (FB-A21)")
  func spelling() async {
    #expect(await run(.name(" @Alice.Test\u{202C} ")) == .success(World.alice.account))
  }

  @Test(
    "a DID, typed or of a listed account, needs no handle look-up but confirms the handle (G8, G73)",
    arguments: [
      SignInTarget.name(AccountsWorld.alice.rawValue), .account(AccountsWorld.alice.account),
    ])
  func byDID(target: SignInTarget) async {
    #expect(await run(target) == .success(World.alice.account))
    #expect(world.http.addresses.first == "plc.directory/\(World.alice)")
  }

  @Test("a new account starts at the sign-up server and is learnt from its tokens (G25–G28)")
  func signUp() async {
    let newcomer = World.bob.rawValue
    world.http.answer(
      "plc.directory/\(newcomer)",
      .didDocument(newcomer, handle: "new.test", pds: "https://selfhosted.social"))
    // Nobody may ask the handle's own host before the tokens are stored (FB-A26).
    world.http.answer(
      "selfhosted.social/oauth/token", SignInWorld.tokens(subject: newcomer))
    let task = world.start(.newAccount)
    await world.page.arrivals(atLeast: 1)
    let callback = world.callback(issuer: "https://selfhosted.social")
    #expect(world.coordinator.offer(callback) == .delivered)
    #expect(await task.value == .success(World.bob.account))
    #expect(
      world.steps.values == [
        .contacting(host: "selfhosted.social"), .waitingForBrowser(request("selfhosted.social")),
        .exchanging,
      ])
  }

  @Test("signing in again to an expired account revives it")
  func again() async throws {
    #expect(await run() == .success(World.alice.account))
    _ = try await world.base.store.end(
      try #require(try await world.base.store.grant(World.alice)), .refused)
    #expect(await run(.account(World.alice.account)) == .success(World.alice.account))
    #expect(await world.accounts.state()?.accounts.map(\.standing) == [.ok])
  }

  // MARK: One at a time

  @Test("a second sign-in is refused while one is under way, and does not disturb it (FB-A30)")
  func busy() async {
    let first = world.start()
    await world.page.arrivals(atLeast: 1)
    #expect(await world.start(.newAccount).value == .failure(.busy))
    #expect(world.coordinator.offer(world.callback()) == .delivered)
    #expect(await first.value == .success(World.alice.account))
  }

  // MARK: Endings

  @Test("saying no is its own quiet end, and the session is as it was (FB-A13)")
  func denied() async {
    #expect(await run(answer: "error=access_denied") == .failure(.denied))
    #expect(tokenRequests().isEmpty)
    #expect(await world.accounts.state()?.session == .signedOut(nil))
    #expect(await run() == .success(World.alice.account))
  }

  @Test("an error of the server's is told in its own words (FB-A13)")
  func serverError() async {
    let answer = "error=server_error&error_description=Try+later"
    #expect(
      await run(answer: answer)
        == .failure(.refused(host: "as.alice.test", error: "server_error", detail: "Try later")))
  }

  @Test("an answer of another issuer sends no code anywhere (FB-A14)")
  func otherIssuer() async {
    let task = world.start()
    await world.page.arrivals(atLeast: 1)
    let callback = world.callback(issuer: "https://other.test")
    #expect(world.coordinator.offer(callback) == .delivered)
    let expected = "https://as.alice.test"
    #expect(
      await task.value
        == .failure(
          .issuerMismatch(expected: expected, found: "https://other.test", in: .callback)))
    #expect(tokenRequests().isEmpty)
  }

  @Test("tokens of another account are revoked and nothing is stored (FB-A15)")
  func otherAccount() async {
    world.http.answer(
      SignInWorld.tokenEndpoint, SignInWorld.tokens(subject: World.bob.rawValue))
    #expect(await run() == .failure(.identityMismatch))
    #expect(world.http.requests(to: "as.alice.test/oauth/revoke").count == 1)
    #expect(await world.accounts.state() == AccountsState(session: .signedOut(nil)))
  }

  @Test("a grant without atproto is refused (FB-A23)")
  func grantUnusable() async {
    world.http.answer(SignInWorld.tokenEndpoint, SignInWorld.tokens(scope: "blob:image/*"))
    #expect(await run() == .failure(.grantUnusable))
  }

  @Test("an account that cannot be stored is not signed in, and its tokens are revoked")
  func storeFails() async throws {
    try world.base.breakStore()
    guard case .failure(.store) = await run() else {
      Issue.record("stored")
      return
    }
    let revoked = world.http.requests(to: "as.alice.test/oauth/revoke")
    #expect(revoked.map { form($0)["token"] } == ["refresh-1"])
    #expect(await world.accounts.state()?.accounts == [])
  }

  @Test("nobody comes back in time: the attempt is over and its late callback is ignored (A18)")
  func expired() async {
    let task = world.start()
    await world.page.arrivals(atLeast: 1)
    await world.clock.sleepers(atLeast: 1)
    await world.clock.advance(by: .seconds(3600))
    #expect(await task.value == .failure(.expired))
    #expect(world.coordinator.offer(world.callback()) == .unknown)
  }

  @Test("before the browser opens, failures name what failed", arguments: Self.obstacles)
  func beforeTheBrowser(
    _ step: (address: String, answer: ScriptedHTTP.Answer, error: SignInError)
  ) async {
    world.http.answer(
      "public.api.bsky.app/xrpc/com.atproto.identity.resolveHandle", .refusal("HandleNotFound"))
    world.http.answer(step.address, step.answer)
    #expect(await world.start().value == .failure(step.error))
    #expect(world.page.arrivalCount == 0)
    #expect(await world.accounts.state()?.session == .signedOut(nil))
  }

  static let obstacles:
    [(
      address: String, answer: ScriptedHTTP.Answer, error: SignInError
    )] = [
      ("alice.test/.well-known/atproto-did", .status(404), .handleNotFound(name: "alice.test")),
      (
        "plc.directory/\(AccountsWorld.alice)", .status(500),
        .identityUnreachable(name: "alice.test")
      ),
      (
        "plc.directory/\(AccountsWorld.alice)", .failure(.offline), .remote(.offline)
      ),
      (
        "plc.directory/\(AccountsWorld.alice)",
        .didDocument(
          AccountsWorld.alice.rawValue, handle: "other.test", pds: "https://pds.alice.test"),
        .handleUnconfirmed(name: "alice.test")
      ),
      (
        "plc.directory/\(AccountsWorld.alice)",
        .json(
          #"{"id":"\#(AccountsWorld.alice)","alsoKnownAs":["at://alice.test"],"service":[]}"#),
        .noServer(name: "alice.test")
      ),
      (
        "pds.alice.test/.well-known/oauth-protected-resource", .status(404),
        .serverUnsupported(host: "pds.alice.test", detail: "noMetadata(status: 404)")
      ),
      (
        "as.alice.test/.well-known/oauth-authorization-server",
        .authorizationServer("https://other.test", extra: ""),
        .issuerMismatch(
          expected: "https://as.alice.test", found: "https://other.test", in: .metadata)
      ),
      (
        "pds.alice.test/.well-known/oauth-protected-resource", .failure(.timeout),
        .remote(.timeout(host: "pds.alice.test"))
      ),
      (
        "as.alice.test/oauth/par", .refusal("invalid_client_metadata"),
        .clientUnavailable(host: "as.alice.test", detail: nil)
      ),
      (
        "as.alice.test/oauth/par",
        .json(#"{"error":"invalid_request","error_description":"Bad hint"}"#, status: 400),
        .refused(host: "as.alice.test", error: "invalid_request", detail: "Bad hint")
      ),
      (
        "as.alice.test/oauth/par", .status(429, headers: ["Retry-After": "30"]),
        .remote(.rateLimited(host: "as.alice.test", retryAfter: .seconds(30)))
      ),
      (
        "as.alice.test/oauth/par", .json("<html>", status: 502),
        .remote(.server(host: "as.alice.test", detail: nil))
      ),
      (
        "as.alice.test/oauth/par", .json("{}", status: 200),
        .remote(.badResponse(host: "as.alice.test", detail: "request_uri"))
      ),
    ]

  @Test("a name that is none is refused before any network")
  func noName() async {
    #expect(await world.start(.name("alice")).value == .failure(.handleInvalid(typed: "alice")))
    #expect(world.http.requests.isEmpty)
    #expect(SignInInput.check("alice.test") == nil)
    #expect(SignInInput.check(" @Alice ") == .handleInvalid(typed: "alice"))
  }
}

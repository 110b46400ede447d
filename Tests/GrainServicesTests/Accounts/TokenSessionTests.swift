import ATOAuth
import ATXRPC
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import Testing

@Suite("The one owner of an account's tokens")
struct TokenSessionTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld
  private let events = Recorder<TokenSession.Event>()

  init() async throws { world = try await AccountsWorld() }

  /// A session over a grant that is in the store.
  private func session(_ grant: Grant) async throws -> TokenSession {
    _ = try await world.store.adopt(grant, missingScopes: [])
    return world.session(grant) { [events] in events.record($0) }
  }

  private func session(endsIn seconds: TimeInterval) async throws -> TokenSession {
    try await session(world.grant(endsIn: seconds))
  }

  private static func sign(_ session: TokenSession) async throws(XRPCError) -> String? {
    let url = URL(filePath: "/")
    let request = HTTPRequest(
      method: "GET", url: URL(string: "https://pds.alice.test/xrpc/a.b.c") ?? url)
    return try await session.authorization.sign(request).request.headers["Authorization"]
  }

  private func failure(_ session: TokenSession) async -> XRPCError? {
    do throws(XRPCError) {
      _ = try await Self.sign(session)
      return nil
    } catch {
      return error
    }
  }

  private var stored: String? {
    get async throws {
      try await world.store.grant(World.alice)?.tokens.accessToken.revealText()
    }
  }

  private var refreshes: [HTTPRequest] { world.http.requests(to: "as.alice.test/token") }

  private func answerTokens(_ answers: ScriptedHTTP.Answer...) {
    world.http.answer("as.alice.test/token", answers)
  }

  // MARK: When it refreshes

  @Test("a token with time left is used as it is")
  func fresh() async throws {
    let session = try await session(endsIn: 3600)
    #expect(try await Self.sign(session) == "DPoP access-0")
    #expect(events.values == [])
  }

  @Test(
    "a token that is over or nearly so is refreshed before the request (FB-A32)",
    arguments: [-3600, 0, 59])
  func refreshedAhead(seconds: TimeInterval) async throws {
    answerTokens(.tokens("1"))
    let session = try await session(endsIn: seconds)
    #expect(try await Self.sign(session) == "DPoP access-1")
    #expect(form(refreshes.first)["refresh_token"] == "refresh-0")
    #expect(form(refreshes.first)["grant_type"] == "refresh_token")
    #expect(events.values == [.refreshBegan, .refreshEnded])
  }

  @Test(
    "ten callers at once make one refresh, whose tokens are on disk before any is used (FB-A5, G56)"
  )
  func tenCallers() async throws {
    let gate = Gate()
    answerTokens(ScriptedHTTP.Answer.tokens("1").held(at: gate))
    let session = try await session(endsIn: -1)
    let store = world.store
    try await withThrowingTaskGroup(of: [String?].self) { group in
      for _ in 0..<10 {
        group.addTask {
          let used = try await Self.sign(session)
          let onDisk = try await store.grant(World.alice)?.tokens.accessToken.revealText()
          return [used, onDisk]
        }
      }
      await gate.arrivals(atLeast: 1)
      gate.open()
      for try await pair in group { #expect(pair == ["DPoP access-1", "access-1"]) }
    }
    #expect(refreshes.count == 1)
  }

  @Test(
    "if the one refresh fails, all who wait for it get the same error, and no second is made (FB-A5)",
    arguments: [true, false])
  func tenCallersOfAFailure(isRefusal: Bool) async throws {
    let gate = Gate()
    let answer = isRefusal ? ScriptedHTTP.Answer.refusal("invalid_grant") : .status(503)
    answerTokens(answer.held(at: gate))
    let session = try await session(endsIn: -1)
    let errors = await withTaskGroup(of: XRPCError?.self) { group in
      for _ in 0..<10 {
        // Runs as far as the session's door before the next one begins.
        group.addImmediateTask { await self.failure(session) }
      }
      await gate.arrivals(atLeast: 1)
      // Comes to the session's door after all ten.
      _ = await session.pds
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    let expected: XRPCError =
      isRefusal
      ? .sessionEnded(error: "invalid_grant", description: nil)
      : .sessionUnavailable(reason: "status 503", transport: nil, retryAfter: nil)
    #expect(errors == Array(repeating: expected, count: 10))
    #expect(refreshes.count == 1)
  }

  @Test("a caller whose token was replaced meanwhile does not refresh again")
  func alreadyReplaced() async throws {
    answerTokens(.tokens("1"))
    let session = try await session(endsIn: 3600)
    let used = await session.authorization.currentToken()
    try await session.authorization.refresh(used)
    try await session.authorization.refresh(used)
    #expect(refreshes.count == 1)
    #expect(await session.authorization.currentToken() != used)
  }

  @Test("a caller that gives up does not end the refresh (G112)")
  func cancelledCaller() async throws {
    let gate = Gate()
    answerTokens(ScriptedHTTP.Answer.tokens("1").held(at: gate))
    let session = try await session(endsIn: -1)
    let caller = Task { try await Self.sign(session) }
    await gate.arrivals(atLeast: 1)
    caller.cancel()
    gate.open()
    _ = await caller.result
    #expect(try await stored == "access-1")
    #expect(try await Self.sign(session) == "DPoP access-1")
    #expect(refreshes.count == 1)
  }

  @Test("the end of the core hears a refresh out, and its tokens are on disk (G112, FB-E1)")
  func endOfTheCore() async throws {
    let gate = Gate()
    answerTokens(ScriptedHTTP.Answer.tokens("1").held(at: gate))
    let service = try await world.restored(world.grant(endsIn: -1))
    let refreshing = Task { try await service.activate(AccountsWorld.alice.account) }
    await gate.arrivals(atLeast: 1)
    let ending = Task { await service.stop() }
    gate.open()
    await ending.value
    #expect(try await stored == "access-1")
    _ = await refreshing.result
  }

  @Test("a token is shown to the account's own server only (FB-A35)")
  func otherOrigin() async throws {
    let session = try await session(endsIn: 3600)
    let url = try World.url("https://elsewhere.test/xrpc/a.b.c")
    await #expect(throws: XRPCError.transport(.addressRefused("elsewhere.test"))) {
      _ = try await session.authorization.sign(HTTPRequest(method: "GET", url: url))
    }
  }

  // MARK: Failures that pass

  @Test(
    "a fault that passes keeps the account; the stored refresh token works afterwards (FB-A4)",
    arguments: [
      ScriptedHTTP.Answer.failure(.cannotConnect("as.alice.test")), .failure(.connectionLost),
      .status(503), .json("<html>", status: 403), .refusal("temporarily_unavailable"),
    ])
  func transient(first: ScriptedHTTP.Answer) async throws {
    answerTokens(first, .tokens("1"))
    let session = try await session(endsIn: -1)
    let error = await failure(session)
    #expect(error?.isTransient == true, "\(String(describing: error))")
    #expect(events.values == [.refreshBegan, .refreshEnded])
    #expect(try await world.store.load().accounts.map(\.standing) == [.ok])

    await world.clock.advance(by: .seconds(1))
    #expect(try await Self.sign(session) == "DPoP access-1")
    #expect(form(refreshes.last)["refresh_token"] == "refresh-0")
  }

  @Test("calls in a row try once each, after a growing rest (FB-A6)")
  func rest() async throws {
    answerTokens(.status(503), .status(503), .tokens("1"))
    let session = try await session(endsIn: -1)
    _ = await failure(session)
    for (count, rest) in [(2, 0.5), (3, 1.0)] {
      let call = Task { await self.failure(session) }
      await world.clock.sleepers(atLeast: 1)
      #expect(refreshes.count == count - 1)
      await world.clock.advance(by: .seconds(rest))
      _ = await call.value
      #expect(refreshes.count == count)
    }
    #expect(try await stored == "access-1")
  }

  @Test("a long pause the server asks for is not waited out but said")
  func retryAfter() async throws {
    answerTokens(.status(429, headers: ["Retry-After": "60"]))
    let session = try await session(endsIn: -1)
    for _ in 1...2 {
      guard case .sessionUnavailable(_, nil, let pause) = await failure(session) else {
        Issue.record("not unavailable")
        return
      }
      #expect(pause == .seconds(60))
    }
    #expect(refreshes.count == 1)
  }

  @Test("ahead of its time a failed refresh costs nothing, not even a wait")
  func aheadOfTime() async throws {
    answerTokens(.failure(.timeout))
    let session = try await session(endsIn: 30)
    #expect(try await Self.sign(session) == "DPoP access-0")
    #expect(try await Self.sign(session) == "DPoP access-0")
    #expect(refreshes.count == 1)
    await world.clock.advance(by: .seconds(30))
    #expect(await failure(session)?.isTransient == true)
  }

  @Test("before a switch, only a grant that is over is a reason to stop (G57)")
  func freshening() async throws {
    answerTokens(.failure(.offline), .refusal("invalid_grant"))
    let session = try await session(endsIn: -1)
    try await session.freshen()
    await world.clock.advance(by: .seconds(1))
    await #expect(throws: XRPCError.sessionEnded(error: "invalid_grant", description: nil)) {
      try await session.freshen()
    }
  }

  // MARK: The end

  @Test("a lost answer is a passing fault; the refusal that follows ends the account (FB-A6)")
  func lostAnswer() async throws {
    answerTokens(.failure(.connectionLost), .refusal("invalid_grant"))
    let session = try await session(endsIn: -1)
    #expect(await failure(session)?.isTransient == true)
    await world.clock.advance(by: .seconds(1))
    #expect(await failure(session) == .sessionEnded(error: "invalid_grant", description: nil))
    #expect(
      events.values == [.refreshBegan, .refreshEnded, .refreshBegan, .ended(.refused)])
    #expect(try await world.store.load().accounts.map(\.standing) == [.expired(.refused)])
    #expect(try await stored == nil)
    #expect(await failure(session) == .sessionEnded(error: "invalid_grant", description: nil))
    #expect(refreshes.count == 2)
  }

  @Test("before a refusal is believed the store is read again: newer tokens there are used (A27)")
  func rereadsStore() async throws {
    answerTokens(.refusal("invalid_grant"))
    let session = try await session(endsIn: -1)
    _ = try await world.store.adopt(World.grant(tokens: "2"), missingScopes: [])
    #expect(try await Self.sign(session) == "DPoP access-2")
    #expect(events.values == [.refreshBegan, .refreshEnded])
    #expect(try await stored == "access-2")
  }

  @Test("a refresh that was overtaken by a new sign-in changes nothing (FB-E8)")
  func overtaken() async throws {
    let gate = Gate()
    answerTokens(ScriptedHTTP.Answer.tokens("late").held(at: gate))
    let session = try await session(endsIn: -1)
    let call = Task { try await Self.sign(session) }
    await gate.arrivals(atLeast: 1)
    let again = try World.grant(tokens: "new")
    _ = try await world.store.adopt(again, missingScopes: [])
    await session.take(again)
    gate.open()
    #expect(try await call.value == "DPoP access-new")
    #expect(try await stored == "access-new")
  }

  @Test("a new sign-in revives the owner, so that clients made before go on")
  func revived() async throws {
    answerTokens(.refusal("invalid_grant"))
    let session = try await session(endsIn: -1)
    _ = await failure(session)
    let again = try World.grant(tokens: "new")
    _ = try await world.store.adopt(again, missingScopes: [])
    await session.take(again)
    #expect(try await Self.sign(session) == "DPoP access-new")
  }

  @Test("after a sign-out nothing is signed, not even by a refresh that comes back late")
  func retired() async throws {
    let gate = Gate()
    answerTokens(ScriptedHTTP.Answer.tokens("late").held(at: gate))
    let session = try await session(endsIn: -1)
    let call = Task { await self.failure(session) }
    await gate.arrivals(atLeast: 1)
    #expect(await session.retire().tokens.refreshToken?.revealText() == "refresh-0")
    _ = try await world.store.remove(World.alice.account)
    gate.open()
    let over = XRPCError.sessionEnded(error: "signed_out", description: nil)
    #expect(await call.value == over)
    #expect(await failure(session) == over)
    #expect(try await stored == nil)
  }

  // MARK: A store that fails

  @Test("tokens the store does not take stay in memory and are saved before they are used (FB-E1)")
  func brokenStore() async throws {
    answerTokens(.tokens("1"))
    let session = try await session(endsIn: -1)
    try world.breakStore()
    for _ in 1...2 {
      #expect(await failure(session) == .storeFailed("new tokens could not be stored"))
      #expect(await session.storeFault != nil)
    }
    #expect(refreshes.count == 1)

    try world.mendStore()
    #expect(try await Self.sign(session) == "DPoP access-1")
    #expect(try await stored == "access-1")
    #expect(refreshes.count == 1)
  }

  @Test("tokens that were never saved are the ones a later refresh spends")
  func unsavedRefresh() async throws {
    answerTokens(.tokens("1", expiresIn: 10), .tokens("2"))
    let session = try await session(endsIn: -1)
    try world.breakStore()
    _ = await failure(session)
    try world.mendStore()
    await world.clock.advance(by: .seconds(6))
    #expect(try await Self.sign(session) == "DPoP access-2")
    #expect(form(refreshes.last)["refresh_token"] == "refresh-1")
    #expect(try await stored == "access-2")
  }

  @Test("a refusal that cannot be written down leaves the account as it is")
  func brokenEnd() async throws {
    answerTokens(.refusal("invalid_grant"))
    let session = try await session(endsIn: -1)
    try world.execute("ALTER TABLE account RENAME TO elsewhere")
    #expect(await failure(session) == .storeFailed("the account could not be read"))
    #expect(events.values == [.refreshBegan, .refreshEnded])
    try world.execute("ALTER TABLE elsewhere RENAME TO account")
    #expect(try await stored == "access-0")
  }
}

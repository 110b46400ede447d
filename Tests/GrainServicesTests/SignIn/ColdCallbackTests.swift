import ATOAuth
import ATSyntax
import CredentialVault
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import SQLiteDatabase
import Testing

@Suite("A callback that starts the program")
struct ColdCallbackTests {
  private typealias World = SignInWorld
  private let world: SignInWorld
  private var base: AccountsWorld { world.base }
  private static let rows = "vault_row WHERE kind = 'attempt'"
  private static let waiting = LeftSignIn(
    target: .name("alice.test"), name: "alice.test", host: "as.alice.test")

  init() async throws { world = try await SignInWorld() }

  /// The browser is open, then the program ends.
  ///
  /// - Returns: what the browser comes back with.
  private func leave(
    _ target: SignInTarget = .name("alice.test"), issuer: String = "https://as.alice.test"
  ) async -> String {
    let first = world.start(target)
    await world.page.arrivals(atLeast: 1)
    let callback = world.callback(issuer: issuer)
    await world.service.leave()
    first.cancel()
    #expect(await first.value == .failure(.cancelled))
    return callback
  }

  private func resume(_ service: SignInService) -> Task<Result<AccountID, SignInError>, Never> {
    Task {
      do throws(SignInError) {
        return .success(try await service.resume { [steps = world.steps] in steps.record($0) })
      } catch {
        return .failure(error)
      }
    }
  }

  @Test("is finished by the next run: same state, same verifier, same key (A17, wire §7.3)")
  func finished() async throws {
    let callback = await leave()
    let next = world.restarted()
    #expect(await next.service.left() == Self.waiting)
    let ending = resume(next.service)
    #expect(next.coordinator.offer(callback) == .delivered)
    #expect(await ending.value == .success(AccountsWorld.alice.account))
    #expect(world.steps.values.last == .exchanging)
    let exchanges = world.http.requests(to: World.tokenEndpoint)
    #expect(exchanges.map { form($0)["code"] } == ["cod-1"])
    let verifier = try #require(form(exchanges.last)["code_verifier"])
    let pushed = form(world.http.requests(to: "as.alice.test/oauth/par").last)
    #expect(
      pushed["code_challenge"]
        == Data(Digest.sha256(Array(verifier.utf8))).base64EncodedString()
        .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""))
    #expect(try await base.store.grant(AccountsWorld.alice) != nil)
    #expect(try base.count(Self.rows) == 0)
  }

  @Test("may come before anybody waits for it")
  func early() async throws {
    let callback = await leave()
    let next = world.restarted()
    _ = await next.service.left()
    #expect(next.coordinator.offer(callback) == .delivered)
    #expect(await resume(next.service).value == .success(AccountsWorld.alice.account))
  }

  @Test("is taken once; of a foreign one nothing is taken and the attempt stays (A16, G20)")
  func once() async throws {
    let callback = await leave()
    let next = world.restarted()
    _ = await next.service.left()
    #expect(next.coordinator.offer(world.callback(state: "other")) == .unknown)
    #expect(try base.count(Self.rows) == 1)
    let ending = resume(next.service)
    #expect(next.coordinator.offer(callback) == .delivered)
    #expect(next.coordinator.offer(callback) == .unknown)
    _ = await ending.value
    #expect(await world.restarted().service.left() == nil)
  }

  @Test("nothing is left of an attempt before its code is exchanged (wire §7.3)")
  func forgottenFirst() async throws {
    let gate = Gate()
    world.http.answer(World.tokenEndpoint, World.tokens().held(at: gate))
    let callback = await leave()
    let next = world.restarted()
    _ = await next.service.left()
    let ending = resume(next.service)
    #expect(next.coordinator.offer(callback) == .delivered)
    await gate.arrivals(atLeast: 1)
    #expect(try base.count(Self.rows) == 0)
    gate.open()
    _ = await ending.value
  }

  @Test("a store that cannot forget the attempt sends no code anywhere")
  func unforgettable() async throws {
    let callback = await leave()
    try base.execute(
      "CREATE TRIGGER kept BEFORE DELETE ON vault_row BEGIN SELECT RAISE(ABORT, 'kept'); END")
    let next = world.restarted()
    _ = await next.service.left()
    let ending = resume(next.service)
    #expect(next.coordinator.offer(callback) == .delivered)
    guard case .failure(.store) = await ending.value else {
      Issue.record("went on")
      return
    }
    #expect(world.http.requests(to: World.tokenEndpoint).isEmpty)
  }

  @Test("a new account and a return to an expired one wait for the next run as well (A17, G25)")
  func otherTargets() async throws {
    _ = await leave(.newAccount, issuer: "https://selfhosted.social")
    #expect(
      await world.restarted().service.left()
        == LeftSignIn(target: .newAccount, name: "", host: "selfhosted.social"))

    let again = try await SignInWorld(signedIn: AccountsWorld.alice)
    let held = try #require(try await again.base.store.grant(AccountsWorld.alice))
    _ = try await again.base.store.end(held, .refused)
    let first = again.start(.account(AccountsWorld.alice.account))
    await again.page.arrivals(atLeast: 1)
    await again.service.leave()
    first.cancel()
    _ = await first.value
    let next = again.restarted()
    #expect(
      await next.service.left()
        == LeftSignIn(
          target: .account(AccountsWorld.alice.account), name: "alice.test", host: "as.alice.test"))
    let ending = resume(next.service)
    #expect(next.coordinator.offer(again.callback()) == .delivered)
    #expect(await ending.value == .success(AccountsWorld.alice.account))
    #expect(await again.accounts.state()?.accounts.map(\.standing) == [.ok])
  }

  @Test("no secret of an attempt is readable in the store (A25, FB-A34)")
  func sealed() async throws {
    let callback = await leave()
    let attempt = try AuthorizationAttempt(
      unsealed: try #require(try await base.store.keptAttempt()))
    #expect(callback.contains("state=\(attempt.state.revealText())"))
    let secrets = [
      attempt.state.reveal(), attempt.verifier.reveal(), attempt.dpopKey.rawRepresentation.reveal(),
      Array(Data(attempt.dpopKey.rawRepresentation.reveal()).base64EncodedString().utf8),
    ]
    for name in try FileManager.default.contentsOfDirectory(atPath: base.data.path) {
      let bytes = FileManager.default.contents(atPath: "\(base.data.path)/\(name)") ?? Data()
      for secret in secrets { #expect(bytes.range(of: Data(secret)) == nil, "\(name)") }
    }
    #expect(try base.count(Self.rows) == 1)
  }

  @Test("an attempt that is given up leaves nothing (A46)")
  func cancelled() async throws {
    let cancelled = world.start()
    await world.page.arrivals(atLeast: 1)
    #expect(try base.count(Self.rows) == 1)
    cancelled.cancel()
    _ = await cancelled.value
    #expect(try base.count(Self.rows) == 0)
  }

  @Test("an attempt whose time is over is told of once and gone (A18)")
  func expired() async throws {
    let callback = await leave()
    base.clock.set(base.clock.now.addingTimeInterval(3600))
    let next = world.restarted()
    #expect(
      await next.service.left()
        == LeftSignIn(
          target: .name("alice.test"), name: "alice.test", host: "as.alice.test",
          isExpired: true))
    #expect(next.coordinator.offer(callback) == .unknown)
    #expect(await resume(next.service).value == .failure(.cancelled))
    #expect(try base.count(Self.rows) == 0)
    #expect(await world.restarted().service.left() == nil)
  }

  @Test("an attempt waits only for what is left of its time")
  func restOfItsTime() async throws {
    _ = await leave()
    base.clock.set(base.clock.now.addingTimeInterval(3000))
    let next = world.restarted()
    _ = await next.service.left()
    let ending = resume(next.service)
    await base.clock.sleepers(atLeast: 1)
    await base.clock.advance(by: .seconds(600))
    #expect(await ending.value == .failure(.expired))
    #expect(try base.count(Self.rows) == 0)
  }

  @Test(
    "an attempt whose answer comes to a port of ours is not kept, or is dropped if it was (G97)")
  func loopback() async throws {
    let loopback = try await SignInWorld(loopbackClient: true)
    let running = loopback.start(loopback: true)
    await loopback.page.arrivals(atLeast: 1)
    #expect(try loopback.base.count(Self.rows) == 0)
    running.cancel()
    _ = await running.value

    try await base.store.keepAttempt(try await world.loopbackAttempt().sealable())
    #expect(await world.restarted().service.left() == nil)
    #expect(try base.count(Self.rows) == 0)
  }

  @Test("an attempt that is damaged on disk is no attempt, and hinders nothing")
  func damaged() async throws {
    let callback = await leave()
    try base.execute("UPDATE vault_row SET sealed = zeroblob(80) WHERE kind = 'attempt'")
    let next = world.restarted()
    #expect(await next.service.left() == nil)
    #expect(next.coordinator.offer(callback) == .unknown)
    #expect(try base.count(Self.rows) == 0)
  }

  @Test("what no provider has written is no attempt either, and goes")
  func nobodys() async throws {
    for text in [#"{"kind":"another.attempt","v":1}"#, "[]", ""] {
      try await base.store.keepAttempt(Secret(text: text))
      #expect(await world.restarted().service.left() == nil)
      #expect(try base.count(Self.rows) == 0)
    }
  }

  @Test("while the key to the store is out of reach, the attempt waits for it")
  func locked() async throws {
    _ = await leave()
    let closed = try AccountStore(path: base.data.databasePath, sealers: .closed)
    #expect(await world.restarted(over: closed).service.left() == nil)
    #expect(await world.restarted().service.left() == Self.waiting)
  }

  @Test("a new sign-in takes the place of the one that was left")
  func replaced() async throws {
    let callback = await leave()
    let next = world.restarted()
    _ = await next.service.left()
    let again = Task {
      do throws(SignInError) {
        _ = try await next.service.run(.name("alice.test"), loopback: false) { step in
          if case .waitingForBrowser = step { world.again.open() }
        }
      } catch {}
    }
    await world.again.pass()
    #expect(next.coordinator.offer(callback) == .unknown)
    again.cancel()
    await again.value
  }
}

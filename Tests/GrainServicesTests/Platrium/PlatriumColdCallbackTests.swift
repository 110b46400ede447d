import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import StrictJSON
import SystemClients
import Testing

@Suite("A Platrium callback that starts the program")
struct PlatriumColdCallbackTests {
  private typealias World = PlatriumWorld
  private let world: PlatriumWorld
  private static let rows = "vault_row WHERE kind = 'attempt'"
  private static let target = SignInTarget.platrium(server: World.host, device: World.device)

  init() async throws { world = try await PlatriumWorld() }

  /// The consent page is open, then the program ends.
  ///
  /// - Returns: what the browser comes back with.
  private func leave(_ target: SignInTarget = Self.target) async -> String {
    let first = world.base.start(target)
    await world.base.page.arrivals(atLeast: 1)
    let callback = callback()
    await world.base.service.leave()
    first.cancel()
    #expect(await first.value == .failure(.cancelled))
    return callback
  }

  private func callback(code: String = "cod-1") -> String {
    let state = World.query(world.pages.last)["state"] ?? ""
    return "platrium://auth/callback?code=\(code)&state=\(state)"
  }

  private func resume(_ service: SignInService) -> Task<Result<AccountID, SignInError>, Never> {
    Task { [steps = world.base.steps] in
      do throws(SignInError) {
        return .success(try await service.resume { steps.record($0) })
      } catch {
        return .failure(error)
      }
    }
  }

  @Test("is finished by the next run: same state, same verifier, same device (A17, P17)")
  func finished() async throws {
    let callback = await leave()
    let next = world.base.restarted()
    #expect(
      await next.service.left() == LeftSignIn(target: Self.target, name: "", host: World.host))
    let ending = resume(next.service)
    #expect(next.coordinator.offer(callback) == .delivered)
    #expect(await ending.value == .success(World.account))
    #expect(world.asked == ["POST token"])
    let posted = World.body(world.http.requests(to: World.endpoint("token")).first)
    #expect(posted?["code"]?.stringValue == "cod-1")
    #expect(posted?["redirect_uri"]?.stringValue == "platrium://auth/callback")
    let verifier = try #require(posted?["code_verifier"]?.stringValue)
    let challenge = Data(Digest.sha256(Array(verifier.utf8))).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    #expect(World.query(world.pages.first)["code_challenge"] == challenge)
    #expect(
      await world.accounts.state()?.accounts.first?.platrium
        == PlatriumHome(server: "https://platrium.test", tenant: "Works", device: World.device))
    #expect(try world.base.base.count(Self.rows) == 0)
  }

  @Test("is taken once; of a foreign one nothing is taken and the attempt stays (A7, A12, A16)")
  func once() async throws {
    let callback = await leave()
    let next = world.base.restarted()
    _ = await next.service.left()
    let state = try #require(World.query(world.pages.first)["state"])
    for foreign in [
      "platrium://auth/callback?code=evil&state=other", "platrium://auth/callback?code=evil",
      "platrium://auth/callback/?code=evil&state=\(state)",
      "social.grain:/oauth/callback?code=evil&state=\(state)",
      "pixiv://account/login?code=evil&state=\(state)",
    ] {
      #expect(next.coordinator.offer(foreign) == .unknown, "\(foreign)")
    }
    #expect(try world.base.base.count(Self.rows) == 1)
    let ending = resume(next.service)
    #expect(next.coordinator.offer(callback) == .delivered)
    #expect(next.coordinator.offer(callback) == .unknown)
    #expect(await ending.value == .success(World.account))
    #expect(await world.base.restarted().service.left() == nil)
    #expect(world.asked == ["POST token"])
  }

  @Test(
    "the attempt is off the disk before its code is sent: a program killed in that moment never sends it again (P18)"
  )
  func forgottenFirst() async throws {
    let gate = Gate()
    world.http.answer(World.endpoint("token"), World.issued().held(at: gate))
    let callback = await leave()
    let next = world.base.restarted()
    _ = await next.service.left()
    let ending = resume(next.service)
    #expect(next.coordinator.offer(callback) == .delivered)
    await gate.arrivals(atLeast: 1)
    // What a third run would find, were this one killed here.
    let disk = try await world.base.base.reopenedStore()
    #expect(try await disk.keptAttempt() == nil)
    let third = world.base.restarted(over: disk)
    #expect(await third.service.left() == nil)
    #expect(third.coordinator.offer(callback) == .unknown)
    gate.open()
    _ = await ending.value
    #expect(world.asked == ["POST token"])
  }

  @Test("a refused or lost code is gone for the next run as well (P18)")
  func burned() async throws {
    world.http.answer(World.endpoint("token"), .failure(.timeout))
    let callback = await leave()
    let next = world.base.restarted()
    _ = await next.service.left()
    let ending = resume(next.service)
    #expect(next.coordinator.offer(callback) == .delivered)
    #expect(await ending.value == .failure(.codeSpent(host: World.host, detail: nil)))
    let third = world.base.restarted()
    #expect(await third.service.left() == nil)
    #expect(third.coordinator.offer(callback) == .unknown)
    #expect(world.asked == ["POST token"])
  }

  @Test("a return to an ended account waits as well, and takes nobody else for it (A17)")
  func known() async throws {
    let world = try await World(signedIn: true)
    world.http.answer(World.endpoint("token"), World.issued(World.second, user: "u2"))
    let first = world.base.start(.account(World.account))
    await world.base.page.arrivals(atLeast: 1)
    let state = try #require(World.query(world.pages.last)["state"])
    await world.base.service.leave()
    first.cancel()
    _ = await first.value
    let next = world.base.restarted()
    #expect(
      await next.service.left()
        == LeftSignIn(target: .account(World.account), name: "", host: World.host))
    let ending = resume(next.service)
    #expect(
      next.coordinator.offer("platrium://auth/callback?code=cod-2&state=\(state)") == .delivered)
    #expect(await ending.value == .failure(.identityMismatch))
    #expect(world.asked.last == "POST logout")
    #expect(
      try await world.store.credentials(World.account)?.revealText().contains(World.first)
        == true)
  }

  @Test("no secret of an attempt is readable in the store (A25, FB-A34)")
  func sealed() async throws {
    let callback = await leave()
    let kept = try #require(try await world.store.keptAttempt()).revealText()
    let row = try JSONParser.parse(Array(kept.utf8))
    let secrets = ["state", "verifier"].compactMap { row[$0]?.stringValue }
    #expect(secrets.count == 2 && callback.hasSuffix(secrets[0]))
    let folder = world.base.base.data.path
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
      for secret in secrets {
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
      }
    }
  }

  @Test("one whose time is over is told of once and gone; a given up one leaves nothing (A18, A46)")
  func over() async throws {
    let callback = await leave()
    world.base.clock.set(world.base.clock.now.addingTimeInterval(3600))
    let next = world.base.restarted()
    #expect(
      await next.service.left()
        == LeftSignIn(target: Self.target, name: "", host: World.host, isExpired: true))
    #expect(next.coordinator.offer(callback) == .unknown)
    #expect(try world.base.base.count(Self.rows) == 0)
    #expect(await world.base.restarted().service.left() == nil)

    let other = try await World()
    let cancelled = other.base.start(Self.target)
    await other.base.page.arrivals(atLeast: 1)
    #expect(try other.base.base.count(Self.rows) == 1)
    cancelled.cancel()
    _ = await cancelled.value
    #expect(try other.base.base.count(Self.rows) == 0)
  }

  @Test("a page that is asked for again is one of a new attempt, and the old callback is refused")
  func again() async throws {
    let callback = await leave()
    let next = world.base.restarted()
    _ = await next.service.left()
    let ending = resume(next.service)
    await world.base.clock.sleepers(atLeast: 1)
    await next.service.showAgain()
    let pages = world.pages
    #expect(pages.count == 2)
    #expect(World.query(pages[0])["state"] != World.query(pages[1])["state"])
    #expect(World.query(pages[1])["platform"] == "IOS")
    #expect(next.coordinator.offer(callback) == .unknown)
    #expect(try world.base.base.count(Self.rows) == 1)
    #expect(next.coordinator.offer(self.callback()) == .delivered)
    #expect(await ending.value == .success(World.account))
  }

  @Test("one that comes to a port of ours, and Pixiv's, are left to nobody (P24, X11)")
  func notLeft() async throws {
    let task = Task { [world] in
      do throws(SignInError) {
        _ = try await world.base.service.run(Self.target, loopback: true) { step in
          if case .waitingForBrowser = step { world.base.again.open() }
        }
      } catch {}
    }
    await world.base.again.pass()
    #expect(try world.base.base.count(Self.rows) == 0)
    task.cancel()
    await task.value

    let pixiv = try await PixivWorld()
    let waiting = pixiv.base.start(.pixiv)
    await pixiv.base.page.arrivals(atLeast: 1)
    #expect(try pixiv.base.base.count(Self.rows) == 0)
    await pixiv.base.service.leave()
    waiting.cancel()
    _ = await waiting.value
    let next = pixiv.base.restarted()
    #expect(await next.service.left() == nil)
    #expect(next.coordinator.offer("pixiv://account/login?code=c&via=login") == .unknown)
    #expect(pixiv.posted.isEmpty)
  }
}

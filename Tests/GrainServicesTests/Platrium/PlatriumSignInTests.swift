import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import StrictJSON
import SystemClients
import Testing

@Suite("Signing in with Platrium")
struct PlatriumSignInTests {
  private typealias World = PlatriumWorld

  @Test(
    "the browser shows the consent page; its code is exchanged with the verifier, and the token is stored (P2, P5, P10–P12, P14–P17)"
  )
  func inTheBrowser() async throws {
    let world = try await World()
    #expect(await world.signIn() == .success(World.account))
    let page = try #require(world.pages.first)
    let query = World.query(page)
    #expect(page.url.hasPrefix("https://platrium.test/authorize?"))
    #expect(page.callback == .shell(scheme: "platrium", host: "auth", path: "/callback"))
    #expect(query["platform"] == "IOS")
    #expect(query["name"] == "Ada's phone")
    let posted = World.body(world.http.requests(to: World.endpoint("token")).first)
    #expect(posted?["code"]?.stringValue == "cod-1")
    #expect(posted?["redirect_uri"]?.stringValue == "platrium://auth/callback")
    #expect(posted?["code_verifier"]?.stringValue?.utf8.count == 43)
    let state = await world.accounts.state()
    #expect(
      state?.accounts == [
        AccountRecord(
          id: World.account, handle: nil, displayName: "Ada",
          platrium: PlatriumHome(
            server: "https://platrium.test", tenant: "Works", device: World.device))
      ])
    #expect(state?.session == .signedIn(World.account))
    #expect(try await world.store.credentials(World.account) != nil)
  }

  @Test("without a platform the client is an app, under the name of the configuration (P6, P14)")
  func app() async throws {
    let world = try await World()
    _ = await world.signIn(.platrium(server: World.host, device: nil))
    let query = World.query(world.pages.first)
    #expect(query["platform"] == nil)
    #expect(query["name"] == "Grain")
  }

  @Test(
    "in an ordinary browser the answer comes to a port of ours, which takes one answer and closes (P20, P24, FB-B1–FB-B8)"
  )
  func loopback() async throws {
    let world = try await World()
    let browser = HTTPClient.loopback()
    let answers = Recorder<Int>()
    let task = Task { () -> Result<AccountID, SignInError> in
      do throws(SignInError) {
        return .success(
          try await world.base.service.run(
            .platrium(server: World.host, device: nil), loopback: true
          ) { step in
            guard case .waitingForBrowser(let request) = step else { return }
            world.base.steps.record(step)
            let query = World.query(request)
            let redirect = query["redirect_uri"] ?? ""
            for address in [
              "\(redirect)?code=x&state=other",
              "\(redirect)?code=cod-1&state=\(query["state"] ?? "")",
            ] {
              guard let url = URL(string: address) else { continue }
              // An answer that does not come is noted as 0.
              let status = try? await browser.send(HTTPRequest(url: url)).status
              answers.record(status ?? 0)
            }
          })
      } catch {
        return .failure(error)
      }
    }
    #expect(await task.value == .success(World.account))
    #expect(answers.values.last == 200)
    #expect(answers.values.first != 200)
    #expect(world.pages.first?.callback == .core)
    let redirect = World.query(world.pages.first)["redirect_uri"] ?? ""
    #expect(redirect.hasPrefix("http://127.0.0.1:") && redirect.hasSuffix("/callback"))
    let posted = World.body(world.http.requests(to: World.endpoint("token")).first)
    #expect(posted?["redirect_uri"]?.stringValue == redirect)
    let again = try #require(URL(string: "\(redirect)?code=again"))
    await #expect(throws: HTTPError.self) { try await browser.send(HTTPRequest(url: again)) }
  }

  @Test(
    "a lost answer or a refused code ends the attempt: the code is not sent again, the next attempt has a verifier and a state of its own (P18)",
    arguments: [
      ScriptedHTTP.Answer.failure(.timeout), .status(500), .json("no token"),
      .json(#"{"error":"invalid_grant"}"#, status: 400),
    ])
  func burnedCode(answer: ScriptedHTTP.Answer) async throws {
    let world = try await World()
    world.http.answer(World.endpoint("token"), answer, World.issued())
    #expect(
      await world.signIn() == .failure(.codeSpent(host: World.host, detail: nil)))
    #expect(world.asked == ["POST token"])
    #expect(await world.accounts.state()?.accounts == [])
    #expect(await world.signIn() == .success(World.account))
    let pages = world.pages.map(World.query)
    #expect(pages[0]["state"] != pages[1]["state"])
    #expect(pages[0]["code_challenge"] != pages[1]["code_challenge"])
  }

  @Test("a service that wants a pause gets it, from every later attempt as well (P33, P48)")
  func rateLimited() async throws {
    let world = try await World()
    world.http.answer(
      World.endpoint("token"), .status(429, headers: ["Retry-After": "30"]), World.issued())
    let refused = Result<AccountID, SignInError>.failure(
      .remote(.rateLimited(host: World.host, retryAfter: .seconds(30))))
    #expect(await world.signIn() == refused)
    #expect(await world.signIn() == refused)
    #expect(world.asked == ["POST token"])
    await world.base.clock.advance(by: .seconds(31))
    #expect(await world.signIn() == .success(World.account))
  }

  @Test("a no on the consent page is a no, and nothing is asked of the service (FB-B5)")
  func denied() async throws {
    let world = try await World()
    let task = world.base.start(.platrium(server: World.host, device: nil))
    await world.base.page.arrivals(atLeast: 1)
    let state = World.query(world.pages.first)["state"] ?? ""
    let callback = "platrium://auth/callback?error=access_denied&state=\(state)"
    #expect(world.base.coordinator.offer(callback) == .delivered)
    #expect(await task.value == .failure(.denied))
    #expect(world.asked.isEmpty)
  }

  @Test(
    "what is not exactly the waiting attempt's callback is ignored (P19, P22, A7, A11, A12, A19, A20)",
    arguments: [
      "platrium://auth/callback?code=c&state=other", "platrium://auth/callback?code=c",
      "platrium://auth/callback/?code=c&state=STATE", "platrium://callback?code=c&state=STATE",
      "platrium://authx/callback?code=c&state=STATE",
      "http://127.0.0.1/callback?code=c&state=STATE",
      "javascript:alert(1)?code=c&state=STATE", "https://auth/callback?code=c&state=STATE",
    ])
  func foreignCallbacks(text: String) async throws {
    let world = try await World()
    let task = world.base.start(.platrium(server: World.host, device: nil))
    await world.base.page.arrivals(atLeast: 1)
    let state = World.query(world.pages.first)["state"] ?? ""
    #expect(
      world.base.coordinator.offer(text.replacing("STATE", with: state)) == .unknown)
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    #expect(world.asked.isEmpty)
  }

  @Test("a second callback changes nothing (A16)")
  func duplicate() async throws {
    let world = try await World()
    let gate = Gate()
    world.http.answer(World.endpoint("token"), World.issued().held(at: gate))
    let task = world.base.start(.platrium(server: World.host, device: nil))
    await world.base.page.arrivals(atLeast: 1)
    let state = World.query(world.pages.first)["state"] ?? ""
    let callback = "platrium://auth/callback?code=cod-1&state=\(state)"
    #expect(world.base.coordinator.offer(callback) == .delivered)
    #expect(world.base.coordinator.offer(callback) == .unknown)
    await gate.arrivals(atLeast: 1)
    gate.open()
    #expect(await task.value == .success(World.account))
    #expect(world.asked == ["POST token"])
  }

  @Test(
    "only the address of a service is one; nothing is asked of anything else (P21, P22)",
    arguments: [
      "http://platrium.test", "https://platrium.test/path", "ftp://platrium.test",
      "https://me@platrium.test", "",
    ])
  func addresses(typed: String) async throws {
    let world = try await World()
    let target = SignInTarget.platrium(server: typed.isEmpty ? nil : typed, device: nil)
    #expect(await world.signIn(target) == .failure(.serverInvalid(typed: typed)))
    #expect(world.http.requests.isEmpty)
  }

  // MARK: A token made by hand

  @Test("a pasted token is shown to its service, then stored (P3, P25, P27)")
  func pasted() async throws {
    let world = try await World()
    world.http.answer(World.endpoint("me"), World.me(kind: "APP"))
    let token = Secret(text: " \(World.first)\n")
    #expect(
      await world.signIn(.platriumToken(server: World.host, token: token))
        == .success(World.account))
    #expect(world.asked == ["GET me"])
    #expect(
      world.http.requests.first?.headers["Authorization"] == "Bearer \(World.first)")
    #expect(try await world.store.credentials(World.account) != nil)
  }

  @Test("one the service does not know, or that is none, is refused and not stored (P25, P30)")
  func pastedWrong() async throws {
    let world = try await World()
    world.http.answer(World.endpoint("me"), .status(401))
    let refused = Result<AccountID, SignInError>.failure(.tokenInvalid(host: World.host))
    func paste(_ text: String) async -> Result<AccountID, SignInError> {
      await world.signIn(.platriumToken(server: World.host, token: Secret(text: text)))
    }
    #expect(await paste(World.first) == refused)
    #expect(await paste("plt_short") == .failure(.notAToken))
    #expect(world.asked == ["GET me"])
    #expect(await world.accounts.state()?.accounts == [])
  }

  // MARK: Order

  @Test(
    "a device's push is registered after its token is on disk and before anybody hears that it is signed in (P5, P42)"
  )
  func order() async throws {
    let world = try await World(signedIn: true)
    try await world.devices.setPush(World.account, "APNS", Secret(text: "push-1"))
    let gate = Gate()
    world.http.answer(World.endpoint("token"), World.issued(World.second))
    world.http.answer(World.endpoint("device/push"), ScriptedHTTP.Answer.status(204).held(at: gate))
    let before = world.asked.count
    let task = Task { await world.signIn(.account(World.account)) }
    await gate.arrivals(atLeast: 1)
    #expect(world.asked.dropFirst(before) == ["POST token", "PUT device/push"])
    #expect(
      world.http.requests.last?.headers["Authorization"] == "Bearer \(World.second)")
    #expect(
      try await world.store.credentials(World.account)?.revealText().contains(World.second)
        == true)
    #expect(await world.accounts.state()?.session == .authenticating(over: World.account))
    gate.open()
    #expect(await task.value == .success(World.account))
    await world.accounts.revocationsEnded()
    // The older token is given back: it would live for ever.
    #expect(world.asked.suffix(2) == ["DELETE device/push", "POST logout"])
    #expect(world.http.requests.last?.headers["Authorization"] == "Bearer \(World.first)")
  }

  @Test("a token that cannot be stored is given back, and nobody is signed in (P5)")
  func brokenStore() async throws {
    let world = try await World()
    try world.base.base.breakStore()
    guard case .failure(.store) = await world.signIn() else {
      Issue.record("expected a store fault")
      return
    }
    #expect(world.asked == ["POST token", "DELETE device/push", "POST logout"])
    #expect(await world.accounts.state()?.session == .signedOut(nil))
  }

  @Test("given up while the code is exchanged: the token that still comes is given back (A46)")
  func givenUp() async throws {
    let world = try await World()
    let gate = Gate()
    world.http.answer(World.endpoint("token"), World.issued().held(at: gate))
    let task = Task { await world.signIn() }
    await gate.arrivals(atLeast: 1)
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    gate.open()
    await world.accounts.upkeepEnded()
    #expect(world.asked == ["POST token", "DELETE device/push", "POST logout"])
    #expect(await world.accounts.state()?.accounts == [])
  }

  @Test("a program that ends while the code is exchanged waits, and gives the token back (A46, P9)")
  func ending() async throws {
    let world = try await World()
    let gate = Gate()
    world.http.answer(World.endpoint("token"), World.issued().held(at: gate))
    let task = Task { await world.signIn() }
    await gate.arrivals(atLeast: 1)
    await world.base.service.leave()
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    let stopping = Task { await world.accounts.stop() }
    for _ in 0..<100 { await Task.yield() }
    gate.open()
    await stopping.value
    #expect(world.asked == ["POST token", "DELETE device/push", "POST logout"])
    #expect(await world.base.restarted().service.left() == nil)
  }

  // MARK: Again

  @Test("an account that has ended comes back at its own service, as the device it was (A3)")
  func again() async throws {
    let world = try await World(signedIn: true)
    world.http.answer(World.endpoint("me"), .status(401))
    let service = try await world.restarted()
    await service.upkeepEnded()
    #expect(await service.state()?.accounts.first?.standing == .expired(.refused))
    world.http.answer(World.endpoint("token"), World.issued(World.second))
    await world.accounts.ended(World.account, .refused)
    #expect(await world.signIn(.account(World.account)) == .success(World.account))
    #expect(World.query(world.pages.last)["platform"] == "IOS")
    #expect(await world.accounts.state()?.accounts.first?.standing == .ok)
  }

  @Test("somebody else's answer to it is given back, and nobody's account changes")
  func somebodyElse() async throws {
    let world = try await World(signedIn: true)
    world.http.answer(World.endpoint("token"), World.issued(World.second, user: "u2"))
    #expect(await world.signIn(.account(World.account)) == .failure(.identityMismatch))
    #expect(world.asked.last == "POST logout")
    #expect(world.http.requests.last?.headers["Authorization"] == "Bearer \(World.second)")
    #expect(await world.accounts.state()?.accounts.map(\.id) == [World.account])
    #expect(
      try await world.store.credentials(World.account)?.revealText().contains(World.first)
        == true)
  }
}

import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import OAuth
import SystemClients
import Testing

@Suite("A callback caught on this machine", .timeLimit(.minutes(1)))
struct LoopbackReceiverTests {
  private let clock = TestClock()
  private let http = HTTPClient.live(
    NetworkPolicy(allowInsecureLoopback: true), userAgent: "test", clock: .live)

  private func start(
    port: Int = 0,
    judge: @escaping @Sendable (CallbackURL) async -> LoopbackReceiver.Verdict = {
      $0.error == nil ? .accepted : .denied
    }
  ) async throws -> LoopbackReceiver {
    try await LoopbackReceiver.start(
      port: port, timeout: .seconds(300), clock: clock.clock, judge: judge)
  }

  private func get(
    _ receiver: LoopbackReceiver, _ suffix: String, method: String = "GET",
    path: String = "/callback"
  ) async throws -> HTTPResponse {
    let base = receiver.redirectURI.dropLast("/callback".count)
    return try await http.send(
      HTTPRequest(method: method, url: OAuthFixture.url("\(base)\(path)\(suffix)")))
  }

  @Test("the redirect is an address literal with the port the system chose (FB-B1, FB-B2, P24)")
  func redirect() async throws {
    let receiver = try await start()
    #expect(receiver.route.scheme == "http")
    #expect(receiver.route.host == "127.0.0.1")
    #expect(try #require(receiver.route.port) > 1023)
    #expect(receiver.redirectURI == "http://127.0.0.1:\(receiver.route.port ?? 0)/callback")
    await receiver.cancel()
  }

  @Test("the person is left with a page that loads nothing and fits light and dark (FB-B5)")
  func closingPage() async throws {
    let receiver = try await start()
    let page = try await get(receiver, "?state=s&code=c")
    let text = String(decoding: page.body, as: UTF8.self)
    #expect(text.contains("<html lang=\"en\">") && text.contains("color-scheme: light dark"))
    #expect(text.contains("You can close this window and return to the app."))
    #expect(!text.contains("http") && !text.contains("<script"))
    let policy = try #require(page.headers["Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
    #expect(try await receiver.callback().code == "c")
  }

  @Test("where only IPv6 can be bound, the redirect says so (FB-B2)")
  func addresses() async throws {
    let receiver = try await LoopbackReceiver.start(
      hosts: ["192.0.2.1", "::1"], timeout: .seconds(300), clock: clock.clock)
    #expect(receiver.redirectURI.hasPrefix("http://[::1]:"))
    #expect(receiver.route.host == "[::1]")
    let port = try #require(receiver.route.port)
    let answer = await RawBrowser.get(port: port, target: "/callback?state=s&code=c")
    #expect(answer.hasPrefix("HTTP/1.1 200"))
    #expect(try await receiver.callback().code == "c")
    await #expect(throws: LoopbackReceiver.Failure.self) {
      try await LoopbackReceiver.start(
        hosts: ["0.0.0.0", "192.0.2.1"], timeout: .seconds(300), clock: clock.clock)
    }
  }

  @Test("a configured port that is taken is named at once (FB-B1)")
  func busy() async throws {
    let first = try await start()
    let port = try #require(first.route.port)
    await #expect(throws: LoopbackReceiver.Failure.portBusy(port)) { try await start(port: port) }
    await first.cancel()
    let second = try await start(port: port)
    await second.cancel()
  }

  @Test(
    "the callback arrives, the page tells nothing it brought, and the port is free (FB-B7, FB-B8)")
  func success() async throws {
    let receiver = try await start()
    let response = try await get(receiver, "?state=s-1&iss=https%3A%2F%2Fas.test&code=top-secret")
    let callback = try await receiver.callback()
    #expect(callback.code == "top-secret")
    #expect(callback.state == "s-1")
    #expect(receiver.route.matches(callback))
    #expect(response.status == 200)
    #expect(response.headers["Connection"]?.lowercased() == "close")
    #expect(response.headers["Cache-Control"] == "no-store")
    #expect(!String(decoding: response.body, as: UTF8.self).contains("secret"))
    await #expect(throws: HTTPError.self) { try await get(receiver, "?state=s-1&code=x") }
    let again = try await start(port: try #require(receiver.route.port))
    await again.cancel()
  }

  @Test("stray requests get a short refusal and the wait goes on (FB-B3, FB-B4)")
  func strays() async throws {
    let receiver = try await start()
    let strays: [(String, String, String, Int)] = [
      ("GET", "/favicon.ico", "", 404), ("GET", "/", "", 404),
      ("GET", "/callbackX", "?code=1", 404),
      ("GET", "/callback/", "?state=s&code=1", 404), ("GET", "/callback", "", 400),
      ("GET", "/callback", "?code=1", 400), ("GET", "/callback", "?state=s", 400),
      ("GET", "/callback", "?state=s&code=1&code=2", 400),
      ("POST", "/callback", "?state=s&code=1", 405),
      ("OPTIONS", "/callback", "?state=s&code=1", 405),
      ("HEAD", "/callback", "?state=s&code=1", 405),
    ]
    for (method, path, suffix, status) in strays {
      let response = try await get(receiver, suffix, method: method, path: path)
      #expect(response.status == status, "\(method) \(path)\(suffix)")
    }
    #expect(try await get(receiver, "?state=s&code=good").status == 200)
    #expect(try await receiver.callback().code == "good")
  }

  @Test("a page elsewhere that leads a browser here under another name is refused")
  func rebinding() async throws {
    let receiver = try await start()
    let port = try #require(receiver.route.port)
    let local = HTTPClient.live(
      NetworkPolicy(
        allowInsecureLoopback: true,
        hosts: ["evil.test": try OAuthFixture.url("http://127.0.0.1:\(port)")]),
      userAgent: "test", clock: .live)
    let response = try await local.send(
      HTTPRequest(url: OAuthFixture.url("https://evil.test/callback?state=s&code=1")))
    #expect(response.status == 404)
    await receiver.cancel()
  }

  @Test("a callback that belongs to no attempt does not end the wait")
  func ignored() async throws {
    let receiver = try await start { $0.state == "mine" ? .accepted : .ignored }
    #expect(try await get(receiver, "?state=other&code=1").status == 400)
    #expect(try await get(receiver, "?state=mine&code=2").status == 200)
    #expect(try await receiver.callback().code == "2")
  }

  @Test("a denial ends the wait at once; the page says so in words of our own (FB-B5)")
  func denied() async throws {
    let receiver = try await start()
    let response = try await get(
      receiver, "?state=s&error=access_denied&error_description=No%0Athanks%1b%5B31m%3Cscript%3E")
    let page = String(decoding: response.body, as: UTF8.self)
    #expect(page.contains("cancelled"))
    #expect(!page.contains("script>") && !page.contains("thanks"))
    #expect(try await receiver.callback().error == "access_denied")
  }

  @Test("nobody comes back: the wait ends by time, and by cancel, with different results (FB-B6)")
  func timeoutAndCancel() async throws {
    let receiver = try await start()
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(300))
    await #expect(throws: LoopbackReceiver.Failure.timedOut) { try await receiver.callback() }

    for _ in 0..<20 {
      let receiver = try await start(port: try #require(receiver.route.port))
      let waiting = Task { try await receiver.callback() }
      await receiver.cancel()
      await #expect(throws: LoopbackReceiver.Failure.cancelled) { try await waiting.value }
    }
    let task = Task { [receiver = try await start()] in try await receiver.callback() }
    task.cancel()
    await #expect(throws: LoopbackReceiver.Failure.cancelled) { try await task.value }
    #expect(clock.sleeperCount == 0)
  }
}

import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import Testing

/// A core ends while a sign-in page is open in the browser; the callback comes to the next core.
@Suite("A callback after a restart", .serialized)
struct ColdCallbackTests {
  /// How the first core ends.
  enum End: String, CaseIterable, CustomTestStringConvertible {
    case goodbye, hangUp
    var testDescription: String { rawValue }
  }

  @Test(
    "is finished by the next core; its code is exchanged once, and the link is good once (A16, A17)",
    arguments: End.allCases)
  func finished(_ end: End) async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      let args = try await first.shell.openPage("alice.test")
      let callback = try await first.shell.browser.approve("alice.test", args: args)
      switch end {
      case .goodbye: try await first.end()
      case .hangUp: try await first.abandon()
      }
      var haystack = Haystack()
      try haystack.add(folder: world.dataFolder)

      let second = try await world.core()
      try await second.shell.finish(callback.absoluteString, of: "alice.test", in: world)
      // What the attempt was made of never lay open in the data folder (A25, FB-A34).
      let exchange = try #require(second.tap.requests.last { $0.url.path() == Path.token })
      guard case .bytes(let body) = exchange.body else { return }
      let form = FormURLEncoding.decode(body) ?? []
      let verifier = try #require(form.first { $0.0 == "code_verifier" }?.1)
      let state = try #require(Self.state(in: callback))
      haystack.expectNone(of: [.init("verifier", verifier), .init("state", state)])
      #expect(haystack.places(with: "account".utf8).contains("core.sqlite"))
      try await second.end()
    }
  }

  @Test("is refused when its time is over; the person is told, once (A18)")
  func expired() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      let args = try await first.shell.openPage("alice.test")
      let callback = try await first.shell.browser.approve("alice.test", args: args)
      try await first.end()
      world.clock.ahead += 3600

      let second = try await world.core()
      let login = try await second.shell.wait("login", "failed") { $0["phase"] == "failed" }
      let problem = try #require(login["problem"].map(Trouble.init))
      #expect(problem.kind == "login.expired")
      #expect(problem.isWorded, "\(problem.words)")
      #expect(login["handle"] == "alice.test")
      let refusal = try await second.shell.refusal(
        "login.callback", ["callbackUrl": .string(callback.absoluteString)])
      #expect(refusal.kind == "intent.notAvailable")
      try await second.end()

      let third = try await world.core()
      #expect(try await third.shell.read("login")["phase"] == "signedOut")
      #expect(world.count("POST", Path.token) == 0)
      // Nothing is in the way of another try, made when the servers' clocks say the same.
      world.clock.ahead = 0
      try await third.shell.signIn("alice.test")
      try await third.end()
    }
  }

  @Test("has nothing to come back to when the answer was to reach a port of the first core (G97)")
  func loopback() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core(presentations: ["externalBrowser"]) {
        $0.loopbackClient = true
      }
      _ = try await first.shell.openPage("alice.test")
      try await first.abandon()
      let second = try await world.core()
      #expect(try await second.shell.read("login")["phase"] == "signedOut")
      try await second.end()
    }
  }

  @Test("a sign-up that was left is finished as well (G25)")
  func signUp() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      let args = try await first.shell.openPage(nil)
      let page = try #require(args["url"]?.stringValue.flatMap { URL(string: $0) })
      let callback = try await SandboxVisitor(http: world.http).signUp(
        authorizationURL: page, handle: "dora.signup.test", email: "dora@example.com",
        password: "sandbox")
      try await first.end()
      let second = try await world.core()
      try await second.shell.finish(callback.absoluteString, of: "dora.signup.test", in: world)
      try await second.end()
    }
  }

  @Test("a sign-in that was left can be given up; then its callback is nobody's (A46)")
  func givenUp() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      let args = try await first.shell.openPage("alice.test")
      let callback = try await first.shell.browser.approve("alice.test", args: args)
      try await first.end()
      let second = try await world.core()
      let login = try await second.shell.read("login")
      #expect(login["phase"] == "waitingForBrowser")
      try await second.shell.call("login.cancel")
      #expect(
        try await second.shell.ending(of: ["operation": try #require(login["operation"])])
          .description == "cancelled")
      try await second.end()
      let third = try await world.core()
      #expect(try await third.shell.read("login")["phase"] == "signedOut")
      _ = try await third.shell.refusal(
        "login.callback", ["callbackUrl": .string(callback.absoluteString)])
      #expect(world.count("POST", Path.token) == 0)
      try await third.end()
    }
  }

  @Test(
    "kill -9 while the page is open loses nothing either (A17, FB-C18)",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
  func killed() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      let args = try await first.shell.openPage("alice.test")
      try await first.kill()
      let callback = try await Browser(http: world.http).approve("alice.test", args: args)
      var haystack = Haystack()
      try haystack.add(folder: world.dataFolder)
      haystack.expectNone(of: [.init("state", try #require(Self.state(in: callback)))])

      let second = try await world.process()
      try await second.shell.finish(callback.absoluteString, of: "alice.test", in: world)
      try await second.end()

      // Nor does it come back once it was used.
      let third = try await world.process()
      try await third.shell.wait("login", "at rest") { $0["phase"] == "signedIn" }
      try await third.end()
    }
  }

  private static func state(in callback: URL) -> String? {
    URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems?
      .first { $0.name == "state" }?.value
  }
}

@Suite("A page that is opened too late", .serialized)
struct LatePageTests {
  @Test("asked for again it is a new one, and the old one's answer is refused (FB-A25)")
  func late() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try world.authorizationFaults.set {
        var lifetimes = GrantLifetimes()
        lifetimes.request = .seconds(60)
        $0.lifetimes = lifetimes
      }
      let first = try await shell.openPage("alice.test")
      // While it can be opened, that is what happens.
      let again = try await shell.pageAgain("alice.test")
      #expect(again == first)
      #expect(world.count("POST", Path.pushedRequest, status: 201) == 1)

      try world.authorizationFaults.clear()
      world.clock.ahead += 61
      world.network.clockOffset += 61
      let fresh = try await shell.pageAgain("alice.test")
      #expect(fresh["url"] != first["url"])
      #expect(world.count("POST", Path.pushedRequest, status: 201) == 2)
      let bodies = core.tap.requests.filter { $0.url.path() == Path.pushedRequest }.map(\.body)
      let states = bodies.compactMap { body -> String? in
        guard case .bytes(let bytes) = body else { return nil }
        return FormURLEncoding.decode(bytes)?.first { $0.0 == "state" }?.1
      }
      #expect(Set(states).count == 2)
      let callback = try await shell.browser.approve("alice.test", args: fresh).absoluteString
      let old = callback.replacing(try #require(states.last), with: try #require(states.first))
      #expect(
        try await shell.refusal("login.callback", ["callbackUrl": .string(old)]).kind
          == "login.callbackMismatch")
      let verdict = try await shell.call("login.callback", ["callbackUrl": .string(callback)])
      #expect(try await shell.ending(of: verdict).description == "succeeded")
      try await core.end()
    }
  }
}

extension Shell {
  /// Asks for the page that is waited for, once more, and returns the one that is shown.
  fileprivate func pageAgain(_ name: String) async throws -> JSONObject {
    let pages = Recorder<JSONObject>()
    browser.onPage { args, _ in
      pages.record(args)
      return .result(["outcome": "presented"])
    }
    let joined = try await call("login.submitHandle", ["handle": .string(name)])
    #expect(joined["joined"] == true)
    try await within("the page, once more") { await pages.wait { !$0.isEmpty } }
    return try #require(pages.values.first)
  }

  /// Begins to sign in, or to sign up when there is no name, and returns once the page is open in a
  /// browser in which nobody does anything yet.
  fileprivate func openPage(_ name: String?) async throws -> JSONObject {
    let pages = Recorder<JSONObject>()
    browser.onPage { args, _ in
      pages.record(args)
      return .result(["outcome": "presented"])
    }
    try await call("login.start")
    if let name {
      try await call("login.submitHandle", ["handle": .string(name)])
    } else {
      try await call("login.createAccount")
    }
    try await within("the page") { await pages.wait { !$0.isEmpty } }
    return try #require(pages.values.first)
  }

  /// What the next shell does: looks, tries a foreign link, and hands the right one over, twice.
  fileprivate func finish(
    _ callback: String, of handle: String, in world: World
  ) async throws {
    let login = try await wait("login", "waiting") { $0["phase"] == "waitingForBrowser" }
    #expect(login["status"] == "waiting")
    #expect(login["can"] == ["login.cancel", "login.callback"])
    // The form opens first, and the session follows once its service has begun.
    try await wait("accounts", "authenticating") { $0["session"] == "authenticating" }
    let state = try #require(callback.firstMatch(of: /state=([^&]+)/)?.1)
    let foreign = callback.replacing(state, with: String(state.reversed()))
    #expect(
      try await refusal("login.callback", ["callbackUrl": .string(foreign)]).kind
        == "login.callbackMismatch")
    let verdict = try await call("login.callback", ["callbackUrl": .string(callback)])
    _ = try await refusal("login.callback", ["callbackUrl": .string(callback)])
    let ending = try await ending(of: verdict)
    #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
    let accounts = try await wait("accounts", "signed in") { $0["session"] == "signedIn" }
    let did = try #require(accounts["active"]?.stringValue)
    // A new account's handle is looked up once its tokens are stored (FB-A26).
    try await wait("accounts", "named") { $0["account"]?[did]?["handle"] == .string(handle) }
    #expect(world.count("POST", Path.token, status: 200) == 1)
    _ = try await refusal("login.callback", ["callbackUrl": .string(callback)])
  }
}

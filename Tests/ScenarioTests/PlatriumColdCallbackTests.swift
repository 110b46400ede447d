import Foundation
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients
import Testing

/// Cores that are killed in the middle of a sign-in at a Platrium service.
@Suite(
  "A Platrium sign-in and kill -9", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct PlatriumColdCallbackTests {
  private static let token = SandboxFaults.Match(
    server: "platrium", pathPrefix: "/api/auth/token")

  @Test("killed at its page, it is finished by the next core, once (A16, A17)")
  func atThePage() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      let callback = try await first.shell.platriumCallback(world)
      try await first.kill()

      let second = try await world.process()
      let login = try await second.shell.wait("login", "waiting") {
        $0["phase"] == "waitingForBrowser"
      }
      #expect(login["chosen"] == "platrium")
      #expect(login["can"] == ["login.cancel", "login.callback"])
      let state = try #require(callback.firstMatch(of: /state=([^&]+)/)?.1)
      let foreign = callback.replacing(state, with: String(state.reversed()))
      #expect(
        try await second.shell.refusal("login.callback", ["callbackUrl": .string(foreign)]).kind
          == "login.callbackMismatch")
      let verdict = try await second.shell.call(
        "login.callback", ["callbackUrl": .string(callback)])
      let ending = try await second.shell.ending(of: verdict)
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      try await second.shell.wait("accounts", "signed in") {
        $0["active"]?.stringValue?.hasPrefix("platrium:") == true
      }
      #expect(world.count("POST", Self.token.pathPrefix) == 1)
      try await second.end()

      var haystack = Haystack()
      try haystack.add(folder: world.dataFolder)
      haystack.expectNone(of: [.init("state", String(state))])
    }
  }

  @Test("killed while its code is exchanged, nobody ever sends that code again (P18)")
  func whileExchanging() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      let callback = try await first.shell.platriumCallback(world)
      await world.network.faults.add(.delay(.zero), on: Self.token)
      try await first.shell.call("login.callback", ["callbackUrl": .string(callback)])
      try await world.arrival("the code")
      try await first.kill()
      world.turnstile.open()

      let second = try await world.process()
      try await second.shell.wait("accounts", "restored") { $0["session"] == "signedOut" }
      #expect(try await second.shell.read("login")["phase"] == "signedOut")
      #expect(
        try await second.shell.refusal("login.callback", ["callbackUrl": .string(callback)]).kind
          == "intent.notAvailable")
      #expect(world.count("POST", Self.token.pathPrefix) <= 1)
      try await second.end()
    }
  }
}

extension Shell {
  /// Begins to sign in, and walks the consent page.
  ///
  /// - Returns: where the browser ends; nobody has told the core.
  fileprivate func platriumCallback(_ world: World) async throws -> String {
    let pages = Recorder<JSONObject>()
    browser.onPage { args, _ in
      pages.record(args)
      return .result(["outcome": "presented"])
    }
    try await call("login.start", ["provider": "platrium"])
    try await call("login.submit")
    try await within("the page") { await pages.wait { !$0.isEmpty } }
    let page = try #require(pages.values.first?["url"]?.stringValue.flatMap { URL(string: $0) })
    return try await PlatriumVisitor(http: world.http).approve(page).absoluteString
  }
}

import Foundation
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import Testing

/// Accounts of three providers in one core, against the built sandbox in a process of its own.
@Suite(
  "Three providers side by side", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct ThreeProvidersTests {
  @Test(
    "killed and restored; one is revoked at its server, one signs out, the third never notices (A40, A42, P9, X22, X23)"
  )
  func story() async throws {
    let folder = try TemporaryFolder()
    let sandbox = try await SandboxProcess(database: folder.path("sandbox.sqlite"))
    let first = try await core(sandbox, folder)
    let grain = try await first.shell.signIn("alice.test")
    let platrium = try await first.shell.signIn(to: "platrium", http: sandbox.http)
    let pixiv = try await first.shell.signIn(to: "pixiv", http: sandbox.http)
    #expect(platrium.hasPrefix("platrium:127.0.0.1:") && pixiv == "pixiv:1001")
    try await first.kill()

    let second = try await core(sandbox, folder)
    let restored = try await second.shell.wait("accounts", "restored") {
      $0["session"] == "signedIn"
    }
    #expect(restored["accountOrder"] == .array([grain, platrium, pixiv].map { .string($0) }))
    #expect(restored["active"] == .string(pixiv))
    for account in [grain, platrium, pixiv] {
      #expect(restored["account"]?[account]?["standing"] == "ok", "\(account)")
    }

    try await sandbox.control("platrium/revoke", ["user": .string(try Self.user(platrium))])
    let switching = try await second.shell.call("accounts.switch", ["account": .string(platrium)])
    _ = try await second.shell.ending(of: switching)
    let revoked = try await second.shell.wait("accounts", "one revoked") {
      $0["account"]?[platrium]?["standing"] == "expired"
    }
    #expect(revoked["account"]?[grain]?["standing"] == "ok")
    #expect(revoked["account"]?[pixiv]?["standing"] == "ok")

    try await second.shell.signOut(pixiv)
    let left = try await second.shell.wait("accounts", "the third") {
      $0["active"] == .string(grain)
    }
    #expect(left["accountOrder"] == .array([.string(grain), .string(platrium)]))
    #expect(left["account"]?[grain]?["standing"] == "ok")
    let draft = try await second.shell.draft(try SamplePhotoFiles(in: folder).paths)
    #expect(try await second.shell.publish(draft).description == "succeeded")
    try await second.end()

    // Signed out is signed out, and the one that was revoked returns in one tap.
    let third = try await core(sandbox, folder)
    let back = try await third.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
    #expect(back["accountOrder"] == .array([.string(grain), .string(platrium)]))
    third.shell.visit("platrium", http: sandbox.http)
    let verdict = try await third.shell.call(
      "accounts.reauthenticate", ["account": .string(platrium)])
    #expect(try await third.shell.ending(of: verdict).description == "succeeded")
    try await third.shell.wait("accounts", "all well") {
      $0["account"]?[platrium]?["standing"] == "ok" && $0["account"]?[grain]?["standing"] == "ok"
    }
    try await third.end()
  }

  @Test("a token made by hand signs in without a page, and is nowhere to be read (P5, P25)")
  func token() async throws {
    let folder = try TemporaryFolder()
    let sandbox = try await SandboxProcess(database: folder.path("sandbox.sqlite"))
    let service = try #require(
      sandbox.configuration["platriumServer"]?.stringValue.flatMap { URL(string: $0) })
    let token = try await PlatriumVisitor(http: sandbox.http).makeToken(at: service, name: "CI")
    let core = try await core(sandbox, folder, presentations: [])
    try await core.shell.call("login.start", ["provider": "platrium"])
    let refusal = try await core.shell.call(
      "login.submitToken", ["token": .string("\(token.dropLast())-")])
    let failed = try await core.shell.ending(of: refusal)
    #expect(failed.outcome == "failed" && failed.problem?.isWorded == true, "\(failed)")
    let verdict = try await core.shell.call("login.submitToken", ["token": .string(token)])
    #expect(try await core.shell.ending(of: verdict).description == "succeeded")
    let accounts = try await core.shell.wait("accounts", "signed in") {
      $0["session"] == "signedIn"
    }
    let account = try #require(accounts["active"]?.stringValue)
    // An app gets no push (P7).
    let devices = try await core.shell.devices(of: account)
    #expect(devices["incomplete"] == true)
    #expect(devices["can"] == ["devices.refresh", "devices.revoke"])
    try await core.end()

    var haystack = Haystack()
    for message in core.shell.traffic.values where message.direction == .received {
      haystack.add("pipe", message.json.serialized())
    }
    haystack.add("log", core.program.errors)
    try haystack.add(folder: folder.path("data"))
    haystack.expectNone(of: [.init("token", token)])
  }

  private func core(
    _ sandbox: SandboxProcess, _ folder: TemporaryFolder,
    presentations: [JSONValue] = ["webview"]
  ) async throws -> CoreProcess {
    let path = folder.path("config.json")
    try Data(JSONValue.object(sandbox.configuration).serialized()).write(to: URL(filePath: path))
    let core = try await CoreProcess.start(
      dataFolder: folder.path("data"), ["--config", path], http: sandbox.http)
    try await core.shell.initialize(presentations: presentations)
    return core
  }

  /// The user a Platrium account is named by.
  private static func user(_ account: String) throws -> String {
    String(try #require(account.split(separator: ":").last))
  }
}

extension SandboxProcess {
  /// Asks the sandbox for trouble.
  fileprivate func control(_ name: String, _ body: JSONObject) async throws {
    let base = try #require(
      configuration["platriumServer"]?.stringValue.flatMap { URL(string: $0) })
    var headers = HTTPHeaders()
    headers["Content-Type"] = "application/json"
    let answer = try await http.send(
      HTTPRequest(
        method: "POST", url: base.appending(path: "_sandbox/\(name)"), headers: headers,
        body: .bytes(JSONValue.object(body).serialized())))
    #expect(answer.status == 204)
  }
}

extension Shell {
  /// Answers a provider's page as its owner does in the shell's web view.
  fileprivate func visit(_ provider: String, http: HTTPClient) {
    browser.onPage { args, shell in
      let page = try #require(args["url"]?.stringValue.flatMap { URL(string: $0) })
      let callback =
        provider == "pixiv"
        ? try await PixivVisitor(http: http).signIn(page).last
        : try await PlatriumVisitor(http: http).approve(page)
      let url = try #require(callback).absoluteString
      try await shell.call("login.callback", ["callbackUrl": .string(url)])
      return .result(["outcome": "callbackDelivered"])
    }
  }

  /// Signs in to a provider without handles and gives back the account's id.
  fileprivate func signIn(to provider: String, http: HTTPClient) async throws -> String {
    visit(provider, http: http)
    try await call("login.start", ["provider": .string(provider)])
    let ending = try await ending(of: try await call("login.submit"))
    #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
    let accounts = try await wait("accounts", "with \(provider)") {
      $0["active"]?.stringValue?.hasPrefix("\(provider):") == true
    }
    return try #require(accounts["active"]?.stringValue)
  }

  /// The list of devices and apps of an account, once it is there.
  fileprivate func devices(of account: String) async throws -> JSONValue {
    try await call(
      "models/subscribe",
      ["subscription": "devices", "model": "devices", "args": ["account": .string(account)]])
    return try await wait("devices", "ready") { $0["phase"] == "ready" }
  }
}

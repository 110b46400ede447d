import Foundation
import GrainTestSupport
import Glibc
import ShellClient
import StrictJSON
import SystemClients
import Testing

/// The answer of a sign-in page that comes by way of the desktop: `grain-core deliver`.
@Suite(
  "A callback delivered from outside", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct DeliverTests {
  /// How the URL is given to `deliver`.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case argument, input
    var testDescription: String { rawValue }
  }

  @Test(
    "finishes the sign-in; the page is taken back, and the address is good once (A10, A16, A21)",
    arguments: Way.allCases)
  func delivered(_ way: Way) async throws {
    try await World.run { (world) async throws -> Void in
      let lines = Recorder<[UInt8]>()
      let core = try await world.core(
        presentations: ["systemSession"],
        log: Log(
          clock: .live, sink: LogSink { lines.record($0) }, thresholds: LogThresholds(.trace)))
      let (verdict, args) = try await core.shell.page(of: "alice.test")
      let callback = try await core.shell.browser.approve("alice.test", args: args).absoluteString
      let run = try await deliver(callback, way, in: world)
      #expect(run.status == 0, Comment(rawValue: run.errors))
      #expect(run.output == "The sign-in goes on in the app.\n")
      #expect(try await core.shell.ending(of: verdict).description == "succeeded")
      try await within("the page to be taken back") {
        for await _ in core.shell.browser.takenBack { break }
      }
      #expect(try await core.shell.read("login")["phase"] == "signedIn")

      let again = try await deliver(callback, way, in: world)
      #expect(again.status == 1)
      #expect(again.errors.contains("no sign-in waits for this address"))
      #expect(world.count("POST", Path.token, status: 200) == 1)
      // Neither of the two, nor the log, nor the pipe, has repeated what was in the address.
      var haystack = Haystack()
      for run in [run, again] { haystack.add("deliver", (run.output + run.errors).utf8) }
      for line in lines.values { haystack.add("log", line) }
      for message in core.shell.traffic.values { haystack.add("pipe", message.json.text().utf8) }
      #expect(haystack.places(with: "a callback was delivered".utf8) == ["log"])
      haystack.expectNone(of: try Self.secrets(of: callback))
      try await core.end()
    }
  }

  @Test("one of no sign-in is refused, and the right one still works (A11, A20, grain-product §17)")
  func unknown() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let (verdict, args) = try await core.shell.page(of: "alice.test")
      let callback = try await core.shell.browser.approve("alice.test", args: args).absoluteString
      let query = callback.drop { $0 != "?" }
      let foreign = [
        "social.grain://oauth/callback\(query)", "social.grain:/oauth/callback/\(query)",
        "grain://oauth/callback\(query)", "https://grain.social.evil.tld/oauth/callback\(query)",
        "pixiv://account/login\(query)", callback.replacing("state=", with: "state=x"),
        "\(callback)#f", "javascript:alert(1)", "\u{0}", "not an address",
        String(repeating: "a", count: 20_000),
      ]
      for url in foreign where !url.contains("\u{0}") {
        let run = try await deliver(url, .argument, in: world)
        #expect(run.status == 1)
        #expect(run.output.isEmpty && !run.errors.contains(url))
      }
      #expect(try await deliver("\u{0}", .input, in: world).status == 1)
      #expect(try await core.shell.read("login")["phase"] == "waitingForBrowser")
      #expect(try await deliver(callback, .argument, in: world).status == 0)
      #expect(try await core.shell.ending(of: verdict).description == "succeeded")
      try await core.end()
    }
  }

  @Test("without a running core it says so and ends with 69; the next core finishes it (A17)")
  func cold() async throws {
    try await World.run { (world) async throws -> Void in
      let never = try await deliver("social.grain:/oauth/callback?code=c", .argument, in: world)
      #expect(never.status == 69)
      #expect(never.errors.contains("no core is running in \(world.dataFolder)"))
      #expect(!never.errors.contains("code"))

      let first = try await world.process()
      let (_, args) = try await first.shell.page(of: "alice.test")
      let callback = try await Browser(http: world.http).approve("alice.test", args: args)
        .absoluteString
      try await first.kill()
      // Its socket is still there, and nobody behind it.
      #expect(FileManager.default.fileExists(atPath: "\(world.dataFolder)/deliver.sock"))
      #expect(try await deliver(callback, .argument, in: world).status == 69)

      let second = try await world.process()
      let run = try await deliver(callback, .argument, in: world)
      #expect(run.status == 0, Comment(rawValue: run.errors))
      try await second.shell.wait("login", "signed in") { $0["phase"] == "signedIn" }
      try await second.end()
      #expect(!FileManager.default.fileExists(atPath: "\(world.dataFolder)/deliver.sock"))
      #expect(try await deliver(callback, .argument, in: world).status == 69)
    }
  }

  @Test("a data folder with a very long path is no hindrance")
  func longFolder() async throws {
    try await World.run { (world) async throws -> Void in
      let folder = "\(world.dataFolder)/\(String(repeating: "long-", count: 40))"
      let core = try await world.core(dataFolder: folder)
      let (verdict, args) = try await core.shell.page(of: "alice.test")
      let callback = try await core.shell.browser.approve("alice.test", args: args).absoluteString
      let run = try await deliver(callback, .argument, in: world, folder)
      #expect(run.status == 0, Comment(rawValue: run.errors))
      #expect(try await core.shell.ending(of: verdict).description == "succeeded")
      try await core.end()
    }
  }

  @Test(
    "words it does not know end it with 64, and are not repeated",
    arguments: [
      ["deliver"], ["deliver", "one:x", "two:x"], ["deliver", "--code=canary", "x:y"],
      ["deliver", "--data-dir"], ["deliver", "--profile", "test", "x:y"], ["deliver", "-"],
    ])
  func badUsage(words: [String]) async throws {
    let folder = try TemporaryFolder()
    let run = try await BuiltProgram.run(words, home: folder.path)
    #expect(run.status == 64)
    #expect(run.output.isEmpty && !run.errors.isEmpty)
    #expect(!run.errors.contains("canary"))
  }

  private func deliver(
    _ url: String, _ way: Way, in world: World, _ folder: String? = nil
  ) async throws -> (status: Int32, output: String, errors: String) {
    try await BuiltProgram.run(
      ["deliver", "--data-dir", folder ?? world.dataFolder, way == .input ? "-" : url],
      input: way == .input ? "\(url)\n" : "", home: world.folder.path)
  }

  private static func secrets(of callback: String) throws -> [Haystack.Secret] {
    let items = URLComponents(string: callback)?.queryItems ?? []
    return try ["code", "state"].map { name in
      .init(name, try #require(items.first { $0.name == name }?.value))
    }
  }
}

extension Shell {
  /// Begins to sign in; the page stays open until the core takes it back.
  fileprivate func page(of name: String) async throws -> (verdict: JSONObject, args: JSONObject) {
    browser.leaveOpen()
    let verdict = try await submit(name)
    let page = try await within("the page") { [traffic] in
      await traffic.wait { $0.contains { $0.json["params"]?["effect"] == "auth.present" } }
      return traffic.values.last { $0.json["params"]?["effect"] == "auth.present" }
    }
    return (verdict, try #require(page?.json["params"]?["args"]?.objectValue))
  }
}

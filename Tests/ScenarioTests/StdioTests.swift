import Foundation
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import Testing

@Suite(
  "grain-core --stdio as a program", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct StdioTests {
  /// The messages on standard output; anything else there fails the test (FB-C1).
  private func messages(_ output: String) throws -> [JSONValue] {
    try output.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
  }

  private static let hello = JSONValue.object([
    "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": .object(Shell.hello()),
  ]).text()

  private static let question =
    #"{"jsonrpc":"2.0","id":2,"method":"models/get","params":{"model":"login"}}"#

  @Test(
    "what was asked before the end of input is answered, then the program ends (FB-C2, FB-C18)",
    arguments: ["\n", ""])
  func printf(ending: String) async throws {
    let folder = try TemporaryFolder()
    let run = try await BuiltProgram.run(
      ["--stdio", "--data-dir", folder.path("data")],
      input: "\(Self.hello)\n\(Self.question)\(ending)", home: folder.path)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    let messages = try messages(run.output)
    #expect(messages.map { $0["id"] } == [1, 2])
    #expect(messages.last?["result"]?["state"]?["phase"] == "signedOut")
  }

  @Test("nothing said, nothing written: the shell speaks first")
  func silence() async throws {
    let folder = try TemporaryFolder()
    for input in ["", "\n \n", "\u{FEFF}"] {
      let run = try await BuiltProgram.run(
        ["--stdio", "--data-dir", folder.path("data")], input: input, home: folder.path)
      #expect(run.status == 0)
      #expect(run.output.isEmpty)
    }
    // Nobody said `initialize`: the data folder was not even made.
    #expect(!FileManager.default.fileExists(atPath: folder.path("data")))
  }

  @Test("bad lines are answered one by one; the good ones among them work (FB-C4)")
  func badLines() async throws {
    let folder = try TemporaryFolder()
    let input = ["{", "[]", Self.hello, #"{"a":1,"a":2}"#, Self.question, "{\"jsonrpc\":\"2.0\""]
    let run = try await BuiltProgram.run(
      ["--stdio", "--data-dir", folder.path("data")], input: input.joined(separator: "\n"),
      home: folder.path)
    #expect(run.status == 0)
    let messages = try messages(run.output)
    #expect(
      messages.compactMap { $0["error"]?["code"]?.intValue }.sorted()
        == [-32700, -32700, -32600, -32600])
    #expect(messages.compactMap { $0["id"]?.intValue } == [1, 2])
  }

  @Test("headers in, headers out; a lost length ends the session with 65")
  func headers() async throws {
    let folder = try TemporaryFolder()
    func framed(_ message: String) -> String {
      "Content-Length: \(message.utf8.count)\r\n\r\n\(message)"
    }
    for option in [["--framing", "headers"], ["--framing=auto"]] {
      let run = try await BuiltProgram.run(
        ["--stdio", "--data-dir", folder.path("data")] + option,
        input: framed(Self.hello) + framed(Self.question), home: folder.path)
      #expect(run.status == 0, Comment(rawValue: run.errors))
      var rest = Substring(run.output)
      var ids: [JSONValue?] = []
      while let match = rest.prefixMatch(of: /Content-Length: ([0-9]+)\r\n\r\n/) {
        let count = try #require(Int(match.1))
        let body = rest[match.range.upperBound...].utf8.prefix(count)
        ids.append(try JSONParser.parse(Array(body))["id"])
        rest = rest[body.endIndex...]
      }
      #expect(ids == [1, 2])
      #expect(rest.isEmpty)
    }
    let lost = try await BuiltProgram.run(
      ["--stdio", "--data-dir", folder.path("data"), "--framing", "headers"],
      input: framed(Self.hello) + "Content-Length: many\r\n\r\n{}", home: folder.path)
    #expect(lost.status == 65)
  }

  @Test(
    "words it does not know end it with 64 and say what to type",
    arguments: [
      ["frobnicate"], ["--bogus"], ["--stdio", "--bogus"], ["--stdio", "extra"],
      ["--stdio", "--framing", "smoke"], ["--stdio", "--framing", "lines", "--framing=headers"],
      ["--stdio", "--stdio"], ["demo", "--json", "--json"], ["--stdio", "--profile=moon"],
      ["--stdio", "--config"],
      ["--stdio", "--config", "/nonexistent/config.json"], ["--stdio", "--seed", "many"],
      ["--stdio", "--record", "/nonexistent/session.ndjson"], ["--stdio", "--log-level", "loud"],
      ["--profile", "sandbox"], ["demo", "--bogus"], ["demo", "--photos"],
      ["sandbox", "--port", "0"],
      ["sandbox", "extra"],
    ])
  func badUsage(words: [String]) async throws {
    let folder = try TemporaryFolder()
    var words = words
    if words.first == "--stdio" { words += ["--data-dir", folder.path("data")] }
    if words.contains("--config"), words.count == 4 { words = ["--stdio", "--config"] }
    let run = try await BuiltProgram.run(words, input: Self.hello, home: folder.path)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("grain-core: "), Comment(rawValue: run.errors))
    #expect(run.errors.split(separator: " ").count >= 5, Comment(rawValue: run.errors))
    #expect(!FileManager.default.fileExists(atPath: folder.path("data")))
  }

  @Test(
    "an address or an over-long word is not repeated on standard error; an address is told where it goes",
    arguments: [
      ["social.grain:/callback?state=s&code=GRAINCANARY"],
      ["https://x.test/cb?code=GRAINCANARY"], ["--stdio", "social.grain:/cb?code=GRAINCANARY"],
      ["--https://x.test/GRAINCANARY"], ["doctor", "social.grain:/cb?code=GRAINCANARY"],
      ["GRAINCANARY0123456789"], ["--stdio", "eyJhbGciOiJFUzI1NiJ9.GRAINCANARY"],
      ["--GRAINCANARY-token"], ["--stdio", "--framing", "social.grain:/cb?code=GRAINCANARY"],
      ["--stdio", "--profile=https://GRAINCANARY.test/"],
      ["--stdio", "--log-level", "GRAINCANARY="],
      ["doctor", "--rewrap", "x.test/GRAINCANARY"], ["--stdio", "--seed", "GRAINCANARY"],
      ["sandbox", "GRAINCANARY GRAINCANARY"], ["deliver", "a", "https://x.test/GRAINCANARY"],
    ])
  func unrepeated(words: [String]) async throws {
    let folder = try TemporaryFolder()
    let run = try await BuiltProgram.run(words, home: folder.path)
    #expect(run.status == 64)
    #expect(!run.errors.contains("GRAINCANARY"), Comment(rawValue: run.errors))
    // An address as a word of its own, where a desktop file without `deliver` puts it.
    let isAddress = words.count <= 2 && words.last?.wholeMatch(of: /(--)?[a-z.]+:\/.*/) != nil
    #expect(run.errors.contains("grain-core deliver URL") == isAddress)
  }

  @Test("a slip of the pen is repeated, so that it is found")
  func repeated() async throws {
    let folder = try TemporaryFolder()
    for (words, slip) in [
      (["frobnicate"], "“frobnicate”"), (["--stdio", "--profle"], "“--profle”"),
      (["--stdio", "--framing", "smoke"], "“smoke”"), (["--stdio", "-x"], "“-x”"),
      (["doctor", "--set-asid-store"], "“--set-asid-store”"),
    ] {
      let run = try await BuiltProgram.run(words, home: folder.path)
      #expect(run.errors.contains(slip), Comment(rawValue: run.errors))
    }
  }

  @Test("a configuration with a mistake in it is refused by the place of the mistake")
  func badConfiguration() async throws {
    let folder = try TemporaryFolder()
    let mistakes = [
      (#"{"limits":{"photo":3}}"#, "/limits/photo"), (#"{"clientID":7}"#, "/clientID"),
      ("not json", "JSON"),
    ]
    for (text, place) in mistakes {
      try Data(text.utf8).write(to: URL(filePath: folder.path("config.json")))
      let run = try await BuiltProgram.run(
        ["--stdio", "--config", folder.path("config.json")], home: folder.path)
      #expect(run.status == 64)
      #expect(run.errors.contains(place), Comment(rawValue: run.errors))
    }
  }

  @Test("--help and --version answer on standard output and end with 0")
  func help() async throws {
    let folder = try TemporaryFolder()
    for (words, text) in [
      (["--help"], "--stdio"), ([], "--stdio"), (["--stdio", "--help"], "--stdio"),
      (["--version"], "grain-core "), (["demo", "--help"], "demo"),
      (["sandbox", "--help"], "sandbox"), (["doctor", "--help"], "doctor"),
    ] {
      let run = try await BuiltProgram.run(words, home: folder.path)
      #expect(run.status == 0, "\(words)")
      #expect(run.output.contains(text), "\(words)")
      #expect(run.errors.isEmpty, "\(words)")
    }
  }

  /// A way to tell the program that it is over.
  enum Parting: String, CaseIterable, Sendable {
    case endOfInput, terminate, hangUp, shutdown
  }

  @Test(
    "however it is told to, it stops at once, also behind an upload that hangs (FB-C2, FB-C17)",
    arguments: Parting.allCases)
  func parting(_ parting: Parting) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.process()
      try await core.shell.signIn()
      let draft = try await core.shell.draft(try world.samplePhotos())
      await world.network.faults.add(.delay(.zero), on: .pds(Path.uploadBlob))
      try await core.shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("an upload")
      // Ctrl-C reaches the whole group of processes; what it means is the shell's matter.
      core.program.send(SIGINT)
      #expect(try await core.shell.read("accounts")["session"] == "signedIn")
      switch parting {
      case .endOfInput: try await core.shell.hangUp()
      case .terminate: core.program.send(SIGTERM)
      case .hangUp: core.program.send(SIGHUP)
      case .shutdown: try await core.shell.call("shutdown")
      }
      let status = try await within("the end", limit: .seconds(10)) {
        try await core.program.status()
      }
      #expect(status == 0)
      world.turnstile.open()

      let next = try await world.process()
      try await next.shell.wait("drafts", "offered") {
        $0["draft"]?[draft]?["resumable"] == true
      }
      try await next.shell.open(draft)
      #expect(try await next.shell.publish(draft, "gallery.retry").description == "succeeded")
      try await next.end()
      try await world.repository().expect(photos: 3)
    }
  }

  @Test("a shell that says shutdown and then nothing is left after two seconds")
  func shutdownOnly() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.process()
      try await core.shell.call("shutdown")
      #expect(
        try await core.shell.refusal("login.start").kind == "protocol.shuttingDown")
      #expect(try await core.program.status() == 0)
      try await core.shell.hangUp()
    }
  }

  @Test("a shell that stops listening does not keep it alive")
  func outputClosed() async throws {
    let folder = try TemporaryFolder()
    let program = try ChildProgram(
      BuiltProgram.path, ["--stdio", "--data-dir", folder.path("data")],
      environment: BuiltProgram.environment(home: folder.path))
    close(program.output)
    var bytes = Array("\(Self.hello)\n".utf8)
    #expect(write(program.input, &bytes, bytes.count) == bytes.count)
    #expect(try await program.status() == 0)
    close(program.input)
  }

  @Test("with the shell killed it goes too, although its input stays open (FB-C2)")
  func parentKilled() async throws {
    try await World.run { (world) async throws -> Void in
      let configuration = try world.file(
        "config.json", JSONValue.object(world.configuration).serialized())
      // The shell's pipe stays open in this process, which is what a leaked descriptor does.
      let parent = try ChildProgram(
        "/bin/sh",
        [
          "-c", #"exec 3<&0; "$0" "$@" <&3 & wait"#, BuiltProgram.path, "--stdio", "--data-dir",
          world.dataFolder, "--config", configuration,
        ],
        environment: BuiltProgram.environment(home: world.folder.path))
      let shell = await Shell(
        input: parent.output, output: parent.input, browser: Browser(http: world.http))
      var hello = Shell.hello()
      hello["client"] = [
        "name": "scenario", "version": "1", "processId": JSONValue(Int(parent.processID)),
      ]
      try await shell.call("initialize", hello)
      parent.send(SIGKILL)
      #expect(try await parent.status() == -SIGKILL)
      // The core's end of the pipe closes when it is gone, and only then does this return.
      try await within("the end of the core", limit: .seconds(10)) {
        await shell.client.untilEnd()
      }
      try await shell.hangUp()
    }
  }

  @Test("a second program on the folder names the first; killed, the first holds nothing (FB-E2)")
  func locked() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      try await first.shell.signIn()
      let second = try await world.silentProcess()
      let refusal = try await second.shell.refusal("initialize", Shell.hello())
      #expect(refusal.kind == "store.locked")
      #expect(
        second.shell.lastError?["data"]?["details"]?["processId"]?.intValue
          == Int(first.program.processID))
      try await first.kill()
      try await second.shell.initialize()
      try await second.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      try await second.end()
    }
  }

  @Test("--profile sandbox needs no network and no account, and finds its servers again")
  func sandboxProfile() async throws {
    let folder = try TemporaryFolder()
    let photos = try SamplePhotoFiles(in: folder).paths
    for run in 0..<2 {
      let core = try await CoreProcess.start(
        dataFolder: folder.path("data"), ["--profile", "sandbox"], http: .loopback())
      try await core.shell.initialize()
      if run == 0 {
        try await core.shell.signIn()
      } else {
        try await core.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      }
      let draft = try await core.shell.draft(photos)
      #expect(try await core.shell.publish(draft).description == "succeeded")
      try await core.end()
    }
  }
}

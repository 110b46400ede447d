import Foundation
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients
import Testing

@Suite(
  "Shells that do not do their part", .serialized, .timeLimit(.minutes(6)),
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct StubbornShellTests {
  private static func start(
    _ folder: TemporaryFolder, _ arguments: [String] = []
  ) throws -> InteractiveProgram {
    ignoreWriteSignals()
    return try InteractiveProgram(
      BuiltProgram.path,
      ["--stdio", "--profile", "test", "--data-dir", folder.path("data")] + arguments,
      environment: BuiltProgram.environment(home: folder.path))
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  private static let hello = JSONValue.object([
    "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": .object(Shell.hello()),
  ]).text()

  @Test(
    "standard error is never read: ten thousand warnings and megabytes of params later everything is answered (FB-C9, §14.10)"
  )
  func unreadErrors() async throws {
    let folder = try TemporaryFolder()
    let core = try Self.start(folder, ["--log-level", "trace"])
    let connection = ShellConnection(input: core.output, output: core.input)
    try connection.send(try JSONParser.parse(Array(Self.hello.utf8)))
    let big = JSONValue.string(String(repeating: "a", count: 250_000))
    let sender = Task.detached {
      for number in 0..<10_000 {
        // Each is refused, and the refusal is a warning in the log.
        try connection.send(["jsonrpc": "1.0", "id": JSONValue(number), "method": "x"])
      }
      for number in 10_000..<10_010 {
        try connection.send([
          "jsonrpc": "2.0", "id": JSONValue(number), "method": "login.setHandle",
          "params": ["a": big, "b": big, "c": big, "d": big],
        ])
      }
    }
    let answered = try await within("ten thousand answers", limit: .seconds(60)) {
      var answered: Set<Int> = []
      for await message in connection.messages {
        if let id = message["id"]?.intValue { answered.insert(id) }
        if answered.count == 10_010 { break }
      }
      return answered
    }
    try await sender.value
    #expect(answered == Set(0..<10_010))
    connection.closeOutput()
    #expect(await core.status() == 0)
    var room: Int32 = 0
    _ = ioctl(core.errorOutput, UInt(FIONREAD), &room)
    #expect(room > 30_000, "the pipe of the log was not full")
    close(core.errorOutput)
  }

  @Test("a shell that asks and asks and reads nothing is left with 75 (§8, §14.7)")
  func neverReads() async throws {
    let folder = try TemporaryFolder()
    let core = try Self.start(folder)
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n"
    let many = String(repeating: ping, count: 1_000)
    let status = Task { await core.status() }
    for _ in 0..<200 where Self.write(many, to: core.input) {}
    #expect(try await within("the end", limit: .seconds(60)) { await status.value } == 75)
    for end in [core.input, core.output, core.errorOutput] { close(end) }
  }

  @Test(
    "a shell that closes its reading end anywhere in a message finds a sound store the next time (§14.8)"
  )
  func closedAnywhere() async throws {
    let folder = try TemporaryFolder()
    let create = #"{"jsonrpc":"2.0","id":2,"method":"models/get","params":{"model":"drafts"}}"#
    let subscribe =
      #"{"jsonrpc":"2.0","id":3,"method":"models/subscribe","params":{"subscription":"s","model":"login"}}"#
    for cut in [0, 1, 2, 17, 33, 70, 150, 290, 430, 550] {
      let core = try Self.start(folder)
      #expect(Self.write("\(Self.hello)\n\(create)\n", to: core.input))
      var buffer = [UInt8](repeating: 0, count: max(cut, 1))
      var got = 0
      while got < cut {
        let count = read(core.output, &buffer, cut - got)
        guard count > 0 else { break }
        got += count
      }
      close(core.output)
      _ = Self.write("\(subscribe)\n", to: core.input)
      let status = try await within("the end", limit: .seconds(20)) { await core.status() }
      #expect(status == 0, "cut at \(cut)")
      close(core.input)
      close(core.errorOutput)
    }
    let next = try await CoreProcess.start(
      dataFolder: folder.path("data"), ["--profile", "test"], http: .loopback())
    try await next.shell.initialize()
    try await next.shell.signIn()
    try await next.end()
  }

  @Test("end of input, exit and SIGTERM at once, right after the start: always 0 (FB-C14)")
  func races() async throws {
    let folder = try TemporaryFolder()
    // Two hundred of each where the tests have the machine to themselves (GRAIN_ALONE).
    let isAlone = ProcessInfo.processInfo.environment["GRAIN_ALONE"] == "1"
    for round in 0..<(isAlone ? 800 : 20) {
      let core = try Self.start(folder)
      if round % 4 > 0 { _ = Self.write("\(Self.hello)\n", to: core.input) }
      if round % 4 > 1 {
        var first: UInt8 = 0
        // The first byte of the answer: the core is up, with its handlers.
        #expect(read(core.output, &first, 1) == 1)
        _ = Self.write(#"{"jsonrpc":"2.0","method":"exit"}"# + "\n", to: core.input)
        if round % 4 > 2 { core.send(SIGTERM) }
      }
      close(core.input)
      let status = try await within("the end", limit: .seconds(20)) { await core.status() }
      #expect(status == 0, "round \(round)")
      close(core.output)
      close(core.errorOutput)
    }
  }

  @Test("a second SIGTERM may end it at once; the store is sound all the same (FB-C17)")
  func secondSignal() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.process()
      let did = try await core.shell.signIn()
      let draft = try await core.shell.draft(try world.samplePhotos())
      await world.network.faults.add(.delay(.zero), on: .pds(Path.uploadBlob))
      try await core.shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("an upload")
      core.program.send(SIGTERM)
      core.program.send(SIGTERM)
      let status = try await core.program.status()
      #expect(status == 0 || status == 128 + SIGTERM)
      try await core.shell.hangUp()
      world.turnstile.open()
      let next = try await world.process()
      let accounts = try await next.shell.wait("accounts", "restored") {
        $0["session"] == "signedIn"
      }
      #expect(accounts["active"]?.stringValue == did)
      try await next.shell.open(draft)
      try await next.end()
    }
  }

  @Test(
    "whatever is wrong with its folder or file, nothing but messages is on standard output (FB-C1)")
  func cleanOutput() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path("file")
    try Data("not json".utf8).write(to: URL(filePath: file))
    for arguments in [
      ["--data-dir", folder.path("missing/data")], ["--data-dir", file],
      ["--data-dir", "/proc/none"], ["--config", file, "--data-dir", folder.path("data")],
      ["--profile", "test"],
    ] {
      let run = try await BuiltProgram.run(
        ["--stdio", "--log-level", "trace"] + arguments, input: "\(Self.hello)\nnonsense\n",
        home: folder.path)
      for line in run.output.split(separator: "\n") {
        let message = try JSONParser.parse(Array(line.utf8))
        #expect(message["jsonrpc"] == "2.0")
      }
      #expect(run.status == (arguments.first == "--config" ? 64 : 0))
    }
  }
}

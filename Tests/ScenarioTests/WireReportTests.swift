import Foundation
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients
import Testing

/// What others met on standard input and output, tried on the program as it is started.
@Suite(
  "Field reports about the pipe, as a whole", .serialized, .timeLimit(.minutes(4)),
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct WireReportTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    ignoreWriteSignals()
  }

  private func start(_ arguments: [String] = []) throws -> InteractiveProgram {
    let core = try InteractiveProgram(
      BuiltProgram.path, ["--stdio", "--profile", "test"] + arguments,
      environment: BuiltProgram.environment(home: folder.path))
    Thread.detachNewThread {
      // Somebody reads the log.
      _ = FileHandle(fileDescriptor: core.errorOutput, closeOnDealloc: true).readDataToEndOfFile()
    }
    return core
  }

  private static func message(_ id: Int, _ method: String, _ params: JSONObject = [:]) -> String {
    JSONValue.object([
      "jsonrpc": "2.0", "id": JSONValue(id), "method": .string(method), "params": .object(params),
    ]).text()
  }

  private static let hello = message(1, "initialize", Shell.hello())

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      try #require(count > 0)
      rest = rest.dropFirst(count)
    }
  }

  /// The lines a core writes, as bytes, until `isLast`.
  private static func lines(
    _ core: InteractiveProgram, until isLast: @escaping @Sendable (JSONValue) -> Bool
  ) async throws -> [[UInt8]] {
    try await within("the last line", limit: .seconds(60)) {
      let reading = Task.detached {
        var lines: [[UInt8]] = []
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
          let count = read(core.output, &buffer, buffer.count)
          guard count > 0 else { return lines }
          pending += buffer[..<count]
          while let end = pending.firstIndex(of: 0x0A) {
            lines.append(Array(pending[..<end]))
            pending = Array(pending[(end + 1)...])
            if isLast(try JSONParser.parse(lines.last ?? [], limits: .document)) { return lines }
          }
        }
      }
      return try await reading.value
    }
  }

  private static func memory(_ core: InteractiveProgram) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(core.processID)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(
      line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
  }

  private func end(_ core: InteractiveProgram) async throws {
    close(core.input)
    let status = try await within("the end", limit: .seconds(20)) { await core.status() }
    #expect(status == 0)
    close(core.output)
  }

  @Test("the end of input costs no time and no work, also while a browser is waited for (FB-C2)")
  func endOfInput() async throws {
    let login = Self.message(2, "login.start")
    let submit = Self.message(3, "login.submitHandle", ["handle": "alice.test"])
    for (input, pause) in [("", "0"), ("\(Self.hello)\n\(login)\n\(submit)\n", "1")] {
      // The time is that of everything the shell of this line has started.
      let result = try await ProgramRunner.live.run(
        ProgramInvocation(
          executable: "/bin/bash",
          arguments: [
            "-c", #"(cat; sleep \#(pause)) | "$0" "$@" >/dev/null 2>&1; echo $?; times"#,
            BuiltProgram.path, "--stdio", "--profile", "test",
          ],
          environment: BuiltProgram.environment(home: folder.path), input: Array(input.utf8),
          timeLimit: .seconds(30)))
      let words = String(decoding: result.output, as: UTF8.self).split(
        whereSeparator: \.isWhitespace)
      #expect(words.first == "0")
      let seconds = words.suffix(2).compactMap { word in
        word.split(separator: "m").last.flatMap { Double($0.dropLast()) }
      }
      #expect(seconds.count == 2 && seconds.reduce(0, +) < 5, "\(words)")
    }
  }

  @Test(
    "ten thousand empty lines are nothing, in memory either; the next request is served (FB-C6)")
  func emptyLines() async throws {
    let core = try start()
    try Self.write(
      Array(
        "\(Self.hello)\n\n\r\n   \n\(Self.message(2, "models/get", ["model": "login"]))\n".utf8),
      to: core.input)
    _ = try await Self.lines(core) { $0["id"] == 2 }
    let before = try Self.memory(core)
    for _ in 0..<10 {
      try Self.write(Array(String(repeating: "\n\r\n   \n", count: 10_000).utf8), to: core.input)
    }
    try Self.write(
      Array("\(Self.message(3, "models/get", ["model": "login"]))\n".utf8), to: core.input)
    let lines = try await Self.lines(core) { $0["id"] == 3 }
    #expect(lines.count == 1)
    #expect(try Self.memory(core) - before < 8 << 10, "in KiB")
    try await end(core)
  }

  @Test(
    "a byte order mark and carriage returns are as if absent; what comes back has neither (FB-C7)")
  func lineEnds() async throws {
    let core = try start()
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    try Self.write(mark + Array("\(Self.hello)\r\n".utf8), to: core.input)
    _ = try await Self.lines(core) { $0["id"] == 1 }
    try Self.write(
      Array("\(Self.message(2, "ping"))\n\(Self.message(3, "ping"))\r\n".utf8), to: core.input)
    // A carriage return and its line feed in two writes, the first of which has been read.
    try Self.write(Array("\(Self.message(4, "ping"))\r".utf8), to: core.input)
    _ = try await Self.lines(core) { $0["id"] == 3 }
    try Self.write(
      Array("\n\(Self.message(5, "models/get", ["model": "login"]))\r\n".utf8), to: core.input)
    let lines = try await Self.lines(core) { $0["id"] == 5 }
    #expect(try lines.map { try JSONParser.parse($0, limits: .document)["id"] } == [4, 5])
    #expect(lines.allSatisfy { !$0.contains(0x0D) && !$0.starts(with: mark) })
    try await end(core)
  }

  @Test("each kind of id comes back as it was, or is refused; without one nothing comes (FB-C11)")
  func ids() async throws {
    let core = try start()
    let ids = ["0", "-1", "1", #""1""#, #""""#, #""äö""#, "null"]
    for id in ids {
      try Self.write(
        Array("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"ping\"}\n".utf8), to: core.input)
    }
    try Self.write(Array("{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n".utf8), to: core.input)
    try Self.write(Array("\(Self.message(99, "ping"))\n".utf8), to: core.input)
    let answers = try await Self.lines(core) { $0["id"] == 99 }.map {
      try JSONParser.parse($0, limits: .document)
    }
    #expect(answers.count == ids.count + 1)
    for (id, answer) in zip(ids, answers) {
      if id == "-1" || id == "null" {
        #expect(answer["id"] == .null)
        #expect(answer["error"]?["data"]?["kind"] == "rpc.badId")
      } else {
        #expect(answer["id"]?.text() == id)
        #expect(answer["result"] != nil)
      }
    }
    try await end(core)
  }

  /// What may stand at the other end of standard input.
  enum Source: String, CaseIterable, Sendable { case pipe, file, null, socket, terminal }

  @Test(
    "pipe, file, /dev/null, socket and terminal are read alike, to their ends (FB-F6)",
    arguments: Source.allCases)
  func sources(_ source: Source) async throws {
    let questions = (2..<200).map { Self.message($0, "models/get", ["model": "login"]) }
    let input = Array(([Self.hello] + questions).map { "\($0)\n" }.joined().utf8)
    let path = folder.path("questions")
    try Data(source == .null ? [] : input).write(to: URL(filePath: path))
    // Python's standard library can make each of them; in small writes, the end right behind the last.
    let script = """
      import os, pty, socket, subprocess, sys, termios, threading
      kind, path, *command = sys.argv[1:]
      data = open(path, "rb").read()
      near = far = None
      if kind == "file": near = os.open(path, os.O_RDONLY)
      elif kind == "null": near = os.open(os.devnull, os.O_RDONLY)
      elif kind == "pipe": near, far = os.pipe()
      elif kind == "socket":
          one, two = socket.socketpair()
          near, far = one.detach(), two.detach()
      else:
          far, near = pty.openpty()
          modes = termios.tcgetattr(near)
          modes[3] &= ~(termios.ECHO | termios.ICANON)
          termios.tcsetattr(near, termios.TCSANOW, modes)
      core = subprocess.Popen(command, stdin=near, stdout=subprocess.PIPE)
      os.close(near)
      def feed():
          for start in range(0, len(data), 97): os.write(far, data[start:start + 97])
          if kind == "terminal": answered.wait(30)
          os.close(far)
      answered = threading.Event()
      if far is not None: threading.Thread(target=feed).start()
      count = 0
      for line in core.stdout:
          count += 1
          if count == 199: answered.set()
      print(count, core.wait())
      """
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: "/usr/bin/env",
        arguments: [
          "python3", "-c", script, source.rawValue, path, BuiltProgram.path, "--stdio", "--profile",
          "test",
        ],
        environment: BuiltProgram.environment(home: folder.path), timeLimit: .seconds(60)))
    #expect(
      String(decoding: result.output, as: UTF8.self) == (source == .null ? "0 0\n" : "199 0\n"),
      "\(String(decoding: result.errorOutput, as: UTF8.self))")
  }

  @Test(
    "SIGTERM and SIGHUP end it in order, idle or in the middle of a refresh; SIGINT never (FB-C17)",
    arguments: [SIGTERM, SIGHUP], [false, true])
  func signals(signal: Int32, whileRefreshing: Bool) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.process()
      try await world.expireUnannounced()
      let did = try await core.shell.signIn()
      let draft = try await core.shell.draft(try world.samplePhotos())
      try world.authorizationFaults.clear()
      if whileRefreshing {
        world.network.clockOffset = 61
        await world.network.faults.add(
          .delay(.zero), on: .init(method: "POST", pathPrefix: Path.token))
        try await core.shell.call("gallery.publish", ["draft": .string(draft)])
        try await world.arrival("a refresh")
      }
      core.program.send(SIGINT)
      #expect(try await core.shell.read("accounts")["active"]?.stringValue == did)
      core.program.send(signal)
      world.turnstile.open()
      #expect(try await core.program.status() == 0)
      try await core.shell.hangUp()
      // The store is sound, and a refresh that was sent has been heard out (G112).
      let next = try await world.process()
      let accounts = try await next.shell.wait("accounts", "restored") {
        $0["session"] == "signedIn"
      }
      #expect(accounts["account"]?[did]?["standing"] == "ok")
      try await next.end()
    }
  }
}

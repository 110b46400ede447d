import Foundation
import GrainTestSupport
import ShellClient
import StrictJSON
import SystemClients
import Testing

@Suite(
  "What the program says when it ends badly (bridge-protocol §§3.3, 11)", .serialized,
  .timeLimit(.minutes(3)),
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct LastWordsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Runs the program with its standard output at some place.
  private func run(
    _ arguments: [String], input: String, output: String, environment: [String: String] = [:]
  ) async throws -> (status: Int32, log: [JSONValue]) {
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: "/bin/sh",
        arguments: ["-c", #"exec "$0" "$@" > "\#(output)""#, BuiltProgram.path] + arguments,
        environment: BuiltProgram.environment(home: folder.path).merging(environment) { $1 },
        input: Array(input.utf8), timeLimit: .seconds(60)))
    let log = try result.errorOutput.split(separator: 0x0A).map { try JSONParser.parse(Array($0)) }
    return (result.status, log)
  }

  private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n"

  @Test(
    "a crash of any kind writes one fault line with its incident and ends with 70",
    arguments: [SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE])
  func crash(signal: Int32) async throws {
    let core = try await CoreProcess.start(
      dataFolder: folder.path("data"), ["--profile", "test"], http: .loopback())
    try await core.shell.initialize()
    let before = Date()
    core.program.send(signal)
    #expect(try await core.program.status() == 70)
    try await core.shell.hangUp()
    let lines = try core.program.errors.split(separator: 0x0A).map {
      try JSONParser.parse(Array($0))
    }
    let faults = lines.filter { $0["level"] == "fault" }
    let fault = try #require(faults.first)
    #expect(faults.count == 1)
    #expect(try SchemaCheck.faults(of: fault, by: "v1/protocol/log.json") == [])
    let incident = fault["fields"]?["incident"]?.stringValue
    #expect(incident?.wholeMatch(of: /i-[0-9a-f]{8}/) != nil)
    #expect(fault["fields"]?["signal"]?.stringValue?.hasPrefix("SIG") == true)
    // The handler reckons the calendar by itself.
    let stamp = try #require(fault["ts"]?.stringValue)
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    #expect(abs(try style.parse(stamp).timeIntervalSince(before)) < 30)
  }

  @Test(
    "a crash on any thread but the main one is told as well, and ends with 70",
    arguments: [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE])
  func crashElsewhere(signal: Int32) async throws {
    let core = try await CoreProcess.start(
      dataFolder: folder.path("data"), ["--profile", "test"], http: .loopback())
    try await core.shell.initialize()
    let process = core.program.processID
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
      .compactMap { pid_t($0) }.filter { $0 != process }.sorted()
    // The pool's, the reader's, the writer's, …: a new process for each signal, a thread further each time.
    let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE]
    let place = try #require(crashes.firstIndex(of: signal)) * threads.count / crashes.count
    #expect(try Self.send(signal, to: threads[place], of: process) == 0)
    #expect(try await core.program.status() == 70)
    try await core.shell.hangUp()
    let faults = try core.program.errors.split(separator: 0x0A).map {
      try JSONParser.parse(Array($0))
    }.filter { $0["level"] == "fault" }
    #expect(faults.count == 1)
    #expect(faults.first?["fields"]?["incident"] != nil)
  }

  /// tgkill(2), which glibc shows only under _GNU_SOURCE.
  private static func send(_ signal: Int32, to thread: pid_t, of process: pid_t) throws -> Int32 {
    let symbol = try #require(dlsym(nil, "tgkill"))
    typealias Call = @convention(c) (pid_t, pid_t, Int32) -> Int32
    return unsafeBitCast(symbol, to: Call.self)(process, thread, signal)
  }

  @Test("a crash ends the program although nobody reads its log")
  func crashUnread() async throws {
    ignoreWriteSignals()
    let core = try InteractiveProgram(
      BuiltProgram.path, ["--stdio", "--profile", "test", "--log-level", "trace"],
      environment: BuiltProgram.environment(home: folder.path))
    var bytes = Array(String(repeating: "nonsense\n", count: 2_000).utf8) + Array(Self.ping.utf8)
    let sent = bytes.count
    #expect(write(core.input, &bytes, sent) == sent)
    // Two thousand warnings fill the pipe of the log; two thousand refusals and an answer come back.
    let answers = Task.detached {
      let handle = FileHandle(fileDescriptor: core.output)
      var lines = 0
      while lines < 2_001 {
        let chunk = handle.availableData
        if chunk.isEmpty { break }
        lines += chunk.count { $0 == 0x0A }
      }
      return lines
    }
    #expect(await answers.value == 2_001)
    core.send(SIGSEGV)
    #expect(try await within("the end", limit: .seconds(10)) { await core.status() } == 70)
    for end in [core.input, core.output, core.errorOutput] { close(end) }
  }

  @Test("an output with no room for an answer is a fault: 70, with an incident in the log")
  func outputFull() async throws {
    let run = try await run(
      ["--stdio", "--profile", "test"], input: Self.ping, output: "/dev/full")
    #expect(run.status == 70)
    let fault = try #require(run.log.last)
    #expect(fault["level"] == "fault")
    #expect(fault["fields"]?["incident"]?.stringValue?.hasPrefix("i-") == true)
    #expect(fault["fields"]?["errno"] != nil)
  }

  @Test("a lost framing says where it was lost before it ends with 65")
  func framingLost() async throws {
    let run = try await run(
      ["--stdio", "--profile", "test", "--framing", "headers"], input: "Length: 3\r\n\r\n{}",
      output: "/dev/null")
    #expect(run.status == 65)
    #expect(run.log.last?["msg"] == "framing lost")
    #expect(run.log.last?["fields"]?["where"] == "unknownHeader")
  }

  @Test("GRAIN_LOG sets the level; a word that is none ends it with 64, unless an option counts")
  func inheritedLevel() async throws {
    func status(_ level: String, _ options: [String] = []) async throws -> Int32 {
      let result = try await ProgramRunner.live.run(
        ProgramInvocation(
          executable: BuiltProgram.path, arguments: ["--stdio", "--profile", "test"] + options,
          environment: BuiltProgram.environment(home: folder.path).merging(
            ["GRAIN_LOG": level]) { $1 },
          input: Array("nonsense\n".utf8), timeLimit: .seconds(60)))
      let words = String(decoding: result.errorOutput, as: UTF8.self)
      switch result.status {
      case 64: #expect(words.contains("GRAIN_LOG") && words.contains("trace"))
      default: #expect(words.isEmpty == (level == "fault"), "\(words)")
      }
      return result.status
    }
    #expect(try await status("fault") == 0)
    #expect(try await status("") == 0)
    #expect(try await status("verbose") == 64)
    #expect(try await status("verbose", ["--log-level", "warn"]) == 0)
  }
}

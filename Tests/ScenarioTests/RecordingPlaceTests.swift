import Foundation
import GrainTestSupport
import ShellClient
import StrictJSON
import SystemClients
import Testing

@Suite(
  "Recordings that nobody reads", .serialized, .timeLimit(.minutes(3)),
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct RecordingPlaceTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start(_ arguments: [String]) async throws -> CoreProcess {
    try await .start(
      dataFolder: folder.path("data"), ["--profile", "test"] + arguments, http: .loopback())
  }

  private func log(_ core: CoreProcess) throws -> [JSONValue] {
    try core.program.errors.split(separator: 0x0A).map { try JSONParser.parse(Array($0)) }
  }

  @Test("a pipe that nobody empties holds nothing up; log and recording say what is missing (§13)")
  func undrained() async throws {
    let path = folder.path("record")
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let core = try await start(["--record", path])
    try await core.shell.call("initialize", Shell.hello())
    let padding = JSONValue.string(String(repeating: "a", count: 250_000))
    // More than the pipe and the backlog hold; each is refused, and answered.
    for _ in 0..<60 { _ = try await core.shell.refusal("ping", ["padding": padding]) }
    #expect(fcntl(reader, F_SETFL, 0) == 0)
    let reading = Task.detached {
      FileHandle(fileDescriptor: reader, closeOnDealloc: true).readDataToEndOfFile()
    }
    try await core.end()
    let steps = try await reading.value.split(separator: 0x0A).map {
      try JSONParser.parse(Array($0), limits: .document)
    }
    #expect(steps.first?["transcript"] == 1)
    let notes = steps.compactMap { $0["note"]?.stringValue }
    #expect(notes.contains { $0.hasSuffix("messages are missing here") })
    let said = try log(core)
    #expect(said.contains { $0["msg"] == "messages are left out of the recording" })
    #expect(said.contains { $0["fields"]?["count"] != nil && $0["target"] == "record" })
  }

  @Test("nobody reading at all: the core works, ends with 0, and says so")
  func unread() async throws {
    let path = folder.path("record")
    #expect(mkfifo(path, 0o600) == 0)
    let core = try await start(["--record", path])
    try await core.shell.initialize()
    try await core.end()
    #expect(try log(core).contains { $0["target"] == "record" && $0["level"] == "warn" })
  }

  @Test("a full disk costs the recording messages, never the session; both say so")
  func fullDisk() async throws {
    let path = folder.path("record")
    let core = try await start(["--record", path])
    try await core.shell.call("initialize", Shell.hello())
    try await core.shell.call("$/test/fault", ["fault": "store.full"])
    for _ in 0..<5 { try await core.shell.call("models/get", ["model": "login"]) }
    try await core.shell.call("$/test/fault", ["fault": "store.full", "on": false])
    try await core.shell.call("models/get", ["model": "accounts"])
    try await core.end()
    let steps = try Data(contentsOf: URL(filePath: path)).split(separator: 0x0A).map {
      try JSONParser.parse(Array($0), limits: .document)
    }
    let notes = steps.compactMap { $0["note"]?.stringValue }
    #expect(notes.count == 1, "\(notes)")
    #expect(steps.last?["send"]?["method"] == "exit", "the recording goes on")
    let said = try log(core)
    #expect(
      said.contains {
        $0["msg"] == "messages are left out of the recording"
          && $0["fields"]?["why"]?.stringValue?.isEmpty == false
      })
  }

  @Test("GRAIN_CORE_RECORD records like --record; one that cannot be written ends it with 64 (§13)")
  func environment() async throws {
    func run(_ path: String) async throws -> ProgramResult {
      var environment = BuiltProgram.environment(home: folder.path)
      environment["GRAIN_CORE_RECORD"] = path
      return try await ProgramRunner.live.run(
        ProgramInvocation(
          executable: BuiltProgram.path, arguments: ["--stdio", "--profile", "test"],
          environment: environment,
          input: Array(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.utf8), timeLimit: .seconds(60)))
    }
    #expect(try await run(folder.path("recorded")).status == 0)
    let text = try String(contentsOfFile: folder.path("recorded"), encoding: .utf8)
    #expect(text.split(separator: "\n").count == 3, "a header, a request, its answer")
    let refused = try await run("/nonexistent/recorded")
    #expect(refused.status == 64)
    #expect(String(decoding: refused.errorOutput, as: UTF8.self).contains("GRAIN_CORE_RECORD"))
  }
}

import Foundation
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients
import Testing
import Transcripts

@Suite(
  "Transcripts", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct TranscriptTests {
  private static let folder = SharedData.repositoryRoot.appending(path: "Schemas/v1/transcripts")

  /// The names of the checked-in scripts.
  static let names: [String] = {
    // No folder, no cases: the count below fails then.
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".ndjson") }.sorted()
  }()

  private static func run(
    _ path: String, recordings: String? = nil
  ) async throws -> TranscriptOutcome {
    let bytes = try Data(contentsOf: URL(filePath: path))
    var options = TranscriptRunner.Options(
      core: BuiltProgram.path, environment: BuiltProgram.environment(home: "/nonexistent"))
    options.patience = 10
    options.recordings = recordings
    return await TranscriptRunner(try Transcript(Array(bytes), path: path), options).run()
  }

  private static func expectPass(_ outcome: TranscriptOutcome) {
    if case .failed(let report) = outcome { Issue.record(Comment(rawValue: report)) }
  }

  /// The scripts speak of times that a machine busy with other tests does not keep.
  private static let isAlone = ProcessInfo.processInfo.environment["GRAIN_ALONE"] == "1"

  @Test(
    "every transcript passes, and no recording of it holds a secret (§14)",
    .enabled(if: isAlone, "needs a quiet machine: set GRAIN_ALONE=1 and filter for it"),
    arguments: names)
  func conformance(name: String) async throws {
    let folder = try TemporaryFolder()
    Self.expectPass(
      try await Self.run(
        Self.folder.appending(path: name).path, recordings: folder.path))
    var haystack = Haystack()
    try haystack.add(folder: folder.path)
    haystack.expectNone(of: [Haystack.Secret("a minted secret", Canary.marker)])
  }

  @Test("there are transcripts for the whole of the protocol")
  func count() {
    #expect(Self.names.count >= 34)
  }

  @Test("a session recorded with --record runs as it is")
  func recorded() async throws {
    let folder = try TemporaryFolder()
    let recording = folder.path("session.ndjson")
    let core = try await CoreProcess.start(
      dataFolder: folder.path("data"), ["--profile", "test", "--record", recording],
      http: .loopback())
    try await core.shell.initialize()
    let did = try await core.shell.signIn()
    let draft = try await core.shell.draft(try SamplePhotoFiles(in: folder).paths)
    #expect(try await core.shell.publish(draft).description == "succeeded")
    #expect(
      try await core.shell.refusal("login.highlight", ["move": "next"]).kind
        == "intent.notAvailable")
    try await core.shell.signOut(did)
    try await core.end()
    let before = try Data(contentsOf: URL(filePath: recording))
    Self.expectPass(try await Self.run(recording))

    // It is held against what it says: another verdict would not pass.
    let changed = String(decoding: before, as: UTF8.self)
      .replacing(#""kind":"intent.notAvailable""#, with: #""kind":"intent.busy""#)
    let other = folder.path("other.ndjson")
    try Data(changed.utf8).write(to: URL(filePath: other))
    guard case .failed = try await Self.run(other) else {
      Issue.record("another verdict passed")
      return
    }
  }

  @Test("a failure names the line, what was meant and what came, and shows no secret")
  func report() async throws {
    let folder = try TemporaryFolder()
    let script = folder.path("wrong.ndjson")
    var lines = try String(
      contentsOf: Self.folder.appending(path: "sign-in.ndjson"), encoding: .utf8
    ).split(separator: "\n").map(String.init).filter { !$0.hasPrefix(#"{"golden""#) }
    let line = try #require(lines.firstIndex { $0.contains("operations/ended") })
    lines[line] = lines[line].replacing("succeeded", with: "cancelled")
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: script))
    guard case .failed(let report) = try await Self.run(script) else {
      Issue.record("it passed")
      return
    }
    #expect(report.hasPrefix("\(script):\(line + 1): another message came"))
    #expect(report.contains(#"/params/outcome: expected "cancelled", came "succeeded""#))
    #expect(report.contains("The last messages:"))
    #expect(report.contains("$secret:callbackUrl"))
    #expect(!report.contains("code=") && !report.contains(Canary.marker))
  }

  @Test("the core's faults reach the report: it does not start, it ends, it says nothing")
  func gone() async throws {
    let folder = try TemporaryFolder()
    let script = folder.path("a.ndjson")
    for (steps, words) in [
      (#"{"expect":{"id":1},"within":20}"#, "nothing like it came"),
      (#"{"end":{"by":"eof","exitCode":3}}"#, "ended with 0, not with 3"),
      (#"{"send":{"id":1,"method":"$secret:callbackUrl"}}"#, "no sign-in page"),
      (#"{"send":{"id":1,"method":"$var:a"}}"#, "nothing is called a"),
    ] {
      try Data(#"{"transcript":1,"core":{"args":["--profile=test"]}}"#.appending("\n\(steps)").utf8)
        .write(to: URL(filePath: script))
      guard case .failed(let report) = try await Self.run(script) else {
        Issue.record("\(steps) passed")
        continue
      }
      #expect(report.contains(words), Comment(rawValue: report))
    }
  }
}

@Suite(
  "grain-script as a program", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct ScriptProgramTests {
  private static let path = URL(filePath: BuiltProgram.path).deletingLastPathComponent()
    .appending(path: "grain-script").path

  private static func run(_ arguments: [String]) async throws -> (Int32, String, String) {
    let folder = try TemporaryFolder()
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: path, arguments: arguments,
        environment: BuiltProgram.environment(home: folder.path), timeLimit: .seconds(60)))
    return (
      result.status, String(decoding: result.output, as: UTF8.self),
      String(decoding: result.errorOutput, as: UTF8.self)
    )
  }

  private static let clock = SharedData.repositoryRoot
    .appending(path: "Schemas/v1/transcripts/clock.ndjson").path

  @Test(
    "wrong usage ends it with 64 and says what to type",
    arguments: [
      ["walk"], ["run"], ["run", "--core"], ["run", "a", "--bogus"], ["run", "a", "--via", "ui"],
      ["run", "a", "--via=magic"], ["run", "a", "--patience", "0"],
    ])
  func usage(arguments: [String]) async throws {
    let (status, output, errors) = try await Self.run(arguments)
    #expect(status == 64)
    #expect(output.isEmpty)
    #expect(errors.hasPrefix("grain-script: "))
    if arguments.contains("ui") { #expect(errors.contains("window")) }
  }

  @Test(
    "a core that does not end within the time of `end` is killed, whatever it was told",
    arguments: ["shutdown", "exit", "eof", "TERM", "itself"])
  func stubbornCore(by: String) async throws {
    let folder = try TemporaryFolder()
    // Ends at nothing, and reads nothing.
    let core = try await folder.makeProgram(
      "core", "#!/bin/sh\ntrap '' TERM HUP\nwhile :; do sleep 1; done\n")
    let script = folder.path("a.ndjson")
    let steps = #"{"end":{"by":"\#(by)","exitCode":0},"within":300}"#
    try Data(#"{"transcript":1,"core":{"args":[]}}"#.appending("\n\(steps)\n").utf8)
      .write(to: URL(filePath: script))
    let clock = ContinuousClock()
    var begin = clock.now
    var (status, output, _) = try await Self.run(["run", "--core", core, script])
    // On a busy machine the word may come before the shell has made itself deaf to it.
    for _ in 0..<5 where output.contains("ended with -15") {
      begin = clock.now
      (status, output, _) = try await Self.run(["run", "--core", core, script])
    }
    #expect(status == 1)
    #expect(output.contains("the core did not end"), "\(output)")
    #expect(begin.duration(to: clock.now) < .seconds(8))
  }

  @Test("with --subset a golden file names what there has to be at least, for a newer core's sake")
  func subset() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("golden"), withIntermediateDirectories: true)
    let script = folder.path("a.ndjson")
    let steps = #"""
      {"transcript":1,"core":{"args":["--profile=test"]}}
      {"send":{"id":1,"method":"initialize","params":{"$use":"initialize.default"}}}
      {"expect":{"id":1},"within":5000}
      {"send":{"id":2,"method":"models/subscribe","params":{"subscription":"s","model":"login"}}}
      {"golden":{"model":"login","file":"a.json"}}
      """#
    try Data(steps.utf8).write(to: URL(filePath: script))
    for (golden, options, passes) in [
      (#"{"phase":"signedOut"}"#, ["--subset"], true), (#"{"phase":"signedOut"}"#, [], false),
      (#"{"phase":"signedIn"}"#, ["--subset"], false),
    ] {
      try Data(golden.utf8).write(to: URL(filePath: folder.path("golden/a.json")))
      let (status, output, _) = try await Self.run(["run", "--patience", "5"] + options + [script])
      #expect((status == 0) == passes, "\(output)")
    }
  }

  @Test("--help and --version answer on standard output")
  func help() async throws {
    for (word, text) in [("--help", "--update"), ("--version", "grain-script ")] {
      let (status, output, errors) = try await Self.run([word])
      #expect(status == 0 && output.contains(text) && errors.isEmpty)
    }
  }

  @Test("0 when all pass, 1 when one does not; steps for windows are named and skipped")
  func outcomes() async throws {
    let folder = try TemporaryFolder()
    let bad = folder.path("bad.ndjson")
    try Data(
      #"{"transcript":1,"core":{"args":["--profile=test"]}}"#.appending(
        "\n{\"shot\":\"a\"}\n{\"send\":{\"id\":1,\"method\":\"ping\"}}\n{\"expect\":{\"id\":2},\"within\":500}"
      ).utf8
    ).write(to: URL(filePath: bad))
    let windows = folder.path("windows.ndjson")
    try Data(
      #"{"transcript":1,"core":{"args":["--profile=test"]}}"#.appending("\n{\"shot\":\"a\"}").utf8
    ).write(to: URL(filePath: windows))
    var (status, output, _) = try await Self.run(["run", "--patience=10", Self.clock, windows])
    #expect(status == 0, Comment(rawValue: output))
    #expect(output.contains("waits for the first window"))
    (status, output, _) = try await Self.run(["run", bad, windows, folder.path("missing.ndjson")])
    #expect(status == 1)
    #expect(output.contains("\(bad):4: "))
    #expect(output.contains("3 transcripts, 2 failed"))
  }

  @Test("--update writes the golden file a script names, and the next run is held against it")
  func update() async throws {
    let folder = try TemporaryFolder()
    let script = folder.path("a.ndjson")
    let steps = [
      #"{"transcript":1,"core":{"args":["--profile=test"]}}"#,
      #"{"send":{"id":1,"method":"initialize","params":{"$use":"initialize.default"}}}"#,
      #"{"expect":{"id":1,"result":{}},"within":5000}"#,
      #"{"send":{"id":2,"method":"models/subscribe","params":{"subscription":"s","model":"login"}}}"#,
      #"{"wait":{"model":"login","where":{"phase":"signedOut"}}}"#,
      #"{"golden":{"model":"login","file":"a.json"},"within":100}"#,
    ]
    try Data(steps.joined(separator: "\n").utf8).write(to: URL(filePath: script))
    let arguments = ["run", "--patience=10", script]
    #expect(try await Self.run(arguments).0 == 1)
    #expect(try await Self.run(arguments + ["--update"]).0 == 0)
    #expect(try await Self.run(arguments).0 == 0)
    let golden = URL(filePath: folder.path("golden/a.json"))
    let text = try String(contentsOf: golden, encoding: .utf8)
    try Data(text.replacing("signedOut", with: "signedIn").utf8).write(to: golden)
    let (status, output, _) = try await Self.run(arguments)
    #expect(status == 1)
    #expect(output.contains(#"- /phase: "signedIn""#) && output.contains(#"+ /phase: "signedOut""#))
  }
}

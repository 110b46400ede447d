import Foundation
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients
import Testing

@Suite(
  "--profile test", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct TestProfileTests {
  @Test(
    "its methods and digests exist in no other profile", arguments: [[], ["--profile", "sandbox"]])
  func elsewhere(arguments: [String]) async throws {
    try await World.run { (world) async throws -> Void in
      let core =
        arguments.isEmpty
        ? try await world.process()
        : try await CoreProcess.start(
          dataFolder: world.dataFolder, arguments, http: .loopback())
      if !arguments.isEmpty { try await core.shell.initialize() }
      for (method, params) in [
        ("$/test/advance", ["ms": 1] as JSONObject), ("$/test/fault", ["fault": "network.offline"]),
      ] {
        #expect(try await core.shell.refusal(method, params).kind == "rpc.unknownMethod")
      }
      try await core.shell.wait("login", "there") { $0["phase"] == "signedOut" }
      try await core.end()
      for message in core.shell.traffic.values where message.json["method"] == "models/snapshot" {
        #expect(message.json["params"]?["digest"] == nil)
      }
    }
  }

  /// What a core with a seed calls things, and what it says.
  private static func story(_ seed: String) async throws -> [String] {
    let folder = try TemporaryFolder()
    let core = try await CoreProcess.start(
      dataFolder: folder.path("data"), ["--profile", "test", "--seed", seed], http: .loopback())
    try await core.shell.initialize()
    let did = try await core.shell.signIn()
    let draft = try await core.shell.draft(try SamplePhotoFiles(in: folder).paths)
    #expect(try await core.shell.publish(draft).description == "succeeded")
    let state = try await core.shell.wait(draft, "published") { $0["phase"] == "published" }
    try await core.end()
    let session = core.shell.traffic.values.lazy.compactMap {
      $0.json["result"]?["session"]?.stringValue
    }.first
    return [did, draft, session ?? "", state["publishedUri"]?.stringValue ?? ""]
      + (state["photoOrder"]?.arrayValue?.compactMap(\.stringValue) ?? [])
  }

  @Test("two runs with a seed call everything the same, down to the gallery's address")
  func deterministic() async throws {
    let first = try await Self.story("7")
    #expect(try await Self.story("7") == first)
    let other = try await Self.story("8")
    #expect(zip(first, other).allSatisfy { $0 != $1 })
    #expect(first.count == 7)
  }

  @Test("without --data-dir nothing is left behind")
  func inMemory() async throws {
    let folder = try TemporaryFolder()
    let before = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    let hello = JSONValue.object([
      "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": .object(Shell.hello()),
    ]).text()
    let run = try await BuiltProgram.run(
      ["--stdio", "--profile", "test", "--log-level", "trace"], input: "\(hello)\n",
      home: folder.path)
    #expect(run.status == 0)
    #expect(run.output.contains(#""session":"s-"#))
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)) == before)
  }

  @Test("the time it is told goes on after a restart on the same data")
  func timeGoesOn() async throws {
    let folder = try TemporaryFolder()
    let hello = JSONValue.object([
      "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": .object(Shell.hello()),
    ]).text()
    let advance = #"{"jsonrpc":"2.0","id":1,"method":"$/test/advance","params":{"ms":86400000}}"#
    for day in ["02", "03"] {
      let run = try await BuiltProgram.run(
        ["--stdio", "--profile", "test", "--data-dir", folder.path("data")],
        input: "\(hello)\n\(advance)\n", home: folder.path)
      #expect(run.output.contains("2026-01-\(day)T00:00:00.000Z"), Comment(rawValue: run.output))
    }
  }
}

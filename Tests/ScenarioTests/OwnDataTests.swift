import Foundation
import GrainTestSupport
import ShellClient
import StrictJSON
import SystemClients
import Testing

/// What a person has in the default data folder and in their key store, while programs that play run
/// beside it. The test suite as a whole is held to the same by `.ci/untouched`.
@Suite(
  "A person's own data", .serialized,
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct OwnDataTests {
  @Test(
    "is as it was after the demo, the play profiles, the doctor, a stray callback and the schemas (FB-E9)"
  )
  func untouched() async throws {
    try await World.run { (world) async throws -> Void in
      let bus = PrivateBus.isPossible ? try PrivateBus() : nil
      try await bus?.startKeyring(unlocked: true)
      let home = bus?.environment["HOME"] ?? world.folder.path
      var environment = BuiltProgram.environment(home: home)
        .merging(bus?.environment ?? [:]) { $1 }
      let data = environment["XDG_DATA_HOME"] ?? "\(home)/data"
      environment["XDG_DATA_HOME"] = data

      let configuration = try world.file(
        "config.json", JSONValue.object(world.configuration).serialized())
      let core = try await CoreProcess.start(
        ["--config", configuration], environment: environment, http: world.http)
      try await core.shell.initialize()
      try await core.shell.signIn()
      try await core.end()
      let before = try Self.contents(of: data)
      #expect(before.keys.contains("grain-core/core.sqlite"))
      #expect(before.keys.contains("grain-core/vault.key") == (bus == nil))
      #expect(before.keys.contains { $0.hasPrefix("keyrings/") } == (bus != nil))

      let hello = JSONValue.object([
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": .object(Shell.hello()),
      ]).text()
      for (arguments, input, status) in [
        (["--stdio", "--profile", "test"], hello, 0),
        (["--stdio", "--profile", "sandbox", "--data-dir", world.folder.path("play")], hello, 0),
        (["demo", "--json"], "", 0),
        // What it says of this machine is not the matter here.
        (["doctor", "--json"], "", nil),
        (["--schemas", world.folder.path("schemas")], "", 0),
        (["deliver", "social.grain:/oauth/callback?code=c&state=s"], "", 69),
      ] as [([String], String, Int32?)] {
        let run = try await ProgramRunner.live.run(
          ProgramInvocation(
            executable: BuiltProgram.path, arguments: arguments, environment: environment,
            input: Array(input.utf8), timeLimit: .seconds(60)))
        #expect(
          status == nil || run.status == status,
          "\(arguments): \(String(decoding: run.errorOutput, as: UTF8.self))")
        let after = try Self.contents(of: data)
        let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        #expect(changed.isEmpty, "\(arguments)")
      }

      // The person is still who they were.
      let again = try await CoreProcess.start(
        ["--config", configuration], environment: environment, http: world.http)
      try await again.shell.initialize()
      try await again.shell.wait("accounts", "as before") { $0["session"] == "signedIn" }
      try await again.end()
    }
  }

  /// Every file below a folder, by its path there.
  private static func contents(of folder: String) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      found[name] = FileManager.default.contents(atPath: "\(folder)/\(name)")
    }
    return found
  }
}

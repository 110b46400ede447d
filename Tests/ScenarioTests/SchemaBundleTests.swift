import Foundation
import GrainTestSupport
import SystemClients
import Testing

@Suite(
  "grain-core --schemas as a program",
  .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
struct SchemaBundleTests {
  private static let folders = ["", "common", "effects", "intents", "models", "protocol"]

  /// The files of a bundle by name: those of `v1` itself and of the folders with schemas.
  private static func files(in root: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for folder in folders {
      let place = root.appending(path: "v1/\(folder)")
      for name in try FileManager.default.contentsOfDirectory(atPath: place.path)
      where name.hasSuffix(".json") {
        files["\(folder)/\(name)"] = try Data(contentsOf: place.appending(path: name))
      }
    }
    return files
  }

  @Test(
    "a core that was moved elsewhere writes the schemas of this repository, byte for byte (§12)")
  func installed() async throws {
    let home = try TemporaryFolder()
    let program = home.path("grain-core")
    try FileManager.default.copyItem(atPath: BuiltProgram.path, toPath: program)
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: program, arguments: ["--schemas", "out/schemas"],
        environment: BuiltProgram.environment(home: home.path), workingFolder: home.path,
        timeLimit: .seconds(60)))
    #expect(result.status == 0, "\(String(decoding: result.errorOutput, as: UTF8.self))")
    let written = try Self.files(in: URL(filePath: home.path("out/schemas")))
    let own = try Self.files(in: SharedData.repositoryRoot.appending(path: "Schemas"))
    #expect(written.keys.sorted() == own.keys.sorted())
    for (name, bytes) in own { #expect(written[name] == bytes, "\(name)") }
    #expect(own.count > 80)
  }

  @Test(
    "--schemas takes one folder, and says so",
    arguments: [["--schemas"], ["--schemas="], ["--schemas", "a", "b"]])
  func usage(words: [String]) async throws {
    let home = try TemporaryFolder()
    let run = try await BuiltProgram.run(words, home: home.path)
    #expect(run.status == 64)
    #expect(run.errors.contains("--help"))
  }

  @Test("a folder that cannot be made is told, and ends with 1")
  func refused() async throws {
    let home = try TemporaryFolder()
    let run = try await BuiltProgram.run(["--schemas=/dev/null/schemas"], home: home.path)
    #expect(run.status == 1)
    #expect(run.errors.contains("the schemas cannot be written"))
  }
}

import Foundation
import GrainTestSupport
import SystemClients
import Testing

@Suite("A core with a library preloaded into it")
struct PreloadTests {
  private static let compiler = ProgramRunner.live.find("clang") ?? ProgramRunner.live.find("cc")

  @Test(
    "words are read even where a library has changed the environment before the program began",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)),
    .enabled(if: compiler != nil, "there is no C compiler to make the library with"))
  func words() async throws {
    let folder = try TemporaryFolder()
    let (source, library) = (folder.path("early.c"), folder.path("early.so"))
    let text = """
      #include <stdlib.h>
      __attribute__((constructor)) static void early(void) { setenv("EARLY", "1", 1); }
      """
    try Data(text.utf8).write(to: URL(filePath: source))
    let made = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: try #require(Self.compiler),
        arguments: ["-shared", "-fPIC", "-o", library, source],
        environment: BuiltProgram.environment(home: folder.path), input: [],
        timeLimit: .seconds(60)))
    #expect(made.status == 0)
    var environment = BuiltProgram.environment(home: folder.path)
    environment["LD_PRELOAD"] = library
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: BuiltProgram.path, arguments: ["--no-such", ""], environment: environment,
        input: [], timeLimit: .seconds(60)))
    #expect(result.status == 64)
    #expect(String(decoding: result.errorOutput, as: UTF8.self).contains("--no-such"))
  }
}

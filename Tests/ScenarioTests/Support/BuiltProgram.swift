import Foundation
import SystemClients

/// The built executable, which lies beside the test program in the build folder.
enum BuiltProgram {
  /// Its absolute path.
  static let path: String = {
    // Without /proc there is no path to look beside; the tests then skip.
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folder = URL(filePath: tests ?? "/").deletingLastPathComponent()
    return folder.appending(path: "grain-core").path
  }()

  static let isPresent = FileManager.default.isExecutableFile(atPath: path)

  static let skipReason = "grain-core is not built beside the tests (\(path))"

  /// The environment of a started program: nothing of ours but where to find things, and a home
  /// that is nobody's.
  static func environment(home: String) -> [String: String] {
    let own = ProcessInfo.processInfo.environment
    var environment = ["HOME": home, "PATH": own["PATH"] ?? "/usr/bin:/bin"]
    environment["LD_LIBRARY_PATH"] = own["LD_LIBRARY_PATH"]
    return environment
  }

  /// Runs the program to its end.
  static func run(
    _ arguments: [String], input: String = "", home: String
  ) async throws -> (status: Int32, output: String, errors: String) {
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: path, arguments: arguments, environment: environment(home: home),
        input: Array(input.utf8), timeLimit: .seconds(60)))
    return (
      result.status, String(decoding: result.output, as: UTF8.self),
      String(decoding: result.errorOutput, as: UTF8.self)
    )
  }
}

import Foundation
import SystemClients

/// The least a program on this machine costs that uses Foundation: compiled here and now, it says one
/// line and ends.
enum EmptyProgram {
  private static let source = """
    import Foundation
    FileHandle.standardOutput.write(Data("here\\n".utf8))
    """

  /// Compiles it.
  ///
  /// - Returns: its path.
  /// - Throws: when there is no compiler, or it fails.
  static func make(_ bench: Bench) async throws -> String {
    let program = bench.path("empty")
    if FileManager.default.isExecutableFile(atPath: program) { return program }
    guard let compiler = ProgramRunner.live.find("swiftc") else {
      throw BenchError("swiftc, in PATH, is not there")
    }
    let file = bench.path("empty.swift")
    try PrivateFiles.write(Array(source.utf8), to: file)
    let result = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: compiler, arguments: ["-O", file, "-o", program],
        environment: ProcessInfo.processInfo.environment, timeLimit: .seconds(120)))
    guard result.status == 0 else {
      throw BenchError("swiftc: \(String(decoding: result.errorOutput.prefix(300), as: UTF8.self))")
    }
    return program
  }
}

import Foundation
import SystemClients

/// Plays the recorded sessions of an older revision to the core of this one: a change that the table allows
/// and that breaks one of them is refused all the same (bridge-protocol §12).
struct GoldenReplay {
  let programs: ProgramRunner
  let environment: [String: String]
  /// The folder in which `grain-core` and `grain-script` lie.
  let tools: String

  private static let timeLimit = Duration.seconds(1_800)
  private static let mark = "FAILED  "

  /// Whether there is anything to play them with.
  var isPossible: Bool {
    ["grain-core", "grain-script"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: "\(tools)/\($0)")
    }
  }

  /// Plays them one after the other, each state held to what the older one named, and nothing more.
  ///
  /// - Parameter files: the scripts and what lies beside them, by their place below the schema folder.
  /// - Returns: one line for each session that does not come out as it did.
  /// - Throws: when they cannot be written down, or the runner does not start.
  func violations(_ files: [String: [UInt8]]) async throws -> [String] {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "grain-schema-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }  // the system clears what is left
    for (name, bytes) in files {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    let scripts = files.keys.filter { $0.hasSuffix(".ndjson") }.sorted()
    if scripts.isEmpty { return [] }
    let result = try await programs.run(
      ProgramInvocation(
        executable: "\(tools)/grain-script",
        arguments: ["run", "--subset", "--patience", "5", "--core", "\(tools)/grain-core"]
          + scripts.map { folder.appending(path: $0).path },
        environment: environment, timeLimit: Self.timeLimit, outputLimit: 16 << 20))
    var violations = Self.failures(
      String(decoding: result.output, as: UTF8.self), below: folder.path)
    if violations.isEmpty, result.status != 0 {
      let words = String(decoding: result.errorOutput, as: UTF8.self)
      violations = ["the recorded sessions could not be played: \(words)"]
    }
    return violations
  }

  /// What failed by the runner's report: the line of the script, and the first words about it.
  static func failures(_ report: String, below folder: String) -> [String] {
    let lines = report.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.filter { lines[$0].hasPrefix(mark) }.map { index in
      let reason = lines.indices.contains(index + 1) ? lines[index + 1] : lines[index].dropFirst(8)
      let place = reason.hasPrefix("\(folder)/") ? reason.dropFirst(folder.count + 1) : reason
      return "\(place); an older shell lives by this session"
    }
  }
}

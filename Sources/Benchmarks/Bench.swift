import Foundation
import SystemClients

/// Why a figure could not be measured, and what to do.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// What every row works with.
struct Bench: Sendable {
  /// Runs that count.
  let runs: Int
  /// The `grain-core` that is measured.
  let core: String
  /// The peer, or why it is not there.
  let peer: PeerProgram.Place
  /// A folder of this run alone, removed at its end.
  let folder: String

  /// Makes the folder and finds the programs.
  ///
  /// - Throws: when `grain-core` is not built, or there is no room.
  init(_ arguments: BenchmarkArguments) throws {
    runs = arguments.runs
    core = try arguments.core ?? Self.builtCore()
    peer = PeerProgram.find(arguments.peer)
    let name = "grain-core-benchmarks-\(ProcessInfo.processInfo.processIdentifier)"
    folder = FileManager.default.temporaryDirectory.appending(path: name).path
    try PrivateFiles.makeFolder(folder)
  }

  /// Removes what was made.
  func clear() throws {
    try PrivateFiles.remove(folder)
  }

  /// A path below the folder.
  func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// The environment of measured programs: where to find things, and a home that is nobody's.
  func environment(_ more: [String: String] = [:]) -> [String: String] {
    let own = ProcessInfo.processInfo.environment
    var environment = ["HOME": folder, "PATH": own["PATH"] ?? "/usr/bin:/bin"]
    environment["LD_LIBRARY_PATH"] = own["LD_LIBRARY_PATH"]
    environment["TMPDIR"] = own["TMPDIR"]
    return environment.merging(more) { _, new in new }
  }

  private static func builtCore() throws -> String {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let core = URL(filePath: own).deletingLastPathComponent().appending(path: "grain-core").path
    guard FileManager.default.isExecutableFile(atPath: core) else {
      throw BenchError(
        "\(core) is not built; type swift build -c release --product grain-core, or give --core PATH"
      )
    }
    return core
  }
}

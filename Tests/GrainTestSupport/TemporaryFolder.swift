import Foundation
import SystemClients

/// An empty folder of one test, removed with everything in it when the last reference goes.
package final class TemporaryFolder: Sendable {
  /// The folder's absolute path.
  package let path: String

  /// Makes the folder, readable by its owner only.
  package init() throws {
    path = NSTemporaryDirectory() + "grain-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // A test may have removed it itself.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of something in the folder.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file that may be executed; folders on the way to it must be there.
  ///
  /// A program of its own writes it: a descriptor of ours could be inherited by whatever another test starts
  /// in that moment, and what somebody has open for writing is not executed (`ETXTBSY`).
  ///
  /// - Returns: its path.
  @discardableResult
  package func makeProgram(_ name: String, _ text: String) async throws -> String {
    let file = path(name)
    let written = try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: "/bin/sh", arguments: ["-c", #"cat > "$0" && chmod 700 "$0""#, file],
        environment: ["PATH": "/usr/bin:/bin"], input: Array(text.utf8)))
    guard written.status == 0 else { throw CocoaError(.fileWriteUnknown) }
    return file
  }
}

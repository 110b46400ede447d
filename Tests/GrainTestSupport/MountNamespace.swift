import Foundation
import SystemClients

/// Runs tests of this very program a second time where a folder is mounted as they need it: small,
/// or read-only. Root ignores file modes, so only a mount can refuse a write for certain.
///
/// The outer test calls ``rerun(_:at:mounting:)``; the inner tests are enabled only where
/// ``folder`` is set.
package enum MountNamespace {
  private static let variable = "GRAIN_TEST_MOUNT"

  /// The mounted folder, in the second run; nil in the first.
  package static let folder = ProcessInfo.processInfo.environment[variable]

  /// Why the inner tests do not run by themselves.
  package static let innerReason = "runs inside a mount of its own, started by another test"

  /// Whether this machine lets us mount anything.
  package static func isPossible() async -> Bool {
    // A machine without unshare cannot either.
    let result = try? await shell("mount -t tmpfs none /mnt", environment: [:])
    return result?.status == 0
  }

  /// Why the outer test was skipped.
  package static let skipReason = "this machine does not allow a mount of one's own (unshare -rm)"

  /// Runs the tests whose identifier matches the pattern inside a mount namespace.
  ///
  /// - Parameters:
  ///   - pattern: what `swift test --filter` takes.
  ///   - folder: an existing folder, handed to the inner tests as ``folder``.
  ///   - mount: a line of shell that changes `$FOLDER`.
  /// - Returns: the exit status (0 where all passed) and everything the run printed.
  /// - Throws: `ProgramError` where nothing could be run.
  package static func rerun(
    _ pattern: String, at folder: String, mounting mount: String
  ) async throws -> (status: Int32, output: String) {
    let result = try await shell(
      #"FOLDER="$\#(variable)"; \#(mount) && exec "$PROGRAM" --testing-library swift-testing "#
        + #"--filter "$PATTERN""#,
      environment: [
        variable: folder, "PATTERN": pattern, "PROGRAM": try program(),
        "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
      ])
    return (result.status, String(decoding: result.output + result.errorOutput, as: UTF8.self))
  }

  /// Makes a folder a file system of its own with that many kibibytes.
  package static func smallDisk(kibibytes: Int) -> String {
    #"mount -t tmpfs -o size=\#(kibibytes)k none "$FOLDER""#
  }

  /// Makes a folder read-only, with what is in it.
  package static let readOnly =
    #"mount --bind "$FOLDER" "$FOLDER" && mount -o remount,ro,bind "$FOLDER""#

  private static func program() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  }

  private static func shell(
    _ script: String, environment: [String: String]
  ) async throws -> ProgramResult {
    let unshare = ProgramRunner.live.find("unshare") ?? "/usr/bin/unshare"
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try await ProgramRunner.live.run(
      ProgramInvocation(
        executable: unshare, arguments: ["-rm", "/bin/sh", "-c", script],
        environment: environment.merging(["PATH": path]) { given, _ in given }, input: [],
        timeLimit: .seconds(60), outputLimit: 4 << 20))
  }
}

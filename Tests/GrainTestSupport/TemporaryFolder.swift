import Foundation

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
}

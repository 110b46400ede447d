package import Foundation

/// The published test data that lives beside the repository, never inside it.
package enum SharedData {
  /// The repository's root, found from this file's own place in it.
  package static let repositoryRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// `../shared/data` as seen from the repository root.
  package static let root = repositoryRoot.deletingLastPathComponent()
    .appending(path: "shared/data")

  /// False where the data folder is missing; tests then skip and print ``skipReason``.
  package static let isPresent = FileManager.default.fileExists(atPath: root.path)

  /// Why a test that needs the data was skipped.
  package static let skipReason = "the published test data (../shared/data) is not on this machine"

  /// A file or folder of the data.
  package static func url(_ path: String) -> URL { root.appending(path: path) }

  /// The lines of an interoperability list: comments (`#`) and blank lines left out.
  package static func lines(_ path: String) throws -> [String] {
    guard isPresent else { return [] }
    return try String(contentsOf: url(path), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: true)
      .map(String.init)
      .filter { !$0.hasPrefix("#") && !$0.trimmingCharacters(in: .whitespaces).isEmpty }
  }
}

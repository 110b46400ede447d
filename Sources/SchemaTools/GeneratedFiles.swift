import Foundation

/// The files `grain-schema generate` writes, by their place in the repository.
enum GeneratedFiles {
  /// The folder that holds nothing but generated Swift.
  private static let swiftFolder = "Sources/GrainSnapshots/Generated"

  /// Every file with its text.
  static func all(of tree: SchemaTree) -> [(path: String, text: String)] {
    [
      ("bridge/javascript/grain-core.d.ts", TypeScriptWriter.text(of: tree)),
      ("bridge/python/grain_core/grain_core_types.py", PythonWriter.text(of: tree)),
      ("Sources/CSchemaFiles/files.h", EmbeddedFilesWriter.text(of: tree)),
    ] + SwiftWriter.files(of: tree).map { ("\(swiftFolder)/\($0.name).swift", $0.text) }
  }

  /// Writes every file that is not as it should be.
  ///
  /// - Parameters:
  ///   - tree: the schemas.
  ///   - root: the repository.
  /// - Returns: the files written.
  /// - Throws: what the file system says.
  static func write(_ tree: SchemaTree, to root: URL) throws -> [String] {
    var written: [String] = []
    for (path, text) in all(of: tree) where Self.text(at: path, in: root) != text {
      let place = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: place, options: .atomic)
      written.append(path)
    }
    for path in leftovers(tree, in: root) {
      try FileManager.default.removeItem(at: root.appending(path: path))
      written.append(path)
    }
    return written
  }

  /// What differs from the files on disk.
  ///
  /// - Parameters:
  ///   - tree: the schemas.
  ///   - root: the repository.
  /// - Returns: a short diff each; none where all are up to date.
  static func differences(_ tree: SchemaTree, in root: URL) -> [String] {
    all(of: tree).compactMap { path, text in
      guard let old = self.text(at: path, in: root) else { return "\(path): is missing" }
      return old == text ? nil : LineDifference.text(of: path, old: old, new: text)
    } + leftovers(tree, in: root).map { "\($0): nothing in the schemas gives this any more" }
  }

  /// Files in the generated folder that are no longer generated.
  private static func leftovers(_ tree: SchemaTree, in root: URL) -> [String] {
    let wanted = Set(all(of: tree).map(\.path))
    // A folder that is not there yet holds none.
    let names = try? FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: swiftFolder).path)
    return (names ?? []).map { "\(swiftFolder)/\($0)" }.filter { !wanted.contains($0) }.sorted()
  }

  private static func text(at path: String, in root: URL) -> String? {
    // A file that cannot be read is written anew, and that says what is wrong.
    try? String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}

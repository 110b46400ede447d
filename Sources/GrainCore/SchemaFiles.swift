import CSchemaFiles
package import Foundation

/// The schema bundle this core was built with (bridge-protocol §12): manifest, registry of errors,
/// and every schema. It is part of the program, so an installed core needs nothing beside it.
package enum SchemaFiles {
  /// One file of the bundle.
  package struct File: Equatable, Sendable {
    /// Its name below the schema folder, such as `v1/manifest.json`.
    package let name: String
    /// What is in it.
    package let bytes: Data
  }

  /// Every file, sorted by kind and name.
  package static var all: [File] {
    var files: [File] = []
    while let file = grain_schema_file_at(files.count)?.pointee {
      files.append(
        File(name: String(cString: file.name), bytes: Data(bytes: file.bytes, count: file.size)))
    }
    return files
  }

  /// Writes the bundle into a folder, over what has the same names there.
  ///
  /// - Parameter folder: made if it is not there.
  /// - Returns: how many files were written.
  /// - Throws: what the file system says.
  package static func write(to folder: URL) throws -> Int {
    let files = all
    for file in files {
      let place = folder.appending(path: file.name)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try file.bytes.write(to: place, options: .atomic)
    }
    return files.count
  }
}

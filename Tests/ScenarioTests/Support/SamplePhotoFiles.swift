import Foundation
import GrainTestSupport
import Sandbox

/// The sandbox's three photographs as files, each with camera notes and a position in it.
struct SamplePhotoFiles {
  /// The folder they lie in.
  let folder: String
  /// Their absolute paths.
  let paths: [String]

  /// Writes them to `photos` in a test's folder.
  init(in folder: TemporaryFolder) throws {
    let photos = folder.path("photos")
    try FileManager.default.createDirectory(
      atPath: photos, withIntermediateDirectories: true)
    paths = try SamplePhotos.all.map { sample in
      let path = "\(photos)/\(sample.fileName)"
      try Data(sample.bytes).write(to: URL(filePath: path))
      return path
    }
    self.folder = photos
  }
}

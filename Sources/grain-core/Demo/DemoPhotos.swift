import Foundation
import Sandbox

/// The pictures a demo publishes: a folder's, or three the project makes itself.
struct DemoPhotos {
  /// Absolute paths, in the order they are published.
  let paths: [String]

  private static let endings: Set<String> = ["jpg", "jpeg", "png", "webp"]

  /// The pictures of a folder, by name.
  ///
  /// - Throws: for a folder that is missing or has no pictures.
  init(folder: String) throws(DemoFailure) {
    let root = URL(filePath: folder).absoluteURL.standardizedFileURL
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder),
      isFolder.boolValue
    else {
      throw DemoFailure(
        "there is no folder \(folder)", advice: "Give --photos a folder with JPEG pictures.")
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: root.path)
    } catch {
      throw DemoFailure(
        "the folder \(folder) cannot be read", advice: "Check who may read it.")
    }
    paths = names.filter { name in
      Self.endings.contains(URL(filePath: name).pathExtension.lowercased())
    }.sorted().map { root.appending(path: $0).path }
    if paths.isEmpty {
      throw DemoFailure(
        "the folder \(folder) has no pictures",
        advice: "Give --photos a folder with files that end in .jpg, .png or .webp.")
    }
  }

  /// Three pictures made here, with camera data and a position in each, so that stripping shows.
  init(samplesIn folder: String) throws(DemoFailure) {
    var paths: [String] = []
    for sample in SamplePhotos.all {
      let path = "\(folder)/\(sample.fileName)"
      guard FileManager.default.createFile(atPath: path, contents: Data(sample.bytes)) else {
        throw DemoFailure(
          "the sample pictures cannot be written", advice: "Make room in \(folder).")
      }
      paths.append(path)
    }
    self.paths = paths
  }
}

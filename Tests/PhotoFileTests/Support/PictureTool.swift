import Foundation
import GrainTestSupport

/// Programs that know pictures better than we do, as judges. None is needed to build or to run
/// the other tests.
struct PictureTool {
  let path: String

  /// Reads metadata of every kind.
  static let exiftool = PictureTool("exiftool")
  /// Decodes pictures and prints digests of their pixels.
  static let identify = PictureTool("identify")
  /// Makes and edits pictures.
  static let convert = PictureTool("convert")

  /// Why a test that needs a judge was skipped.
  static let skipReason = "exiftool or ImageMagick (identify, convert) is not installed"
  /// Whether all of them are there.
  static let areAllPresent = exiftool != nil && identify != nil && convert != nil

  init?(_ name: String) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let places = (["/usr/bin"] + folders.map(String.init)).map { "\($0)/\(name)" }
    guard let found = places.first(where: FileManager.default.isExecutableFile) else { return nil }
    path = found
  }

  /// Runs to the end and returns standard output; what is said on standard error is dropped.
  func output(_ arguments: [String]) async throws -> Data {
    let program = try HeldProgram(path, arguments)
    return Data(await onThread { program.allSaid() })
  }

  /// Standard output split into lines.
  func lines(_ arguments: [String]) async throws -> [String] {
    String(decoding: try await output(arguments), as: UTF8.self).split(separator: "\n")
      .map(String.init)
  }
}

/// A folder that goes away with the test.
final class ScratchFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appending(path: "photo-file-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }  // a leftover folder harms nobody

  func path(_ name: String) -> String { url.appending(path: name).path }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: url.appending(path: name)))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: url.appending(path: name))
  }
}

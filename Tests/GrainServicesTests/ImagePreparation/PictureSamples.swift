import Foundation
import GrainServices

/// JPEG files that have the right shape for readers and any size wanted; not to be decoded.
enum PictureSamples {
  static let gps = Array("the place".utf8)

  /// A JPEG with EXIF (orientation and make, the rest of a camera's notes left out) of exactly
  /// `bytes` bytes once stripped.
  static func jpeg(
    width: Int = 400, height: Int = 300, orientation: UInt8 = 1, strippedBytes bytes: Int = 1000
  ) -> [UInt8] {
    var exif = Array("Exif\0\0MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 2]
    exif += [0x01, 0x0F, 0, 2, 0, 0, 0, 4] + Array("Cam\0".utf8)
    exif += [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    let sides = [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let frame = segment(0xC0, [8] + sides + [1, 1, 0x11, 0])
    let scanHeader = segment(0xDA, [1, 1, 0, 0, 63, 0])
    let tag = orientation == 1 ? 0 : 36  // what stripping leaves of the EXIF
    let scan = max(1, bytes - 4 - tag - frame.count - scanHeader.count)
    return [0xFF, 0xD8] + segment(0xE1, exif) + segment(0xFE, gps) + frame + scanHeader
      + [UInt8](repeating: 7, count: scan) + [0xFF, 0xD9]
  }

  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let length = payload.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
  }
}

/// A folder that goes away with the test.
final class PictureFolder: Sendable {
  let path: String

  init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appending(path: "image-preparation-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }  // a leftover folder harms nobody

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path(name))))
  }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: path(name)))
    return path(name)
  }
}

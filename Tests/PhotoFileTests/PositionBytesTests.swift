import Foundation
import GrainTestSupport
import PhotoFile
import Testing

@Suite("Bytes of a position", .enabled(if: SharedData.isPresent, "\(SharedData.skipReason)"))
struct PositionBytesTests {
  private static let names =
    (try? FileManager.default.subpathsOfDirectory(
      atPath: SharedData.url("photos").path))?.filter { $0.hasSuffix(".jpg") }.sorted() ?? []

  /// The values of every latitude and longitude entry that looks like one, in either byte order: three
  /// fractions each.
  private func positions(in bytes: [UInt8]) -> [[UInt8]] {
    var found: [[UInt8]] = []
    let starts = bytes.indices.dropLast(6).filter {
      Array(bytes[$0..<$0 + 6]) == Array("Exif\0\0".utf8)
    }
    for start in starts.map({ $0 + 6 }) {
      for tag in [UInt8(2), 4] {
        for (entry, isBig) in [
          ([tag, 0, 5, 0, 3, 0, 0, 0], false), ([0, tag, 0, 5, 0, 0, 0, 3], true),
        ] {
          let end = min(bytes.count, start + 65_536)
          for index in start..<max(start, end - 12) where bytes[index] == entry[0] {
            guard Array(bytes[index..<index + 8]) == entry else { continue }
            let offset = bytes[index + 8..<index + 12].enumerated().reduce(0) {
              $0 | Int($1.element) << (8 * (isBig ? 3 - $1.offset : $1.offset))
            }
            guard offset > 8, start + offset + 24 <= bytes.count else { continue }
            found.append(Array(bytes[start + offset..<start + offset + 24]))
          }
        }
      }
    }
    return found.filter { $0.contains { $0 != 0 } }
  }

  @Test("no value of a position is left anywhere in a stripped photograph (FB-D8)")
  func none() throws {
    var seen = 0
    for name in Self.names {
      let original = Array(try Data(contentsOf: SharedData.url("photos/\(name)")))
      let info = try PictureReader.read(original)
      let values = positions(in: original)
      let copy = Data(try PictureStripper.strip(original))
      for value in values { #expect(copy.firstRange(of: value) == nil, "\(name)") }
      for word in ["GPS", "exif:", "photoshop:", "http://ns.adobe.com/xap"] {
        #expect(copy.firstRange(of: Data(word.utf8)) == nil, "\(name) \(word)")
      }
      seen += info.hasGPS && !values.isEmpty ? 1 : 0
    }
    #expect(seen >= 2)
  }
}

/// The notes a camera would have left, position included: everything a published file must not
/// have any more.
/// - SeeAlso: Exif 2.32 (CIPA DC-008) §4.6
struct SampleEXIF: Sendable {
  /// Degrees, minutes, seconds and the letter of the half globe.
  struct Angle: Sendable {
    let parts: [Int]
    let side: String

    init(_ degrees: Int, _ minutes: Int, _ seconds: Int, _ side: String) {
      parts = [degrees, minutes, seconds]
      self.side = side
    }
  }

  var orientation = 1
  var make = "Lumen"
  var model: String
  var lens: String
  /// Seconds, as a fraction.
  var exposure: (Int, Int)
  var fNumber: (Int, Int)
  var iso: Int
  /// Millimetres, as if on 35 mm film.
  var focalLength: Int
  /// `yyyy:MM:dd HH:mm:ss`.
  var taken: String
  /// `±hh:mm`.
  var zone: String
  var latitude: Angle
  var longitude: Angle

  private enum Value {
    case text(String)
    case short(Int)
    case long(Int)
    case fractions([(Int, Int)])
  }

  /// The payload of a JPEG's APP1 segment.
  var segment: [UInt8] {
    let exif: [(Int, Value)] = [
      (0x829A, .fractions([exposure])), (0x829D, .fractions([fNumber])), (0x8827, .short(iso)),
      (0x9003, .text(taken)), (0x9011, .text(zone)), (0x9209, .short(16)),
      (0xA405, .short(focalLength)), (0xA434, .text(lens)),
    ]
    let gps: [(Int, Value)] = [
      (1, .text(latitude.side)), (2, .fractions(latitude.parts.map { ($0, 1) })),
      (3, .text(longitude.side)), (4, .fractions(longitude.parts.map { ($0, 1) })),
    ]
    // The first directory points to the other two, so its length comes before its content.
    let firstLength = Self.length(entries: 5)
    let exifStart = 8 + firstLength
    let gpsStart = exifStart + Self.length(entries: exif.count)
    let first: [(Int, Value)] = [
      (0x010F, .text(make)), (0x0110, .text(model)), (0x0112, .short(orientation)),
      (0x8769, .long(exifStart)), (0x8825, .long(gpsStart)),
    ]
    var directories = Array("MM".utf8) + Self.number(42, 2) + Self.number(8, 4)
    var values: [UInt8] = []
    let valueStart = gpsStart + Self.length(entries: gps.count)
    for entries in [first, exif, gps] {
      directories += Self.number(entries.count, 2)
      for (tag, value) in entries {
        let (type, count, content) = Self.encoded(value)
        directories += Self.number(tag, 2) + Self.number(type, 2) + Self.number(count, 4)
        if content.count <= 4 {
          directories += content + [UInt8](repeating: 0, count: 4 - content.count)
        } else {
          directories += Self.number(valueStart + values.count, 4)
          values += content + (content.count % 2 == 1 ? [0] : [])
        }
      }
      directories += Self.number(0, 4)
    }
    return Array("Exif\0\0".utf8) + directories + values
  }

  private static func length(entries: Int) -> Int { 2 + entries * 12 + 4 }

  private static func encoded(_ value: Value) -> (type: Int, count: Int, content: [UInt8]) {
    switch value {
    case .text(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
    case .short(let value): (3, 1, number(value, 2))
    case .long(let value): (4, 1, number(value, 4))
    case .fractions(let parts):
      (5, parts.count, parts.flatMap { number($0.0, 4) + number($0.1, 4) })
    }
  }

  private static func number(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}

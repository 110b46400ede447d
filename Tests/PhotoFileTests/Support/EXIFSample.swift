/// Writes EXIF structures, good and bad, for the tests to read back.
struct EXIFSample {
  enum Value {
    case ascii(String)
    case short(Int)
    case long(Int)
    case rational([(Int, Int)])
    /// Any type, any claimed count, any four bytes in the value field.
    case raw(type: Int, count: Int, field: [UInt8])
  }

  var isLittleEndian = false
  var first: [Int: Value] = [:]
  var exif: [Int: Value] = [:]
  var gps: [Int: Value] = [:]

  /// The camera of the example in grain-product §14.
  static let camera = EXIFSample(
    first: [0x010F: .ascii("Fujifilm"), 0x0110: .ascii("X-T5 "), 0x0112: .short(6)],
    exif: [
      0x829A: .rational([(1, 60)]), 0x829D: .rational([(28, 10)]), 0x8827: .short(400),
      0x9003: .ascii("2024:05:06 07:08:09"), 0x9011: .ascii("+05:45"), 0x9209: .short(16),
      0xA405: .short(35), 0xA433: .ascii("Fujinon"), 0xA434: .ascii("XF23mmF2"),
    ])

  /// 27° 42′ 45″ S, 85° 19′ 26.4″ W.
  static let place: [Int: Value] = [
    1: .ascii("S"), 2: .rational([(27, 1), (42, 1), (45, 1)]),
    3: .ascii("W"), 4: .rational([(85, 1), (19, 1), (264, 10)]),
  ]

  /// The structure without any mark before it.
  var tiff: [UInt8] {
    var first = first
    let exifStart = 8 + size(first.count + (exif.isEmpty ? 0 : 1) + (gps.isEmpty ? 0 : 1))
    let gpsStart = exifStart + (exif.isEmpty ? 0 : size(exif.count))
    let heap = gpsStart + (gps.isEmpty ? 0 : size(gps.count))
    if !exif.isEmpty { first[0x8769] = .long(exifStart) }
    if !gps.isEmpty { first[0x8825] = .long(gpsStart) }
    var directories = number(isLittleEndian ? 0x4949 : 0x4D4D, 2) + number(42, 2) + number(8, 4)
    var values: [UInt8] = []
    for directory in [first, exif, gps] where !directory.isEmpty {
      directories += number(directory.count, 2)
      for (tag, value) in directory.sorted(by: { $0.key < $1.key }) {
        let (type, count, content) = encoded(value)
        directories += number(tag, 2) + number(type, 2) + number(count, 4)
        if content.count <= 4 {
          directories += content + [UInt8](repeating: 0, count: 4 - content.count)
        } else {
          directories += number(heap + values.count, 4)
          values += content
        }
      }
      directories += number(0, 4)
    }
    return directories + values
  }

  /// The structure as JPEG's APP1 holds it.
  var marked: [UInt8] { Array("Exif\0\0".utf8) + tiff }

  private func size(_ entries: Int) -> Int { 2 + entries * 12 + 4 }

  private func encoded(_ value: Value) -> (type: Int, count: Int, content: [UInt8]) {
    switch value {
    case .ascii(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
    case .short(let short): (3, 1, number(short, 2))
    case .long(let long): (4, 1, number(long, 4))
    case .rational(let parts):
      (5, parts.count, parts.flatMap { number($0.0, 4) + number($0.1, 4) })
    case .raw(let type, let count, let field): (type, count, field)
    }
  }

  private func number(_ value: Int, _ width: Int) -> [UInt8] {
    let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    return isLittleEndian ? bytes : bytes.reversed()
  }
}

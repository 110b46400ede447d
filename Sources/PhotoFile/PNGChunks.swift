/// Walks a PNG's chunks. A chunk that is cut off ends the walk.
/// - SeeAlso: PNG (Third Edition) §5
struct PNGChunks: Sequence, IteratorProtocol {
  /// The eight bytes every PNG starts with.
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// A chunk: its four-letter type, its data, and the whole of it as it stands in the file.
  struct Chunk {
    let type: String
    let data: ByteWindow
    let whole: ByteWindow
  }

  private let file: ByteWindow
  private var position = signature.count

  init(_ file: ByteWindow) { self.file = file }

  mutating func next() -> Chunk? {
    guard let length = file.number(at: position, width: 4), length <= Int(Int32.max),
      let whole = file.window(at: position, count: length + 12),
      let data = file.window(at: position + 8, count: length)
    else { return nil }
    let type = file.text(at: position + 4, count: 4)
    position = type == "IEND" ? file.count : position + whole.count
    return Chunk(type: type, data: data, whole: whole)
  }
}

extension PNGChunks {
  /// A new chunk with its checksum.
  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let checked = Array(type.utf8) + data
    let length = UInt32(truncatingIfNeeded: data.count)
    return bigEndian(length) + checked + bigEndian(checksum(checked))
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// CRC-32 as PNG Annex D has it; only ever run over a few bytes, so without a table.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { bits, _ in
        bits & 1 == 1 ? bits >> 1 ^ 0xEDB8_8320 : bits >> 1
      }
    }
  }
}

/// Walks the chunks of a RIFF body (a WebP file, or one frame inside it). Each is padded to an
/// even length; one that is cut off ends the walk.
/// - SeeAlso: RFC 9649 §2
struct WebPChunks: Sequence, IteratorProtocol {
  /// A chunk's four-letter type and its data, padding left out.
  struct Chunk {
    let type: String
    let data: ByteWindow
  }

  private let body: ByteWindow
  private var position: Int

  /// The chunks of `body`, the first of which starts at `offset`.
  init(_ body: ByteWindow, from offset: Int = 0) {
    self.body = body
    position = offset
  }

  /// The chunks of a whole WebP file; what lies behind the size its header gives is not seen.
  init(file: ByteWindow) {
    let size = file.number(at: 4, width: 4, .little) ?? 0
    self.init(file.prefix(size + 8), from: 12)
  }

  mutating func next() -> Chunk? {
    guard let length = body.number(at: position + 4, width: 4, .little),
      let data = body.window(at: position + 8, count: length)
    else { return nil }
    let type = body.text(at: position, count: 4)
    position += 8 + length + length % 2
    return Chunk(type: type, data: data)
  }

  /// A chunk as it stands in a file: type, length, data, padding.
  static func chunk(_ type: String, _ data: some Collection<UInt8>) -> [UInt8] {
    Array(type.utf8) + littleEndian(data.count, width: 4) + data
      + (data.count % 2 == 1 ? [0] : [])
  }

  /// The lowest `width` bytes of a number, lowest first.
  static func littleEndian(_ number: Int, width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

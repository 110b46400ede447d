/// Walks a JPEG stream part by part, as decoders do: stray bytes between segments are skipped,
/// fill bytes are swallowed, and nothing behind the end mark is ever looked at.
/// - SeeAlso: ITU-T T.81 Annex B
struct JPEGSegments: Sequence, IteratorProtocol {
  /// One part of the stream.
  enum Part {
    /// A marker with its payload (length field left out).
    case segment(marker: UInt8, payload: ByteWindow)
    /// Entropy-coded data, restart markers included, up to the next real marker.
    case scan(ByteWindow)
    /// The end mark was found; nothing follows.
    case end
  }

  private let file: ByteWindow
  private var position = 2  // behind the start mark
  private var isInScan = false

  init(_ file: ByteWindow) { self.file = file }

  /// The next part; `nil` after the end mark or where the stream is cut off.
  mutating func next() -> Part? {
    if isInScan {
      isInScan = false
      return scan()
    }
    while let mark = file.firstOffset(of: 0xFF, from: position) {
      position = mark + 1
      guard let marker = file[position] else { break }
      switch marker {
      case 0xFF, 0x00, 0x01, 0xD0...0xD8: continue  // fill, stuffing, and marks without payload
      case 0xD9:
        position = file.count
        return .end
      default:
        guard let length = file.number(at: position + 1, width: 2), length >= 2,
          let payload = file.window(at: position + 3, count: length - 2)
        else { continue }  // damaged: look for the next marker
        position += 1 + length
        isInScan = marker == 0xDA
        return .segment(marker: marker, payload: payload)
      }
    }
    position = file.count
    return nil
  }

  private mutating func scan() -> Part {
    let start = position
    while let mark = file.firstOffset(of: 0xFF, from: position) {
      switch file[mark + 1] {
      case 0x00?, (0xD0...0xD7)?: position = mark + 2
      case 0xFF?: position = mark + 1
      case nil: position = file.count
      default:
        position = mark
        return .scan(file.rest(from: start).prefix(mark - start))
      }
    }
    position = file.count
    return .scan(file.rest(from: start))
  }
}

extension JPEGSegments {
  /// Whether a marker starts a frame (SOF0…SOF15 without DHT, JPG and DAC).
  static func isFrame(_ marker: UInt8) -> Bool {
    (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
  }
}

/// Copies from a JPEG what decoding needs, and nothing else.
enum JPEGStripper {
  static func strip(_ file: ByteWindow, orientation: Int) -> [UInt8] {
    var copy: [UInt8] = [0xFF, 0xD8]
    copy.reserveCapacity(file.count)
    var hasOrientation = orientation == 1
    for part in JPEGSegments(file) {
      switch part {
      case .segment(let marker, let payload):
        guard let kept = kept(marker, payload) else { continue }
        // JFIF wants to be first; the orientation goes right behind it.
        if !hasOrientation, marker != 0xE0 {
          append(0xE1, Array("Exif\0\0".utf8) + OrientationBlock.tiff(orientation), to: &copy)
          hasOrientation = true
        }
        append(marker, kept, to: &copy)
      case .scan(let data): copy += data.content
      case .end: continue
      }
    }
    copy += [0xFF, 0xD9]
    return copy
  }

  private static func append(
    _ marker: UInt8, _ payload: some Collection<UInt8>, to copy: inout [UInt8]
  ) {
    let length = payload.count + 2
    copy += [
      0xFF, marker, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length),
    ]
    copy += payload
  }

  /// What stays of a segment's payload; `nil` when the segment goes.
  private static func kept(_ marker: UInt8, _ payload: ByteWindow) -> ArraySlice<UInt8>? {
    switch marker {
    case 0xE0:  // JFIF tells decoders the colour model; its preview goes.
      guard payload.holds(Array("JFIF\0".utf8), at: 0), payload.count >= 12 else { return nil }
      return payload.prefix(12).content + [0, 0]
    case 0xE2: return JPEGPicture.isProfile(payload) ? payload.content : nil
    case 0xEE:  // Adobe's mark says how colours were transformed.
      guard payload.holds(Array("Adobe".utf8), at: 0), payload.count >= 12 else { return nil }
      return payload.prefix(12).content
    case 0xC0...0xCF, 0xDA...0xDF: return payload.content  // frames, tables, scans
    default: return nil  // other APPn, comments, anything reserved
    }
  }
}

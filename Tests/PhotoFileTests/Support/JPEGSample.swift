/// Writes JPEG streams segment by segment. Their frames and scans have the right shape for a
/// reader; they are not meant to be decoded.
struct JPEGSample {
  var width = 400
  var height = 300
  var frameMarker: UInt8 = 0xC0
  var components = 3
  var segments: [(marker: UInt8, payload: [UInt8])] = []
  var scan: [UInt8] = [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56]
  var tail: [UInt8] = [0xFF, 0xD9]

  /// A camera's picture: JFIF with a preview, EXIF, XMP, ICC, MPF, IPTC, Adobe and a comment.
  static func cameraFile(_ exif: EXIFSample) -> JPEGSample {
    JPEGSample(segments: [
      (0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 1, 1, 9, 9, 9]),
      (0xE1, exif.marked),
      (0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x exif:GPSLatitude='48'/>".utf8)),
      (0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1, 7, 7]),
      (0xE2, Array("MPF\0secondary".utf8)),
      (0xED, Array("Photoshop 3.0\0city".utf8)),
      (0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1]),
      (0xFE, Array("a comment".utf8)),
    ])
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = [0xFF, 0xD8]
    for (marker, payload) in segments { bytes += Self.segment(marker, payload) }
    bytes += Self.segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    var frame: [UInt8] = [8]
    for side in [height, width] { frame += [UInt8(side >> 8), UInt8(side & 255)] }
    frame.append(UInt8(components))
    for component in 0..<components { frame += [UInt8(component + 1), 0x11, 0] }
    bytes += Self.segment(frameMarker, frame)
    bytes += Self.segment(0xDA, [1, 1, 0, 0, 63, 0])
    return bytes + scan + tail
  }

  static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let length = payload.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
  }

  /// The markers of a stream in order, found independently of the code under test; scans are
  /// skipped by looking for the next marker.
  static func markers(_ bytes: [UInt8]) -> [UInt8] {
    var found: [UInt8] = []
    var index = 2
    while index + 3 < bytes.count {
      guard bytes[index] == 0xFF, bytes[index + 1] >= 0xC0,
        !(0xD0...0xD9).contains(bytes[index + 1])
      else {
        index += 1
        continue
      }
      found.append(bytes[index + 1])
      index += 2 + Int(bytes[index + 2]) << 8 + Int(bytes[index + 3])
    }
    return found
  }
}

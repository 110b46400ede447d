/// Writes PNG files chunk by chunk, checksums included; the image data is not meant to be decoded.
struct PNGSample {
  var width = 400
  var height = 300
  var before: [(type: String, data: [UInt8])] = []
  var after: [(type: String, data: [UInt8])] = []

  var bytes: [UInt8] {
    let header = be(width) + be(height) + [8, 2, 0, 0, 0]
    let chunks = [("IHDR", header)] + before + [("IDAT", [1, 2, 3])] + after + [("IEND", [])]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunks.flatMap(Self.chunk)
  }

  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let checked = Array(type.utf8) + data
    return PNGSample().be(data.count) + checked + PNGSample().be(checksum(checked))
  }

  /// The types in a file, in order.
  static func types(_ bytes: [UInt8]) -> [String] {
    var types: [String] = []
    var index = 8
    while index + 12 <= bytes.count {
      types.append(String(decoding: bytes[index + 4..<index + 8], as: UTF8.self))
      index += 12 + bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    return types
  }

  private func be(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func checksum(_ bytes: [UInt8]) -> Int {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
    }
    return Int(sum ^ 0xFFFF_FFFF)
  }
}

/// Writes WebP files chunk by chunk.
struct WebPSample {
  var chunks: [(type: String, data: [UInt8])] = []

  /// A lossy key frame's header, which is all a reader looks at.
  static func lossy(_ width: Int, _ height: Int) -> [UInt8] {
    [0x50, 0, 0, 0x9D, 0x01, 0x2A] + le(width, 2) + le(height, 2) + [0]
  }

  /// A lossless header.
  static func lossless(_ width: Int, _ height: Int) -> [UInt8] {
    [0x2F] + le((width - 1) | (height - 1) << 14, 4)
  }

  /// An extended header.
  static func header(flags: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
    [flags, 0, 0, 0] + le(width - 1, 3) + le(height - 1, 3)
  }

  var bytes: [UInt8] {
    let body = Array("WEBP".utf8) + chunks.flatMap(Self.chunk)
    return Array("RIFF".utf8) + Self.le(body.count, 4) + body
  }

  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    Array(type.utf8) + le(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
  }

  /// Types and data of a file's chunks, in order.
  static func chunks(_ bytes: [UInt8], from start: Int = 12) -> [(type: String, data: [UInt8])] {
    var found: [(String, [UInt8])] = []
    var index = start
    while index + 8 <= bytes.count {
      let length = bytes[index + 4..<index + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
      let type = String(decoding: bytes[index..<index + 4], as: UTF8.self)
      found.append((type, Array(bytes[index + 8..<index + 8 + length])))
      index += 8 + length + length % 2
    }
    return found
  }

  private static func le(_ number: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

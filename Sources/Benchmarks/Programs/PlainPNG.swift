/// Pictures of noise that no program can make smaller: true-colour PNG, the pixels stored as they are.
enum PlainPNG {
  /// A picture of that size; each seed gives another one.
  static func picture(width: Int, height: Int, seed: UInt32) -> [UInt8] {
    var pixels: [UInt8] = []
    pixels.reserveCapacity((width * 3 + 1) * height)
    var noise = seed | 1
    for _ in 0..<height {
      pixels.append(0)  // no filter
      for _ in 0..<width * 3 {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        pixels.append(UInt8(noise >> 24))
      }
    }
    let header = word(UInt32(width)) + word(UInt32(height)) + [8, 2, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", header) + chunk("IDAT", stored(pixels)) + chunk("IEND", [])
  }

  /// RFC 1950 around RFC 1951 §3.2.4: blocks of bytes as they are.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    while start < bytes.count {
      let end = min(start + 65_535, bytes.count)
      let count = UInt16(end - start)
      stream.append(end == bytes.count ? 1 : 0)
      for value in [count, ~count] { stream += [UInt8(value & 0xFF), UInt8(value >> 8)] }
      stream += bytes[start..<end]
      start = end
    }
    var (low, high) = (UInt32(1), UInt32(0))
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return stream + word(high << 16 | low)
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    var sum = UInt32.max
    for byte in named { sum = sums[Int((sum ^ UInt32(byte)) & 0xFF)] ^ sum >> 8 }
    return word(UInt32(content.count)) + named + word(~sum)
  }

  /// CRC-32 of every byte.
  private static let sums: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
  }

  private static func word(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}

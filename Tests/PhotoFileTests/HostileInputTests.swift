import PhotoFile
import Testing

@Suite("Hostile files")
struct HostileInputTests {
  private static let samples: [[UInt8]] = {
    var exif = EXIFSample.camera
    exif.gps = EXIFSample.place
    let webp = WebPSample(chunks: [
      ("VP8X", WebPSample.header(flags: 0x0E, 40, 30)), ("ANIM", [0, 0, 0, 0, 1, 0]),
      (
        "ANMF",
        [UInt8](repeating: 0, count: 16) + WebPSample.chunk("VP8L", WebPSample.lossless(4, 3))
      ),
      ("EXIF", exif.tiff),
    ])
    return [
      JPEGSample.cameraFile(exif).bytes, PNGSample(before: [("eXIf", exif.tiff)]).bytes, webp.bytes,
      HEIFSample(turns: 1, mirrorAxis: 0, exif: exif.tiff).bytes, exif.tiff,
      Array("GIF89a".utf8) + [4, 0, 3, 0, 0, 0, 0],
      Array("BM".utf8) + [UInt8](repeating: 0, count: 40),
    ]
  }()

  /// Reads and strips, whatever comes of it; a copy must be readable and final.
  private func probe(_ bytes: [UInt8]) throws {
    do throws(PictureError) {
      _ = try PictureReader.read(bytes)
      let copy = try PictureStripper.strip(bytes)
      let info = try PictureReader.read(copy)
      #expect(info.exif == nil && !info.hasGPS)
      #expect(try PictureStripper.strip(copy) == copy)
    } catch {
      // A refusal is as good as an answer here; a trap is what must not happen.
    }
  }

  @Test("no beginning of a file makes the reader trap", arguments: samples.indices)
  func prefixes(index: Int) throws {
    let sample = Self.samples[index]
    for length in 0...sample.count { try probe(Array(sample.prefix(length))) }
  }

  @Test("no single wrong byte makes the reader trap", arguments: samples.indices)
  func wrongBytes(index: Int) throws {
    let sample = Self.samples[index]
    for position in sample.indices {
      for value: UInt8 in [0x00, 0xFF, sample[position] ^ 1] {
        var bytes = sample
        bytes[position] = value
        try probe(bytes)
      }
    }
  }

  @Test("hundreds of scrambled files make no trap", arguments: samples.indices)
  func scrambled(index: Int) throws {
    var random = SeededBytes(state: UInt64(index) + 1)
    let sample = Self.samples[index]
    for _ in 0..<200 {
      var bytes = sample
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        default: bytes.remove(at: place)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      try probe(bytes)
    }
  }

  @Test("a directory that points to itself, or claims 65,535 entries, ends")
  func loops() throws {
    let loop = EXIFSample(first: [0x8769: .long(8), 0x8825: .long(8), 0x010F: .ascii("Loop")])
    let info = try PictureReader.read(JPEGSample(segments: [(0xE1, loop.marked)]).bytes)
    #expect(info.exif?.make == "Loop")
    var long = EXIFSample.camera.marked
    long.replaceSubrange(14..<16, with: [0xFF, 0xFF])
    #expect(try PictureReader.read(JPEGSample(segments: [(0xE1, long)]).bytes).orientation == 6)
  }

  @Test("a megabyte of nothing but mark bytes is refused in one pass")
  func bulk() {
    let bytes: [UInt8] = [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 1 << 20)
    #expect(throws: PictureError.self) { try PictureReader.read(bytes) }
  }
}

/// xorshift64*, so that a failure can be met again.
private struct SeededBytes: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

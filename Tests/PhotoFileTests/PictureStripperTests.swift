import PhotoFile
import Testing

@Suite("Copies that say less")
struct PictureStripperTests {
  private static let everything: EXIFSample = {
    var sample = EXIFSample.camera
    sample.gps = EXIFSample.place
    return sample
  }()

  @Test("a JPEG keeps frame, tables, scans, profile and colour marks, and nothing else (FB-D8)")
  func jpegSegments() throws {
    let sample = JPEGSample.cameraFile(Self.everything)
    let copy = try PictureStripper.strip(sample.bytes + JPEGSample(width: 9).bytes)
    #expect(JPEGSample.markers(copy) == [0xE0, 0xE1, 0xE2, 0xEE, 0xDB, 0xC0, 0xDA])
    #expect(copy.suffix(sample.scan.count + 2) == (sample.scan + [0xFF, 0xD9])[...])
    for trace in ["Fuji", "MPF", "xap", "Photoshop", "comment", "GPS"] {
      #expect(!contains(copy, Array(trace.utf8)), "\(trace) is still there")
    }
    #expect(contains(copy, Array("ICC_PROFILE\0".utf8) + [1, 1, 7, 7]))
  }

  @Test("JFIF stays for the colour model, its preview goes")
  func jfif() throws {
    let copy = try PictureStripper.strip(JPEGSample.cameraFile(.camera).bytes)
    let expected: [UInt8] =
      [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
    #expect(Array(copy[2..<20]) == expected)
  }

  @Test("the orientation survives alone, and only when it says something (FB-D7)", arguments: 1...8)
  func orientation(value: Int) throws {
    var exif = Self.everything
    exif.first[0x0112] = .short(value)
    let webp = WebPSample(chunks: [
      ("VP8X", WebPSample.header(flags: 0x0C, 400, 300)), ("VP8 ", WebPSample.lossy(400, 300)),
      ("EXIF", exif.tiff), ("XMP ", [1, 2]),
    ])
    for bytes in [
      JPEGSample.cameraFile(exif).bytes, PNGSample(after: [("eXIf", exif.tiff)]).bytes, webp.bytes,
    ] {
      let before = try PictureReader.read(bytes)
      let after = try PictureReader.read(try PictureStripper.strip(bytes))
      #expect(before.exif != nil && before.hasGPS)
      #expect(
        after
          == PictureInfo(
            kind: before.kind, width: 400, height: 300, orientation: value,
            hasColourProfile: before.kind == .jpeg))
    }
  }

  @Test("an upright picture gets no EXIF at all")
  func uprightHasNone() throws {
    let copy = try PictureStripper.strip(JPEGSample(segments: [(0xE1, EXIFSample().marked)]).bytes)
    #expect(!JPEGSample.markers(copy).contains(0xE1))
    #expect(
      PNGSample.types(try PictureStripper.strip(PNGSample().bytes)) == ["IHDR", "IDAT", "IEND"])
  }

  @Test("a PNG keeps what pixels, colours and animation need")
  func png() throws {
    let colours = ["gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "PLTE", "tRNS", "bKGD", "pHYs"]
    let motion = ["acTL", "fcTL"]
    let chatter = ["tEXt", "zTXt", "iTXt", "tIME", "eXIf", "prVt", "caBX"]
    let sample = PNGSample(
      before: (colours + motion + chatter).map { ($0, [1, 2, 3, 4]) },
      after: [("fcTL", [5]), ("fdAT", [6]), ("tEXt", [7])])
    let copy = try PictureStripper.strip(sample.bytes + Array("appended".utf8))
    let kept = ["IHDR"] + colours + motion + ["IDAT", "fcTL", "fdAT", "IEND"]
    #expect(PNGSample.types(copy) == kept)
    #expect(
      copy
        == PNGSample(
          before: (colours + motion).map { ($0, [1, 2, 3, 4]) },
          after: [("fcTL", [5]), ("fdAT", [6])]
        ).bytes)
  }

  @Test("a PNG's orientation chunk is a chunk like any other, checksum included")
  func pngOrientation() throws {
    let copy = try PictureStripper.strip(
      PNGSample(after: [("eXIf", EXIFSample.camera.tiff)]).bytes)
    let bare: [UInt8] = [
      0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0,
    ]
    #expect(copy == PNGSample(before: [("eXIf", bare + [0, 0, 0, 0])]).bytes)
  }

  @Test("a WebP keeps profile, transparency and animation, and its header stays true")
  func webp() throws {
    let place = [UInt8](repeating: 3, count: 16)
    let image =
      WebPSample.chunk("ALPH", [1, 2, 3]) + WebPSample.chunk("VP8 ", WebPSample.lossy(5, 5))
    let sample = WebPSample(chunks: [
      ("VP8X", WebPSample.header(flags: 0x3E, 400, 300)), ("ICCP", [9]),
      ("ANIM", [0, 0, 0, 0, 1, 0]),
      ("ANMF", place + image + WebPSample.chunk("note", [7, 7])), ("EXIF", EXIFSample.camera.tiff),
      ("XMP ", [4]), ("wild", [5]),
    ])
    let copy = try PictureStripper.strip(sample.bytes + [1, 2, 3, 4, 5, 6, 7, 8])
    let chunks = WebPSample.chunks(copy)
    #expect(chunks.map(\.type) == ["VP8X", "ICCP", "ANIM", "ANMF", "EXIF"])
    #expect(chunks[0].data == WebPSample.header(flags: 0x3A, 400, 300))
    #expect(chunks[3].data == place + image)
    #expect(chunks[4].data.count == 26)
    #expect(copy == WebPSample(chunks: chunks).bytes)  // the outer length is right
    let upright = WebPSample(chunks: Array(sample.chunks.dropLast(3)))
    #expect(WebPSample.chunks(try PictureStripper.strip(upright.bytes))[0].data[0] == 0x32)
  }

  @Test("a plain WebP without a header loses unannounced chunks")
  func plainWebP() throws {
    let plain = WebPSample(chunks: [("VP8L", WebPSample.lossless(4, 3))])
    let chatty = WebPSample(chunks: plain.chunks + [("EXIF", EXIFSample.camera.tiff)])
    #expect(try PictureStripper.strip(chatty.bytes) == plain.bytes)
  }

  @Test("stripping twice is stripping once")
  func idempotent() throws {
    for bytes in [
      JPEGSample.cameraFile(Self.everything).bytes,
      JPEGSample(segments: [
        (0xE1, EXIFSample.camera.marked),
        (0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]),
      ]).bytes,
      JPEGSample(scan: [1, 2, 0xFF], tail: []).bytes,
      PNGSample(before: [("eXIf", EXIFSample.camera.tiff)], after: [("tEXt", [1])]).bytes,
    ] {
      let once = try PictureStripper.strip(bytes)
      #expect(try PictureStripper.strip(once) == once)
    }
  }

  @Test("a JPEG cut off inside its image data is closed, a cut-off PNG is refused")
  func cutOff() throws {
    let jpeg = JPEGSample(tail: [])
    #expect(try PictureStripper.strip(jpeg.bytes) == JPEGSample().bytes)
    #expect(throws: PictureError.damaged("the PNG is cut off")) {
      try PictureStripper.strip(Array(PNGSample().bytes.dropLast(4)))
    }
  }

  @Test("only JPEG, PNG and WebP are copied; others are refused by kind")
  func refused() {
    #expect(throws: PictureError.unsupported(.heif)) {
      try PictureStripper.strip(HEIFSample().bytes)
    }
    #expect(throws: PictureError.unsupported(.gif)) {
      try PictureStripper.strip(Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0])
    }
    #expect(throws: PictureError.notAPicture(found: "text")) {
      try PictureStripper.strip(Array("hello".utf8))
    }
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.dropLast(part.count - 1).contains {
      bytes[$0] == part[0] && bytes[$0..<$0 + part.count].elementsEqual(part)
    }
  }
}

import PhotoFile
import Testing

@Suite("Size and orientation")
struct PictureSizeTests {
  @Test("a 400 by 300 JPEG stands upright in each orientation (FB-D7)", arguments: 1...8)
  func upright(orientation: Int) throws {
    let exif = EXIFSample(first: [0x0112: .short(orientation)])
    let info = try PictureReader.read(JPEGSample(segments: [(0xE1, exif.marked)]).bytes)
    #expect(info.orientation == orientation)
    #expect((info.width, info.height) == (400, 300))
    #expect(
      (info.uprightWidth, info.uprightHeight) == (orientation < 5 ? (400, 300) : (300, 400)))
  }

  @Test("baseline, extended, progressive, lossless and arithmetic frames are measured")
  func frames() throws {
    for marker: UInt8 in [0xC0, 0xC1, 0xC2, 0xC3, 0xC9, 0xCA] {
      let info = try PictureReader.read(JPEGSample(width: 4000, frameMarker: marker).bytes)
      #expect((info.width, info.height) == (4000, 300))
    }
  }

  @Test("a preview's frame inside EXIF is not the picture's (FB-D7)")
  func preview() throws {
    var exif = EXIFSample.camera.marked
    exif += JPEGSample(width: 160, height: 120).bytes
    let info = try PictureReader.read(JPEGSample(segments: [(0xE1, exif)]).bytes)
    #expect((info.width, info.height) == (400, 300))
  }

  @Test("stray and fill bytes between segments, restart marks and appended data are no trouble")
  func untidy() throws {
    var bytes = JPEGSample(segments: [(0xE1, EXIFSample.camera.marked)]).bytes
    bytes.insert(
      contentsOf: [0x00, 0x11, 0xFF, 0xFF, 0xFF], at: 4 + EXIFSample.camera.marked.count + 2)
    bytes += JPEGSample(width: 9, height: 9).bytes
    let info = try PictureReader.read(bytes)
    #expect((info.width, info.height, info.orientation) == (400, 300, 6))
  }

  @Test("a height given only after the first scan is found")
  func lateHeight() throws {
    let late = JPEGSample.segment(0xDC, [1, 44])
    let info = try PictureReader.read(JPEGSample(height: 0, tail: late + [0xFF, 0xD9]).bytes)
    #expect(info.height == 300)
    #expect(throws: PictureError.damaged("the JPEG has no frame with a size")) {
      try PictureReader.read(JPEGSample(height: 0).bytes)
    }
  }

  @Test("a JPEG that ends before its image data is damaged")
  func noImage() {
    #expect(throws: PictureError.damaged("the JPEG holds no image data")) {
      try PictureReader.read(JPEGSample(scan: [], tail: [0xFF, 0xD9]).bytes)
    }
    #expect(throws: PictureError.damaged("the JPEG has no frame with a size")) {
      try PictureReader.read([0xFF, 0xD8, 0xFF, 0xD9])
    }
  }

  @Test("a four-colour JPEG says so")
  func cmyk() throws {
    #expect(try PictureReader.read(JPEGSample(components: 4).bytes).isCMYK)
    #expect(try !PictureReader.read(JPEGSample(components: 1).bytes).isCMYK)
  }

  @Test("a colour profile is noticed wherever a format keeps it, and kept")
  func profile() throws {
    let webp = WebPSample(chunks: [
      ("VP8X", WebPSample.header(flags: 0x20, 4, 3)), ("ICCP", [1]),
      ("VP8 ", WebPSample.lossy(4, 3)),
    ])
    for bytes in [
      JPEGSample.cameraFile(.camera).bytes, PNGSample(before: [("iCCP", [1])]).bytes, webp.bytes,
    ] {
      #expect(try PictureReader.read(bytes).hasColourProfile)
      #expect(try PictureReader.read(PictureStripper.strip(bytes)).hasColourProfile)
    }
    for colours in ["prof", "nclx"] {
      let sample = HEIFSample(colours: colours)
      #expect(try PictureReader.read(sample.bytes).hasColourProfile == (colours == "prof"))
    }
    let none = JPEGSample(segments: [(0xE2, Array("MPF\0ICC_PROFILE".utf8))])
    #expect(try !PictureReader.read(none.bytes).hasColourProfile)
  }

  @Test("a PNG's size is its header's; its orientation may stand before or after the image")
  func png() throws {
    let exif = ("eXIf", EXIFSample(first: [0x0112: .short(8)]).tiff)
    for sample in [PNGSample(before: [exif]), PNGSample(after: [exif])] {
      let info = try PictureReader.read(sample.bytes)
      #expect((info.kind, info.width, info.height, info.orientation) == (.png, 400, 300, 8))
    }
    #expect(throws: PictureError.damaged("the PNG holds no complete image data")) {
      try PictureReader.read(Array(PNGSample().bytes.prefix(40)))
    }
  }

  @Test("lossy, lossless, extended and animated WebP are measured")
  func webp() throws {
    let frame = [UInt8](repeating: 0, count: 16) + WebPSample.chunk("VP8 ", WebPSample.lossy(5, 5))
    for chunks in [
      [("VP8 ", WebPSample.lossy(400, 300))],
      [("VP8L", WebPSample.lossless(400, 300))],
      [("VP8X", WebPSample.header(flags: 0, 400, 300)), ("VP8 ", WebPSample.lossy(400, 300))],
      [
        ("VP8X", WebPSample.header(flags: 2, 400, 300)), ("ANIM", [0, 0, 0, 0, 0, 0]),
        ("ANMF", frame),
      ],
    ] {
      let info = try PictureReader.read(WebPSample(chunks: chunks).bytes)
      #expect((info.kind, info.width, info.height) == (.webp, 400, 300))
    }
  }

  @Test("a WebP's orientation counts only where its header announces it, as in decoders")
  func webpOrientation() throws {
    for (flags, expected) in [(UInt8(0x08), 6), (0, 1)] {
      let sample = WebPSample(chunks: [
        ("VP8X", WebPSample.header(flags: flags, 400, 300)), ("VP8 ", WebPSample.lossy(400, 300)),
        ("EXIF", EXIFSample.camera.marked),
      ])
      let info = try PictureReader.read(sample.bytes)
      #expect(info.orientation == expected)
      #expect(info.exif?.make == "Fujifilm")
    }
  }

  @Test("a HEIF is measured by its main item and turned as its container says")
  func heif() throws {
    var sample = HEIFSample(exif: EXIFSample.camera.tiff)  // whose own orientation is 6
    var info = try PictureReader.read(sample.bytes)
    #expect((info.kind, info.width, info.height, info.orientation) == (.heif, 400, 300, 1))
    #expect(info.exif?.lensModel == "XF23mmF2")
    for (turns, axis, expected) in [
      (1, nil, 8), (2, nil, 3), (3, nil, 6), (nil, 1, 2), (nil, 0, 4), (1, 1, 7), (3, 0, 7),
      (3, 1, 5), (1, 0, 5),
    ] as [(UInt8?, UInt8?, Int)] {
      (sample.turns, sample.mirrorAxis) = (turns, axis)
      info = try PictureReader.read(sample.bytes)
      #expect(info.orientation == expected, "\(String(describing: (turns, axis)))")
    }
    #expect(info.uprightWidth == 300)
    sample.brand = "avif"
    #expect(try PictureReader.read(sample.bytes).kind == .avif)
  }

  @Test("TIFF, GIF and bitmap are measured for the converter")
  func others() throws {
    let tiff = EXIFSample(
      isLittleEndian: true,
      first: [0x0100: .short(400), 0x0101: .long(300), 0x0112: .short(6), 0x010F: .ascii("Epson")])
    let gif = Array("GIF89a".utf8) + [0x90, 1, 0x2C, 1, 0, 0, 0]
    let head = Array("BM".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 0x90, 1, 0, 0]
    let fromTop: [UInt8] = [0xD4, 0xFE, 0xFF, 0xFF]  // −300
    let read = try [tiff.tiff, gif, head + [0x2C, 1, 0, 0], head + fromTop].map {
      try PictureReader.read($0)
    }
    #expect(read.map(\.kind) == [.tiff, .gif, .bmp, .bmp])
    #expect(read.allSatisfy { ($0.width, $0.height) == (400, 300) })
    #expect(read[0].orientation == 6)
    #expect(read[0].exif == PictureEXIF(make: "Epson"))
  }
}

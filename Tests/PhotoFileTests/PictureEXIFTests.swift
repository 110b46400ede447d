import PhotoFile
import Testing

@Suite("Camera notes")
struct PictureEXIFTests {
  private func read(_ exif: EXIFSample) throws -> PictureInfo {
    try PictureReader.read(JPEGSample(segments: [(0xE1, exif.marked)]).bytes)
  }

  @Test("every agreed field is read, trimmed, in both byte orders", arguments: [false, true])
  func fields(isLittleEndian: Bool) throws {
    var sample = EXIFSample.camera
    sample.isLittleEndian = isLittleEndian
    let expected = PictureEXIF(
      make: "Fujifilm", model: "X-T5", lensMake: "Fujinon", lensModel: "XF23mmF2",
      exposureTime: PictureRational(1, over: 60), fNumber: PictureRational(28, over: 10),
      focalLengthIn35mm: PictureRational(35), iso: 400, flash: 16,
      dateTimeOriginal: "2024:05:06 07:08:09", offsetTimeOriginal: "+05:45")
    #expect(try read(sample).exif == expected)
  }

  @Test("PNG, WebP and HEIF carry the same notes as JPEG")
  func otherKinds() throws {
    let expected = try read(.camera).exif
    let tiff = EXIFSample.camera.tiff
    let webp = WebPSample(chunks: [
      ("VP8X", WebPSample.header(flags: 8, 4, 3)), ("VP8 ", WebPSample.lossy(4, 3)), ("EXIF", tiff),
    ])
    for bytes in [
      PNGSample(before: [("eXIf", tiff)]).bytes, webp.bytes, HEIFSample(exif: tiff).bytes,
    ] { #expect(try PictureReader.read(bytes).exif == expected) }
  }

  @Test("scaling by a million rounds, never cuts (grain-product §14)")
  func rounding() throws {
    let cases = [(41, 10, 4_100_000), (1, 60, 16_667), (28, 10, 2_800_000), (1, 3, 333_333)]
    for (numerator, denominator, expected) in cases {
      let value = try #require(PictureRational(numerator, over: denominator))
      #expect(value.rounded(times: 1_000_000) == expected)
    }
    #expect(PictureRational(1, over: 2)?.rounded(times: 1) == 1)
    #expect(PictureRational(Int(UInt32.max))?.rounded(times: 1_000_000) == 4_294_967_295_000_000)
    #expect(PictureRational(Int.max)?.rounded(times: 2) == nil)
    #expect(PictureRational(1, over: 0) == nil)
    #expect(PictureRational(-1) == nil)
    #expect(PictureRational(1, over: 4)?.value == 0.25)
  }

  @Test("zero stands for unknown and is left out")
  func zeros() throws {
    var sample = EXIFSample(first: [0x010F: .ascii("   "), 0x0110: .ascii("")])
    sample.exif = [
      0x829A: .rational([(0, 1)]), 0x829D: .rational([(0, 0)]), 0x8827: .short(0),
      0xA405: .short(0), 0x9003: .ascii("    :  :     :  :  "), 0x9011: .ascii("   :  "),
    ]
    #expect(try read(sample).exif == nil)
  }

  @Test("a sensitivity too large for its tag is taken from the longer one")
  func sensitivity() throws {
    var sample = EXIFSample(exif: [0x8827: .short(65535), 0x8832: .long(102_400)])
    #expect(try read(sample).exif?.iso == 102_400)
    sample.exif = [0x8827: .short(65535)]
    #expect(try read(sample).exif?.iso == 65535)
    sample.exif = [0x8833: .long(800)]
    #expect(try read(sample).exif?.iso == 800)
  }

  @Test(
    "dates of every common shape come out in one, impossible ones not at all",
    arguments: [
      ("2024:05:06 07:08:09", "2024:05:06 07:08:09"),
      ("2024-05-06T07:08:09", "2024:05:06 07:08:09"),
      ("2024/05/06 07.08.09.123", "2024:05:06 07:08:09"), ("0000:00:00 00:00:00", nil),
      ("2024:13:06 07:08:09", nil), ("2024:05:06", nil), ("2024:05:06 24:00:00", nil),
      ("next tuesday, maybe?", nil),
    ] as [(String, String?)])
  func dates(written: String, expected: String?) throws {
    let sample = EXIFSample(exif: [0x9003: .ascii(written), 0x9209: .short(0)])
    #expect(try read(sample).exif == PictureEXIF(flash: 0, dateTimeOriginal: expected))
  }

  @Test("a clock's distance from UTC is kept only in its proper shape")
  func offsets() throws {
    for (written, expected) in [
      ("+05:45", "+05:45"), ("-03:30", "-03:30"), ("Z", "+00:00"), ("+5", nil), ("+25:00", nil),
      ("+ab:00", nil),
    ] {
      let date = EXIFSample.Value.ascii("2024:05:06 07:08:09")
      let sample = EXIFSample(exif: [0x9003: date, 0x9011: .ascii(written)])
      #expect(try read(sample).exif?.offsetTimeOriginal == expected)
    }
  }

  @Test("a position is read for its owner and never part of the camera notes (FB-D8)")
  func position() throws {
    var sample = EXIFSample.camera
    sample.gps = EXIFSample.place
    let info = try read(sample)
    let position = try #require(info.position)
    #expect(abs(position.latitude + 27.7125) < 1e-9)
    #expect(abs(position.longitude + 85.324) < 1e-9)
    #expect(info.hasGPS)
    #expect(info.exif == (try read(.camera).exif))
    #expect(try !read(.camera).hasGPS)
  }

  @Test("an unreadable position is none, but its presence is still known")
  func damagedPosition() throws {
    for broken: [Int: EXIFSample.Value] in [
      [1: .ascii("N"), 2: .rational([(91, 1)]), 3: .ascii("E"), 4: .rational([(1, 1)])],
      [1: .ascii("N"), 2: .rational([(0, 1)]), 3: .ascii("E"), 4: .rational([(0, 1)])],
      [2: .rational([(1, 1)]), 4: .rational([(1, 1)])],
      [1: .ascii("N"), 2: .rational([(5, 0)]), 3: .ascii("E"), 4: .rational([(1, 1)])],
    ] {
      let info = try read(EXIFSample(gps: broken))
      #expect(info.position == nil)
      #expect(info.hasGPS)
    }
    let lenient = EXIFSample(gps: [
      1: .ascii("N"), 2: .rational([(48, 1), (0, 0), (0, 0)]), 3: .ascii("E"),
      4: .rational([(11, 1), (30, 1), (0, 0)]),
    ])
    #expect(try read(lenient).position == PicturePosition(latitude: 48, longitude: 11.5))
  }

  @Test("one damaged value takes no other with it, and never the picture")
  func damage() throws {
    var sample = EXIFSample.camera
    sample.exif[0x829A] = .raw(type: 5, count: 1, field: [0xFF, 0xFF, 0xFF, 0xF0])  // far outside
    sample.exif[0xA434] = .raw(type: 2, count: 0x7FFF_FFFF, field: [0, 0, 0, 8])
    sample.exif[0x829D] = .raw(type: 99, count: 1, field: [0, 0, 0, 8])
    let notes = try #require(try read(sample).exif)
    #expect(notes.exposureTime == nil)
    #expect(notes.lensModel == nil)
    #expect(notes.fNumber == nil)
    #expect((notes.make, notes.iso) == ("Fujifilm", 400))
  }

  @Test("nonsense instead of EXIF leaves a good picture good", arguments: 0..<6)
  func nonsense(index: Int) throws {
    let good = EXIFSample.camera.marked
    let blocks: [[UInt8]] = [
      Array("Exif\0\0".utf8), Array("Exif\0\0garbage".utf8), Array(good.prefix(12)),
      Array(good.prefix(40)), good.map { $0 ^ 0x55 }, EXIFSample(first: [0x0112: .short(9)]).marked,
    ]
    let info = try PictureReader.read(JPEGSample(segments: [(0xE1, blocks[index])]).bytes)
    #expect((info.width, info.height, info.orientation) == (400, 300, 1))
  }

  @Test("of two EXIF blocks the first readable one counts")
  func twoBlocks() throws {
    let segments: [(UInt8, [UInt8])] = [
      (0xE1, Array("Exif\0\0junk".utf8)), (0xE1, EXIFSample.camera.marked),
      (0xE1, EXIFSample(first: [0x0112: .short(3)]).marked),
    ]
    #expect(try PictureReader.read(JPEGSample(segments: segments).bytes).orientation == 6)
  }

  @Test("an editor's note of the lens maker outranks the camera's (grain-product §14)")
  func editorsLens() throws {
    for packet in ["<a aux:LensMake=\" Zeiss \"/>", "<aux:LensMake>Zeiss</aux:LensMake>"] {
      let xmp = Array("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8)
      let both = JPEGSample(segments: [(0xE1, EXIFSample.camera.marked), (0xE1, xmp)])
      #expect(try PictureReader.read(both.bytes).exif?.lensMake == "Zeiss")
      let alone = JPEGSample(segments: [(0xE1, xmp)])
      #expect(try PictureReader.read(alone.bytes).exif == PictureEXIF(lensMake: "Zeiss"))
    }
  }

  @Test("texts in Latin-1 or with control characters are still readable")
  func texts() throws {
    let bytes: [UInt8] = [0x4C, 0xE9, 0x00, 0x58]  // "Lé", NUL, leftovers
    let sample = EXIFSample(first: [
      0x010F: .raw(type: 2, count: 4, field: bytes), 0x0110: .ascii("Q\u{8}3 ü"),
    ])
    #expect(try read(sample).exif == PictureEXIF(make: "Lé", model: "Q3 ü"))
  }
}

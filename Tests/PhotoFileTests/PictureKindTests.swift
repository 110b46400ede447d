import PhotoFile
import Testing

@Suite("Kinds of files")
struct PictureKindTests {
  @Test(
    "the kind comes from the bytes, whatever the file is called (FB-D9)",
    arguments: [
      ("\u{FF}\u{D8}\u{FF}\u{E0}", PictureKind.jpeg),
      ("\u{89}PNG\r\n\u{1A}\n", .png),
      ("RIFF\0\0\0\0WEBPVP8 ", .webp),
      ("GIF89a", .gif),
      ("II*\0\u{8}\0\0\0", .tiff),
      ("MM\0*\0\0\0\u{8}", .tiff),
      ("BM1234\0\0\0\0\u{36}\0", .bmp),
      ("\0\0\0\u{14}ftypheic\0\0\0\0mif1", .heif),
      ("\0\0\0\u{14}ftypmif1\0\0\0\0heic", .heif),
      ("\0\0\0\u{14}ftypmif1\0\0\0\0avif", .avif),
      ("\0\0\0\u{14}ftypavif\0\0\0\0mif1", .avif),
      ("\0\0\0\u{14}ftypmp42\0\0\0\0isom", .video),
      ("\0\0\0\u{14}ftypqt  \0\0\0\0qt  ", .video),
      ("\0\0\0\u{8}moov", .video),
      ("RIFF\0\0\0\0AVI LIST", .video),
      ("\u{1A}E\u{DF}\u{A3}", .video),
      ("\0\0\0\u{14}ftypcrx \0\0\0\0isom", .raw),
      ("II*\0\u{10}\0\0\0CR\u{2}\0", .raw),
      ("FUJIFILMCCD-RAW 0201", .raw),
      ("IIU\0\u{18}\0\0\0", .raw),
      ("\u{FF}\n", .jpegXL),
      ("BMW cars and more", .unknown),
      ("0123456\u{7F}WEBP", .unknown),
      ("", .unknown),
    ] as [(String, PictureKind)])
  func kind(content: String, expected: PictureKind) {
    #expect(PictureKind(of: Array(latin1: content)) == expected)
  }

  @Test(
    "a camera's raw file is told from a plain TIFF by its first directory",
    arguments: [
      ([0xC612: .long(0x0104_0000)], PictureKind.raw),  // DNG
      ([0x0103: .short(34713)], .raw),  // NEF
      ([0x00FE: .long(1), 0x014A: .long(99), 0x010F: .ascii("SONY")], .raw),
      ([0x00FE: .long(1), 0x0100: .long(10)], .tiff),
      ([0x0103: .short(5), 0x010F: .ascii("SONY")], .tiff),
    ] as [([Int: EXIFSample.Value], PictureKind)])
  func raw(directory: [Int: EXIFSample.Value], expected: PictureKind) {
    #expect(PictureKind(of: EXIFSample(first: directory).tiff) == expected)
  }

  @Test("films, raw files and JPEG XL are refused by their kind")
  func refused() {
    let files: [(String, PictureKind)] = [
      ("\0\0\0\u{14}ftypmp42\0\0\0\0isom", .video), ("FUJIFILMCCD-RAW 0201", .raw),
      ("\u{FF}\n\0\0", .jpegXL),
    ]
    for (content, kind) in files {
      #expect(throws: PictureError.unsupported(kind)) {
        try PictureReader.read(Array(latin1: content))
      }
    }
  }

  @Test("what is no picture is refused with the content named (FB-D9)")
  func named() {
    for (text, found) in [
      ("Dear diary,\n", "text"), ("%PDF-1.7", "PDF document"), ("PK\u{3}\u{4}", "ZIP archive"),
      ("<!DOCTYPE html><p>", "web page"), ("<?xml?><svg/>", "SVG drawing"), ("\u{1}\u{2}", nil),
    ] {
      #expect(throws: PictureError.notAPicture(found: found)) {
        try PictureReader.read(Array(text.utf8))
      }
    }
    #expect(throws: PictureError.empty) { try PictureReader.read([]) }
  }

  @Test("each publishable kind is sent under its own media type")
  func mediaTypes() {
    #expect(PictureKind.jpeg.mediaType == "image/jpeg")
    #expect(PictureKind.png.mediaType == "image/png")
    #expect(PictureKind.webp.mediaType == "image/webp")
    #expect(PictureKind.allCases.filter(\.isStrippable) == [.jpeg, .png, .webp])
  }
}

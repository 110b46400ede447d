extension PictureKind {
  /// The kind of a file, from its first bytes (for TIFF also from its first directory).
  ///
  /// - Parameter bytes: the whole file; only its head is looked at.
  package init(of bytes: [UInt8]) { self.init(of: ByteWindow(bytes)) }

  init(of file: ByteWindow) {
    self =
      switch Self.family(of: file) {
      case .tiff: TIFFPicture.isRaw(file) ? .raw : .tiff
      case .unknown: ISOBrands(file)?.kind ?? .unknown
      case let family: family
      }
  }

  private static func family(of file: ByteWindow) -> PictureKind {
    for (kind, offset, magic) in signatures where file.holds(magic, at: offset) {
      switch kind {
      case .webp where !file.holds(Array("RIFF".utf8), at: 0): continue
      case .bmp where !file.holds([0, 0, 0, 0], at: 6): continue  // "BM" also starts words
      default: return kind
      }
    }
    return .unknown
  }

  /// Kind, offset, what stands there. The first row that matches decides.
  private static let signatures: [(PictureKind, Int, [UInt8])] = [
    (.jpeg, 0, [0xFF, 0xD8, 0xFF]),
    (.png, 0, PNGChunks.signature),
    (.gif, 0, Array("GIF87a".utf8)),
    (.gif, 0, Array("GIF89a".utf8)),
    (.webp, 8, Array("WEBP".utf8)),
    (.video, 8, Array("AVI LIST".utf8)),
    (.video, 4, Array("moov".utf8)),  // QuickTime from before file types
    (.video, 4, Array("mdat".utf8)),
    (.video, 0, [0x1A, 0x45, 0xDF, 0xA3]),  // EBML: Matroska and WebM
    (.jpegXL, 0, [0xFF, 0x0A]),
    (.jpegXL, 0, [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
    (.raw, 8, Array("CR".utf8) + [2, 0]),  // CR2 hides in a TIFF header
    (.raw, 0, Array("IIRO".utf8)),  // Olympus
    (.raw, 0, Array("IIRS".utf8)),
    (.raw, 0, Array("MMOR".utf8)),
    (.raw, 0, [0x49, 0x49, 0x55, 0]),  // Panasonic RW2
    (.raw, 0, Array("FUJIFILMCCD-RAW".utf8)),
    (.raw, 0, Array("FOVb".utf8)),  // Sigma X3F
    (.raw, 0, [0] + Array("MRM".utf8)),  // Minolta
    (.tiff, 0, [0x49, 0x49, 0x2A, 0]),
    (.tiff, 0, [0x4D, 0x4D, 0, 0x2A]),
    (.bmp, 0, Array("BM".utf8)),
  ]
}

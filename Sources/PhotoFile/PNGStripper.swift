/// Copies the chunks of a PNG that pixels, colours and animation need.
enum PNGStripper {
  static func strip(_ file: ByteWindow, orientation: Int) throws(PictureError) -> [UInt8] {
    var copy = PNGChunks.signature
    copy.reserveCapacity(file.count)
    var isComplete = false
    for chunk in PNGChunks(file) where isKept(chunk.type) {
      copy += chunk.whole.content
      if chunk.type == "IHDR", orientation != 1 {
        copy += PNGChunks.chunk("eXIf", OrientationBlock.tiff(orientation))
      }
      isComplete = chunk.type == "IEND"
    }
    // Unlike a JPEG's, a cut-off PNG's decoder gives up.
    guard isComplete else { throw .damaged("the PNG is cut off") }
    return copy
  }

  private static let kept: Set = [
    "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP", "mDCV", "cLLI", "tRNS", "bKGD", "pHYs",
    "acTL", "fcTL", "fdAT",
  ]

  /// A capital first letter means a decoder must not go on without the chunk.
  private static func isKept(_ type: String) -> Bool {
    kept.contains(type) || type.utf8.first.map { $0 & 0x20 == 0 } == true
  }
}

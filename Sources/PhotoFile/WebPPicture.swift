/// Size, orientation and notes of a WebP in any of its three layouts.
enum WebPPicture {
  /// The bits of a VP8X header's first byte.
  enum Flag {
    static let exif: UInt8 = 0x08
    static let xmp: UInt8 = 0x04
  }

  static func read(_ file: ByteWindow) throws(PictureError) -> PictureInfo {
    var size: (width: Int, height: Int)?
    var flags: UInt8 = 0
    var exif: EXIFBlock?
    var hasProfile = false
    var hasImage = false
    for chunk in WebPChunks(file: file) {
      switch chunk.type {
      case "VP8X" where size == nil:
        flags = chunk.data[0] ?? 0
        size = canvas(chunk.data)
      case "VP8 ", "VP8L", "ANMF":
        hasImage = true
        size = size ?? (chunk.type == "VP8 " ? lossy(chunk.data) : lossless(chunk.data))
      case "ICCP": hasProfile = true
      case "EXIF": exif = exif ?? EXIFBlock(chunk.data)
      default: continue
      }
    }
    guard hasImage else { throw .damaged("the WebP holds no complete image data") }
    guard let size else { throw .damaged("the WebP gives no size") }
    var block = exif ?? EXIFBlock()
    // Decoders turn the picture only where the header announces the block.
    if flags & Flag.exif == 0 { block.orientation = 1 }
    return PictureInfo(
      kind: .webp, width: size.width, height: size.height, exif: block, hasColourProfile: hasProfile
    )
  }

  private static func canvas(_ header: ByteWindow) -> (Int, Int)? {
    guard let width = header.number(at: 4, width: 3, .little),
      let height = header.number(at: 7, width: 3, .little)
    else { return nil }
    return (width + 1, height + 1)
  }

  /// A key frame's header: start code, then 14 bits of size and two of scale for each side.
  private static func lossy(_ data: ByteWindow) -> (Int, Int)? {
    guard data.holds([0x9D, 0x01, 0x2A], at: 3),
      let width = data.number(at: 6, width: 2, .little),
      let height = data.number(at: 8, width: 2, .little), width & 0x3FFF > 0, height & 0x3FFF > 0
    else { return nil }
    return (width & 0x3FFF, height & 0x3FFF)
  }

  /// A signature byte, then width − 1 and height − 1 in 14 bits each.
  private static func lossless(_ data: ByteWindow) -> (Int, Int)? {
    guard data[0] == 0x2F, let bits = data.number(at: 1, width: 4, .little) else { return nil }
    return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
  }
}

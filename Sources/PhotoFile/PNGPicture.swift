/// Size, orientation and notes of a PNG.
enum PNGPicture {
  static func read(_ file: ByteWindow) throws(PictureError) -> PictureInfo {
    var size: (width: Int, height: Int)?
    var exif: EXIFBlock?
    var hasProfile = false
    var hasImage = false
    for chunk in PNGChunks(file) {
      switch chunk.type {
      case "IHDR" where size == nil:
        guard let width = chunk.data.number(at: 0, width: 4),
          let height = chunk.data.number(at: 4, width: 4), width > 0, height > 0
        else { throw .damaged("the PNG header gives no size") }
        size = (width, height)
      case "eXIf": exif = exif ?? EXIFBlock(chunk.data)
      case "iCCP": hasProfile = true
      case "IDAT": hasImage = true
      default: continue
      }
    }
    guard let size else { throw .damaged("the PNG has no header") }
    guard hasImage else { throw .damaged("the PNG holds no complete image data") }
    return PictureInfo(
      kind: .png, width: size.width, height: size.height, exif: exif ?? EXIFBlock(),
      hasColourProfile: hasProfile)
  }
}

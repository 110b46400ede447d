/// Sizes of the simple formats that are only ever converted, never published as they are.
enum OtherPictures {
  /// The logical screen of a GIF.
  static func readGIF(_ file: ByteWindow) throws(PictureError) -> PictureInfo {
    guard let width = file.number(at: 6, width: 2, .little),
      let height = file.number(at: 8, width: 2, .little), width > 0, height > 0
    else { throw .damaged("the GIF gives no size") }
    return PictureInfo(kind: .gif, width: width, height: height)
  }

  /// A Windows bitmap; a negative height means "stored from the top".
  static func readBMP(_ file: ByteWindow) throws(PictureError) -> PictureInfo {
    guard let header = file.number(at: 14, width: 4, .little) else {
      throw .damaged("the bitmap has no header")
    }
    let field = header == 12 ? 2 : 4  // the oldest header has short fields
    guard let width = file.number(at: 18, width: field, .little),
      let height = file.number(at: 18 + field, width: field, .little)
    else { throw .damaged("the bitmap gives no size") }
    let upright = height > Int(Int32.max) ? 1 << 32 - height : height
    guard width > 0, width <= Int(Int32.max), upright > 0 else {
      throw .damaged("the bitmap gives no size")
    }
    return PictureInfo(kind: .bmp, width: width, height: upright)
  }
}

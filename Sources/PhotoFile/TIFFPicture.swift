/// Size and notes of a TIFF file, and whether it is a camera's raw file in TIFF's clothes.
enum TIFFPicture {
  static func read(_ file: ByteWindow) throws(PictureError) -> PictureInfo {
    guard let first = TIFFDirectory(firstOf: file), let width = first.number(0x0100),
      let height = first.number(0x0101), width > 0, height > 0
    else { throw .damaged("the TIFF directory gives no size") }
    return PictureInfo(
      kind: .tiff, width: width, height: height, exif: EXIFBlock(first),
      isCMYK: first.number(0x0106) == 5, hasColourProfile: first.has(0x8773))
  }

  /// DNG says so; other makers put a small preview first and the sensor data in sub-directories,
  /// or use a compression of their own (NEF 34713, ARW 32767, PEF 65535).
  static func isRaw(_ file: ByteWindow) -> Bool {
    guard let first = TIFFDirectory(firstOf: file) else { return false }
    if first.has(0xC612) { return true }
    if let compression = first.number(0x0103), [32767, 34713, 65535].contains(compression) {
      return true
    }
    return first.number(0x00FE) == 1 && first.has(0x014A) && first.has(0x010F)
  }
}

/// The smallest EXIF structure there is: a header and one tag, the orientation.
enum OrientationBlock {
  /// A TIFF structure of 26 bytes, big-endian, without the `Exif` mark JPEG puts before it.
  static func tiff(_ orientation: Int) -> [UInt8] {
    [
      0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8,  // header; the directory is at 8
      0, 1,  // one entry:
      0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(clamping: orientation), 0, 0,  // Orientation, SHORT
      0, 0, 0, 0,  // no further directory
    ]
  }
}

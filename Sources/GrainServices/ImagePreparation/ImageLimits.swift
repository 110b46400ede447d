package import PhotoFile

/// How large a published picture may be (grain-product §12).
package struct ImageLimits: Equatable, Sendable {
  /// Most pixels across, upright.
  package var width: Int
  /// Most pixels down, upright.
  package var height: Int
  /// Most bytes.
  package var bytes: Int
  /// Most bytes of a source file that is looked at, at all.
  package var sourceBytes: Int

  /// Limits; the ones of grain.social unless others are given.
  package init(
    width: Int = 2000, height: Int = 2000, bytes: Int = 900_000, sourceBytes: Int = 100 << 20
  ) {
    self.width = width
    self.height = height
    self.bytes = bytes
    self.sourceBytes = sourceBytes
  }

  /// Whether the upright picture has few enough pixels each way.
  package func admitPixels(of info: PictureInfo) -> Bool {
    info.uprightWidth <= width && info.uprightHeight <= height
  }
}

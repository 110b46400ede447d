package import PhotoFile

/// A picture file that may leave this machine.
package struct PreparedImage: Equatable, Sendable {
  /// `image/jpeg`, `image/png` or `image/webp`, true to the bytes.
  package let mediaType: String
  /// Pixels across of the upright picture.
  package let width: Int
  /// Pixels down of the upright picture.
  package let height: Int
  /// Size of the file.
  package let bytes: Int
  /// The camera's notes from the original; they are no longer in the file.
  package let exif: PictureEXIF?
  /// Where the original says it was taken, for its owner's choice of a place only.
  package let position: PicturePosition?

  /// Describes a prepared file.
  package init(
    mediaType: String, width: Int, height: Int, bytes: Int, exif: PictureEXIF? = nil,
    position: PicturePosition? = nil
  ) {
    self.mediaType = mediaType
    self.width = width
    self.height = height
    self.bytes = bytes
    self.exif = exif
    self.position = position
  }
}

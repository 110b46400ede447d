/// What a picture file says about itself.
package struct PictureInfo: Sendable, Equatable {
  /// The kind, from the bytes.
  package var kind: PictureKind
  /// Pixels across as stored, from the image frame and never from metadata (FB-D7).
  package var width: Int
  /// Pixels down as stored.
  package var height: Int
  /// How to show the stored pixels, 1…8 as in EXIF; 1 when nothing valid is said. For HEIF and
  /// AVIF it comes from the container's own rotation, which outranks EXIF there.
  package var orientation: Int
  /// The camera's own notes, without any position; `nil` when there are none.
  package var exif: PictureEXIF?
  /// Where it was taken, if it says so in a readable way.
  package var position: PicturePosition?
  /// True when the EXIF block points to position data, even damaged data.
  package var hasGPS: Bool
  /// True for a four-colour (CMYK) JPEG, whose colours need converting before editing.
  package var isCMYK: Bool
  /// True when the file carries an ICC profile, so that its numbers are not simply sRGB.
  package var hasColourProfile: Bool

  /// Makes a description; only kind and size are required.
  package init(
    kind: PictureKind, width: Int, height: Int, orientation: Int = 1, exif: PictureEXIF? = nil,
    position: PicturePosition? = nil, hasGPS: Bool = false, isCMYK: Bool = false,
    hasColourProfile: Bool = false
  ) {
    self.kind = kind
    self.width = width
    self.height = height
    self.orientation = orientation
    self.exif = exif
    self.position = position
    self.hasGPS = hasGPS
    self.isCMYK = isCMYK
    self.hasColourProfile = hasColourProfile
  }

  /// Pixels across once shown upright.
  package var uprightWidth: Int { orientation >= 5 ? height : width }
  /// Pixels down once shown upright.
  package var uprightHeight: Int { orientation >= 5 ? width : height }
}

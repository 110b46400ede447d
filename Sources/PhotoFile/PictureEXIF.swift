/// What the camera noted about an exposure, as written in the file; never a position.
///
/// Texts are trimmed and never empty; a value of zero where zero means "unknown" is absent.
/// - SeeAlso: Exif 2.32 (CIPA DC-008) §4.6
package struct PictureEXIF: Sendable, Equatable {
  /// The camera's maker.
  package var make: String?
  /// The camera's model.
  package var model: String?
  /// The lens's maker: the editor's note (XMP `aux`) if there is one, else the EXIF tag.
  package var lensMake: String?
  /// The lens's model.
  package var lensModel: String?
  /// Seconds the shutter was open.
  package var exposureTime: PictureRational?
  /// The f-number.
  package var fNumber: PictureRational?
  /// Focal length in millimetres as if on 35 mm film.
  package var focalLengthIn35mm: PictureRational?
  /// ISO sensitivity.
  package var iso: Int?
  /// The flash bits as the tag holds them.
  package var flash: Int?
  /// When the shutter opened, by the camera's clock: always shaped `yyyy:MM:dd HH:mm:ss`.
  package var dateTimeOriginal: String?
  /// That clock's distance from UTC, shaped `+hh:mm` or `-hh:mm`.
  package var offsetTimeOriginal: String?

  /// Makes a set of notes; everything may be missing.
  package init(
    make: String? = nil, model: String? = nil, lensMake: String? = nil, lensModel: String? = nil,
    exposureTime: PictureRational? = nil, fNumber: PictureRational? = nil,
    focalLengthIn35mm: PictureRational? = nil, iso: Int? = nil, flash: Int? = nil,
    dateTimeOriginal: String? = nil, offsetTimeOriginal: String? = nil
  ) {
    self.make = make
    self.model = model
    self.lensMake = lensMake
    self.lensModel = lensModel
    self.exposureTime = exposureTime
    self.fNumber = fNumber
    self.focalLengthIn35mm = focalLengthIn35mm
    self.iso = iso
    self.flash = flash
    self.dateTimeOriginal = dateTimeOriginal
    self.offsetTimeOriginal = offsetTimeOriginal
  }

  /// True when nothing at all was noted.
  package var isEmpty: Bool { self == PictureEXIF() }
}

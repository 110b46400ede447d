package import ATSyntax
package import StrictJSON

/// `social.grain.photo.exif`: what the camera wrote, without the place.
///
/// The lexicon has no fractions: numbers are stored × 1 000 000, **rounded** (1/60 s → 16667; the
/// current app truncates, grain-product §14).
package struct PhotoEXIFRecord: LexiconRecord {
  /// Its collection, and its `$type`.
  package static let collection = CollectionNames.photoEXIF

  /// The photo it belongs to.
  package var photo: ATURI
  /// When its author made it.
  package var createdAt: ATDateTime
  /// The facts.
  package var exif: PhotoEXIF

  /// Facts about one photo.
  package init(photo: ATURI, createdAt: ATDateTime, exif: PhotoEXIF) {
    self.photo = photo
    self.createdAt = createdAt
    self.exif = exif
  }

  /// As it is written, `$type` first.
  package var json: JSONObject {
    object([
      ("photo", .uri(photo)), ("createdAt", .date(createdAt)),
      ("dateTimeOriginal", exif.dateTimeOriginal.map(JSONValue.date)),
      ("exposureTime", .scaled(exif.exposureTime)), ("fNumber", .scaled(exif.fNumber)),
      ("flash", .text(exif.flash)),
      ("focalLengthIn35mmFormat", .scaled(exif.focalLengthIn35mmFormat)),
      ("iSO", .scaled(exif.iSO)), ("lensMake", .text(exif.lensMake)),
      ("lensModel", .text(exif.lensModel)), ("make", .text(exif.make)),
      ("model", .text(exif.model)),
    ])
  }
}

/// The facts of ``PhotoEXIFRecord``, in the camera's own units.
package struct PhotoEXIF: Codable, Hashable, Sendable {
  /// When the picture was taken.
  package var dateTimeOriginal: ATDateTime?
  /// Seconds.
  package var exposureTime: Double?
  /// The aperture as N in f/N.
  package var fNumber: Double?
  /// Whether it fired, in words.
  package var flash: String?
  /// Millimetres.
  package var focalLengthIn35mmFormat: Double?
  /// The sensitivity.
  package var iSO: Double?
  /// Who made the lens.
  package var lensMake: String?
  /// Which lens.
  package var lensModel: String?
  /// Who made the camera.
  package var make: String?
  /// Which camera.
  package var model: String?

  /// The facts that were found; none are required.
  package init(
    dateTimeOriginal: ATDateTime? = nil, exposureTime: Double? = nil, fNumber: Double? = nil,
    flash: String? = nil, focalLengthIn35mmFormat: Double? = nil, iSO: Double? = nil,
    lensMake: String? = nil, lensModel: String? = nil, make: String? = nil, model: String? = nil
  ) {
    self.dateTimeOriginal = dateTimeOriginal
    self.exposureTime = exposureTime
    self.fNumber = fNumber
    self.flash = flash
    self.focalLengthIn35mmFormat = focalLengthIn35mmFormat
    self.iSO = iSO
    self.lensMake = lensMake
    self.lensModel = lensModel
    self.make = make
    self.model = model
  }

  /// Nothing worth a record was found.
  package var isEmpty: Bool { self == PhotoEXIF() }

  /// A number as the lexicon stores it; `nil` for what has no such form (not finite, negative,
  /// beyond the integers a record can hold).
  package static func scaled(_ value: Double) -> Int? {
    let scaled = (value * 1_000_000).rounded()
    return scaled >= 0 && scaled <= 9_007_199_254_740_991 ? Int(scaled) : nil
  }
}

extension JSONValue {
  fileprivate static func scaled(_ value: Double?) -> JSONValue? {
    .integer(value.flatMap(PhotoEXIF.scaled))
  }
}

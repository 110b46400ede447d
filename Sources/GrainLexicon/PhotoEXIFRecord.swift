package import ATSyntax
package import StrictJSON

/// `social.grain.photo.exif`: what the camera wrote, without the place.
///
/// The lexicon has no fractions: numbers are stored × 1 000 000, **rounded** (1/60 s → 16667; the
/// current app truncates, grain-product §14).
package struct PhotoEXIFRecord: LexiconRecord {
  package static let collection = CollectionNames.photoEXIF

  package var photo: ATURI
  package var createdAt: ATDateTime
  package var exif: PhotoEXIF

  package init(photo: ATURI, createdAt: ATDateTime, exif: PhotoEXIF) {
    self.photo = photo
    self.createdAt = createdAt
    self.exif = exif
  }

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
  package var dateTimeOriginal: ATDateTime?
  /// Seconds.
  package var exposureTime: Double?
  package var fNumber: Double?
  package var flash: String?
  /// Millimetres.
  package var focalLengthIn35mmFormat: Double?
  package var iSO: Double?
  package var lensMake: String?
  package var lensModel: String?
  package var make: String?
  package var model: String?

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

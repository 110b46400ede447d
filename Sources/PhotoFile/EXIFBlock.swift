/// What one EXIF block says, wherever a format keeps it. Reading never fails: damage only means
/// that less is known (field-bugs FB-D7, FB-D8).
struct EXIFBlock {
  /// 1…8; 1 unless a valid one is written.
  var orientation = 1
  /// The camera's notes.
  var camera: PictureEXIF?
  /// The place, if readable.
  var position: PicturePosition?
  /// Whether there is a pointer to position data.
  var hasGPS = false

  /// Nothing known.
  init() {}

  /// Reads a TIFF structure; `nil` when there is no TIFF header, so a caller may look elsewhere.
  ///
  /// - Parameter content: the structure, or one behind the `Exif\0\0` mark of JPEG.
  init?(_ content: ByteWindow) {
    let isMarked = content.holds(Array("Exif\0".utf8), at: 0)
    guard let first = TIFFDirectory(firstOf: isMarked ? content.rest(from: 6) : content) else {
      return nil
    }
    self.init(first)
  }

  /// Reads from the first directory of a TIFF structure.
  init(_ first: TIFFDirectory) {
    if let written = first.number(Tag.orientation), (1...8).contains(written) {
      orientation = written
    }
    hasGPS = first.has(Tag.gpsPointer)
    position = first.directory(Tag.gpsPointer).flatMap(Self.position)
    let notes = Self.camera(first, first.directory(Tag.exifPointer))
    camera = notes.isEmpty ? nil : notes
  }

  private static func camera(_ first: TIFFDirectory, _ exif: TIFFDirectory?) -> PictureEXIF {
    let moment = exif?.text(Tag.dateTimeOriginal).flatMap(EXIFMoment.dateTime)
    return PictureEXIF(
      make: first.text(Tag.make), model: first.text(Tag.model),
      lensMake: exif?.text(Tag.lensMake), lensModel: exif?.text(Tag.lensModel),
      exposureTime: positive(exif?.rational(Tag.exposureTime)),
      fNumber: positive(exif?.rational(Tag.fNumber)),
      focalLengthIn35mm: positive(
        exif?.number(Tag.focalLengthIn35mm).flatMap { PictureRational($0) }),
      iso: exif.flatMap(sensitivity), flash: exif?.number(Tag.flash), dateTimeOriginal: moment,
      offsetTimeOriginal: moment == nil
        ? nil : exif?.text(Tag.offsetTimeOriginal).flatMap(EXIFMoment.offset))
  }

  /// The sensitivity tag is a SHORT: cameras above 65534 write 65535 and the truth elsewhere.
  private static func sensitivity(_ exif: TIFFDirectory) -> Int? {
    let short = exif.number(Tag.photographicSensitivity) ?? 0
    guard short == 0 || short == 65535 else { return short }
    let others = [Tag.recommendedExposureIndex, Tag.standardOutputSensitivity, Tag.isoSpeed]
    let long = others.lazy.compactMap { exif.number($0) }.first { $0 > 0 }
    return long ?? (short > 0 ? short : nil)
  }

  private static func positive(_ value: PictureRational?) -> PictureRational? {
    value.flatMap { $0.numerator > 0 ? $0 : nil }
  }

  private static func position(_ gps: TIFFDirectory) -> PicturePosition? {
    guard let latitude = degrees(gps, value: 2, reference: 1, negative: "S"),
      let longitude = degrees(gps, value: 4, reference: 3, negative: "W")
    else { return nil }
    return PicturePosition(latitude: latitude, longitude: longitude)
  }

  private static func degrees(
    _ gps: TIFFDirectory, value: Int, reference: Int, negative: String
  ) -> Double? {
    guard let whole = gps.rational(value)?.value, let side = gps.text(reference) else { return nil }
    // Some writers leave minutes or seconds as 0/0.
    let minutes = gps.rational(value, at: 1)?.value ?? 0
    let seconds = gps.rational(value, at: 2)?.value ?? 0
    let size = whole + minutes / 60 + seconds / 3600
    return side.uppercased().hasPrefix(negative) ? -size : size
  }

  private enum Tag {
    static let make = 0x010F
    static let model = 0x0110
    static let orientation = 0x0112
    static let exposureTime = 0x829A
    static let fNumber = 0x829D
    static let exifPointer = 0x8769
    static let gpsPointer = 0x8825
    static let photographicSensitivity = 0x8827
    static let standardOutputSensitivity = 0x8831
    static let recommendedExposureIndex = 0x8832
    static let isoSpeed = 0x8833
    static let dateTimeOriginal = 0x9003
    static let offsetTimeOriginal = 0x9011
    static let flash = 0x9209
    static let focalLengthIn35mm = 0xA405
    static let lensMake = 0xA433
    static let lensModel = 0xA434
  }
}

/// What kind of file the bytes are, told by the bytes themselves and never by a name (FB-D9).
package enum PictureKind: String, Sendable, CaseIterable {
  /// Baseline, progressive, greyscale, RGB or CMYK: whatever stands in a JPEG stream.
  case jpeg
  /// PNG, animated or not.
  case png
  /// WebP in its three layouts: lossy, lossless, extended.
  case webp
  /// HEIF with any coding but AV1, above all what telephones write as `.heic`.
  case heif
  /// HEIF with AV1 coding.
  case avif
  /// A plain TIFF.
  case tiff
  /// GIF, animated or not.
  case gif
  /// A Windows bitmap.
  case bmp
  /// JPEG XL, as a bare stream or in its container.
  case jpegXL
  /// A camera's raw sensor file (CR2, CR3, NEF, ARW, DNG, RAF, ORF, RW2 …).
  case raw
  /// A film: MP4, QuickTime, Matroska, AVI.
  case video
  /// Nothing this room knows.
  case unknown

  /// The media type to send with such bytes (`image/jpeg` …).
  package var mediaType: String {
    switch self {
    case .jpeg: "image/jpeg"
    case .png: "image/png"
    case .webp: "image/webp"
    case .heif: "image/heif"
    case .avif: "image/avif"
    case .tiff: "image/tiff"
    case .gif: "image/gif"
    case .bmp: "image/bmp"
    case .jpegXL: "image/jxl"
    case .raw: "image/x-raw"
    case .video: "video/mp4"
    case .unknown: "application/octet-stream"
    }
  }

  /// Whether ``PictureStripper`` can make a lossless copy without metadata.
  package var isStrippable: Bool { self == .jpeg || self == .png || self == .webp }
}

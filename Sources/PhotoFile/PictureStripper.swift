/// Makes a copy of a picture that says less: the same pixels without metadata (FB-D8).
package enum PictureStripper {
  /// The picture without EXIF, XMP, IPTC, comments, previews, second pictures and whatever was
  /// appended to it.
  ///
  /// Nothing is decoded, so no pixel changes. What colours depend on stays (colour profile,
  /// Adobe's transform mark, PNG's colour chunks), and so does animation. A picture that has to
  /// be turned to stand upright keeps that one number, in an EXIF block of nothing else (FB-D7).
  /// Stripping twice gives the same bytes as stripping once.
  ///
  /// - Parameter bytes: a whole JPEG, PNG or WebP file.
  /// - Returns: a whole file of the same kind.
  /// - Throws: `PictureError`: `.unsupported` for every other kind, else as ``PictureReader``;
  ///   `.damaged` also where image data is cut off so that decoders would refuse it.
  package static func strip(_ bytes: [UInt8]) throws(PictureError) -> [UInt8] {
    let info = try PictureReader.read(bytes)
    let file = ByteWindow(bytes)
    return switch info.kind {
    case .jpeg: JPEGStripper.strip(file, orientation: info.orientation)
    case .png: try PNGStripper.strip(file, orientation: info.orientation)
    case .webp: WebPStripper.strip(file, orientation: info.orientation)
    default: throw .unsupported(info.kind)
    }
  }
}

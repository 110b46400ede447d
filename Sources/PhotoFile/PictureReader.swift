/// Reads what a picture file says about itself.
package enum PictureReader {
  /// Kind, size, orientation and camera notes, from the bytes alone.
  ///
  /// Work is bounded by the number of bytes, and no input makes it trap. Damaged metadata only
  /// means that less is known; the picture itself is not decoded.
  ///
  /// - Parameter bytes: the whole file.
  /// - Returns: what the file says; an orientation of 1 when it says none.
  /// - Throws: `PictureError`: `.empty`; `.notAPicture`; `.unsupported` for films, raw files and
  ///   JPEG XL, which are recognised but not measured; `.damaged` when the frame gives no size.
  package static func read(_ bytes: [UInt8]) throws(PictureError) -> PictureInfo {
    guard !bytes.isEmpty else { throw .empty }
    let file = ByteWindow(bytes)
    let kind = PictureKind(of: file)
    return switch kind {
    case .jpeg: try JPEGPicture.read(file)
    case .png: try PNGPicture.read(file)
    case .webp: try WebPPicture.read(file)
    case .heif, .avif: try HEIFPicture.read(file, kind: kind)
    case .tiff: try TIFFPicture.read(file)
    case .gif: try OtherPictures.readGIF(file)
    case .bmp: try OtherPictures.readBMP(file)
    case .jpegXL, .raw, .video: throw .unsupported(kind)
    case .unknown: throw .notAPicture(found: FileGuess.name(file))
    }
  }
}

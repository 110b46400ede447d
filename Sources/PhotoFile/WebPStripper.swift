/// Copies the chunks of a WebP that pixels, colours and animation need, and keeps its header true.
enum WebPStripper {
  static func strip(_ file: ByteWindow, orientation: Int) -> [UInt8] {
    var copy = Array("RIFF\0\0\0\0WEBP".utf8)
    copy.reserveCapacity(file.count)
    for chunk in WebPChunks(file: file) where kept.contains(chunk.type) {
      switch chunk.type {
      case "VP8X": copy += WebPChunks.chunk("VP8X", header(chunk.data, orientation))
      case "ANMF": copy += WebPChunks.chunk("ANMF", frame(chunk.data))
      default: copy += WebPChunks.chunk(chunk.type, chunk.data.content)
      }
    }
    if orientation != 1 { copy += WebPChunks.chunk("EXIF", OrientationBlock.tiff(orientation)) }
    copy.replaceSubrange(4..<8, with: WebPChunks.littleEndian(copy.count - 8, width: 4))
    return copy
  }

  private static let kept: Set = ["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"]

  /// The header without the bits of what is gone. An orientation other than 1 was only believed
  /// because there is such a header, so there is always one to announce it.
  private static func header(_ data: ByteWindow, _ orientation: Int) -> [UInt8] {
    var header = Array(data.content)
    guard !header.isEmpty else { return header }
    header[0] &= ~(WebPPicture.Flag.exif | WebPPicture.Flag.xmp)
    if orientation != 1 { header[0] |= WebPPicture.Flag.exif }
    return header
  }

  /// An animation frame: 16 bytes of place and timing, then chunks of its own.
  private static func frame(_ data: ByteWindow) -> [UInt8] {
    WebPChunks(data, from: 16).reduce(into: Array(data.prefix(16).content)) { frame, chunk in
      guard ["ALPH", "VP8 ", "VP8L"].contains(chunk.type) else { return }
      frame += WebPChunks.chunk(chunk.type, chunk.data.content)
    }
  }
}

/// Walks the boxes of an ISO base media file (HEIF, AVIF, MP4) on one level.
/// - SeeAlso: ISO/IEC 14496-12 §4.2
struct ISOBoxes: Sequence, IteratorProtocol {
  /// A box: its type and what is in it.
  struct Box {
    let type: String
    let content: ByteWindow
  }

  private let space: ByteWindow
  private var position: Int

  /// The boxes of `space`, the first of which starts at `offset`.
  init(_ space: ByteWindow, from offset: Int = 0) {
    self.space = space
    position = offset
  }

  mutating func next() -> Box? {
    guard let short = space.number(at: position, width: 4) else { return nil }
    let type = space.text(at: position + 4, count: 4)
    var header = 8
    var length = short
    if short == 1 {
      guard let long = space.number(at: position + 8, width: 8) else { return nil }
      header = 16
      length = long
    } else if short == 0 {
      length = space.count - position  // up to the end
    }
    guard length >= header,
      let content = space.window(at: position + header, count: length - header)
    else { return nil }
    position += length
    return Box(type: type, content: content)
  }

  /// The first box of a type.
  func first(_ type: String) -> ByteWindow? { first { $0.type == type }?.content }
}

/// The brands a file claims in its first box.
struct ISOBrands {
  private let major: String
  private let all: Set<String>

  /// `nil` unless the file starts with a file-type box.
  init?(_ file: ByteWindow) {
    guard file.holds(Array("ftyp".utf8), at: 4), let length = file.number(at: 0, width: 4) else {
      return nil
    }
    major = file.text(at: 8, count: 4)
    let end = Swift.min(length, file.count, 256)
    let compatible = stride(from: 16, to: Swift.max(end - 3, 16), by: 4)
    all = Set(compatible.map { file.text(at: $0, count: 4) } + [major])
  }

  /// HEIF, AVIF, a raw file or a film.
  var kind: PictureKind {
    if major == "crx " { return .raw }
    if !all.isDisjoint(with: ["avif", "avis"]) { return .avif }
    let still: Set = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "msf1"]
    return all.isDisjoint(with: still) ? .video : .heif
  }
}

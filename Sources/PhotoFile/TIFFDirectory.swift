/// One directory of a TIFF structure: tags and where their values lie.
///
/// Cameras and editors damage these in every way, so a value that cannot be read is simply absent
/// and takes no other with it. Work is bounded by the directory's own size: no chain is followed.
/// - SeeAlso: TIFF 6.0 §2
struct TIFFDirectory {
  private let tiff: ByteWindow
  private let order: ByteOrder
  private var entries: [Int: Entry] = [:]

  private struct Entry {
    let type: Int
    let count: Int
    let valueField: Int
  }

  /// The directory a TIFF header points to; `nil` when there is no such header.
  init?(firstOf tiff: ByteWindow) {
    let order: ByteOrder
    if tiff.holds([0x49, 0x49, 0x2A, 0], at: 0) {
      order = .little
    } else if tiff.holds([0x4D, 0x4D, 0, 0x2A], at: 0) {
      order = .big
    } else {
      return nil
    }
    guard let offset = tiff.number(at: 4, width: 4, order) else { return nil }
    self.init(tiff, at: offset, order)
  }

  private init(_ tiff: ByteWindow, at offset: Int, _ order: ByteOrder) {
    self.tiff = tiff
    self.order = order
    guard offset >= 8, let claimed = tiff.number(at: offset, width: 2, order) else { return }
    let present = max(0, (tiff.count - offset - 2) / 12)
    for index in 0..<min(claimed, present) {
      let place = offset + 2 + index * 12
      guard let tag = tiff.number(at: place, width: 2, order),
        let type = tiff.number(at: place + 2, width: 2, order),
        let count = tiff.number(at: place + 4, width: 4, order)
      else { return }
      // The first of two equal tags is the one other readers take.
      if entries[tag] == nil {
        entries[tag] = Entry(type: type, count: count, valueField: place + 8)
      }
    }
  }

  /// Whether the tag is there at all, readable or not.
  func has(_ tag: Int) -> Bool { entries[tag] != nil }

  /// The directory a tag points to.
  func directory(_ tag: Int) -> TIFFDirectory? {
    number(tag).map { TIFFDirectory(tiff, at: $0, order) }
  }

  /// The first number of a tag of type BYTE, SHORT, LONG or IFD.
  func number(_ tag: Int) -> Int? {
    guard let entry = entries[tag], entry.count > 0 else { return nil }
    switch entry.type {
    case 1: return values(entry)?.number(at: 0, width: 1, order)
    case 3: return values(entry)?.number(at: 0, width: 2, order)
    case 4, 13: return values(entry)?.number(at: 0, width: 4, order)
    default: return nil
    }
  }

  /// The fraction at `index` of a tag of type RATIONAL, or of SRATIONAL while not negative.
  func rational(_ tag: Int, at index: Int = 0) -> PictureRational? {
    guard let entry = entries[tag], index < entry.count, let values = values(entry),
      entry.type == 5 || entry.type == 10,
      let numerator = values.number(at: index * 8, width: 4, order),
      let denominator = values.number(at: index * 8 + 4, width: 4, order)
    else { return nil }
    let limit = entry.type == 5 ? Int(UInt32.max) : Int(Int32.max)
    guard numerator <= limit, denominator <= limit else { return nil }
    return PictureRational(numerator, over: denominator)
  }

  /// The text of an ASCII tag (some writers say UTF-8, BYTE or UNDEFINED), up to its first NUL,
  /// trimmed; `nil` when nothing is left.
  func text(_ tag: Int) -> String? {
    guard let entry = entries[tag], [1, 2, 7, 129].contains(entry.type), let values = values(entry)
    else { return nil }
    let length = min(values.firstOffset(of: 0, from: 0) ?? values.count, Self.longestText)
    return values.text(at: 0, count: length).trimmed
  }

  /// Real makers and models stay far below; longer ones are damage.
  private static let longestText = 256

  private func values(_ entry: Entry) -> ByteWindow? {
    let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8, 13: 4, 129: 1]
    guard let size = sizes[entry.type] else { return nil }
    let length = entry.count * size  // at most 2³² × 8
    if length <= 4 { return tiff.window(at: entry.valueField, count: length) }
    guard let offset = tiff.number(at: entry.valueField, width: 4, order) else { return nil }
    return tiff.window(at: offset, count: length)
  }
}

extension String {
  /// Without white space at either end and without control characters; `nil` when empty then.
  fileprivate var trimmed: String? {
    let visible = unicodeScalars.filter { $0.properties.generalCategory != .control }
    let text = String(String.UnicodeScalarView(visible))
    guard let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace })
    else { return nil }
    return String(text[first...last])
  }
}

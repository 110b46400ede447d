/// Finds the EXIF item of a HEIF file.
enum HEIFItem {
  /// The TIFF structure of the first EXIF item; `nil` when there is none or it is split up.
  static func exif(_ meta: ISOBoxes, _ file: ByteWindow) -> ByteWindow? {
    guard let item = number(ofType: "Exif", in: meta), let content = content(item, meta, file),
      // The item starts with how far behind this field the TIFF header stands.
      let skipped = content.number(at: 0, width: 4)
    else { return nil }
    return content.rest(from: 4 + skipped)
  }

  private static func number(ofType type: String, in meta: ISOBoxes) -> Int? {
    guard let table = meta.first("iinf") else { return nil }
    for entry in ISOBoxes(table, from: table[0] == 0 ? 6 : 8) where entry.type == "infe" {
      let idWidth = entry.content[0] == 2 ? 2 : 4  // versions before 2 name no type
      guard let version = entry.content[0], version >= 2 else { continue }
      if entry.content.text(at: 4 + idWidth + 2, count: 4) == type {
        return entry.content.number(at: 4, width: idWidth)
      }
    }
    return nil
  }

  /// The bytes of an item that lies in one piece, in the file itself or in the item data box.
  private static func content(_ item: Int, _ meta: ISOBoxes, _ file: ByteWindow) -> ByteWindow? {
    guard let table = meta.first("iloc"), let version = table[0], version <= 2,
      let sizes = table.number(at: 4, width: 2)
    else { return nil }
    let (offsetWidth, lengthWidth) = (sizes >> 12, sizes >> 8 & 15)
    let (baseWidth, indexWidth) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
    let idWidth = version < 2 ? 2 : 4
    var position = 6 + idWidth
    for _ in 0..<(table.number(at: 6, width: idWidth) ?? 0) {
      guard let id = table.number(at: position, width: idWidth) else { return nil }
      position += idWidth
      let method = version == 0 ? 0 : (table.number(at: position, width: 2) ?? 0) & 15
      position += (version == 0 ? 0 : 2) + 2  // method, data reference
      let base = field(table, position, baseWidth)
      position += baseWidth
      guard let base, let extents = table.number(at: position, width: 2) else { return nil }
      position += 2
      if id == item {
        guard extents == 1, method < 2,
          let offset = field(table, position + indexWidth, offsetWidth),
          let length = table.number(
            at: position + indexWidth + offsetWidth, width: lengthWidth),
          let space = method == 0 ? file : meta.first("idat")
        else { return nil }
        let (start, tooBig) = base.addingReportingOverflow(offset)
        return tooBig ? nil : space.window(at: start, count: length)
      }
      position += extents * (indexWidth + offsetWidth + lengthWidth)
    }
    return nil
  }
  /// A number whose width the table itself chooses; no width stands for zero.
  private static func field(_ table: ByteWindow, _ position: Int, _ width: Int) -> Int? {
    width == 0 ? 0 : table.number(at: position, width: width)
  }
}

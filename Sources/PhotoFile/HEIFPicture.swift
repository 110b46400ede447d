/// Size, orientation and notes of a HEIF or AVIF file, from its item tables alone.
///
/// Only as much is read as is needed to judge a picture and keep its camera data; the pixels are
/// for a converter.
/// - SeeAlso: ISO/IEC 23008-12 §§6.5, 9.3; ISO/IEC 14496-12 §8.11
enum HEIFPicture {
  static func read(_ file: ByteWindow, kind: PictureKind) throws(PictureError) -> PictureInfo {
    guard let box = ISOBoxes(file).first("meta") else {
      throw .damaged("the file has no item table")
    }
    let meta = ISOBoxes(box, from: 4)
    guard let primary = primaryItem(meta), let shape = shape(of: primary, meta)
    else { throw .damaged("the file does not say how large its main picture is") }
    var block = HEIFItem.exif(meta, file).flatMap { EXIFBlock($0) } ?? EXIFBlock()
    block.orientation = shape.orientation  // the container's turn outranks EXIF's
    return PictureInfo(
      kind: kind, width: shape.width, height: shape.height, exif: block,
      hasColourProfile: shape.hasProfile)
  }

  private static func primaryItem(_ meta: ISOBoxes) -> Int? {
    guard let box = meta.first("pitm") else { return nil }
    return box.number(at: 4, width: box[0] == 0 ? 2 : 4)
  }

  private struct Shape {
    var width = 0
    var height = 0
    var orientation = 1
    var hasProfile = false
  }

  /// The properties of the main item in order: `ispe` is the stored size, `irot` and `imir` say
  /// how to show it, `colr` may hold a profile.
  private static func shape(of item: Int, _ meta: ISOBoxes) -> Shape? {
    guard let box = meta.first("iprp"), let container = ISOBoxes(box).first("ipco") else {
      return nil
    }
    let properties = Array(ISOBoxes(container))
    var shape = Shape()
    for index in associations(of: item, in: ISOBoxes(box))
    where properties.indices.contains(index - 1) {
      let content = properties[index - 1].content
      switch properties[index - 1].type {
      case "ispe":
        shape.width = content.number(at: 4, width: 4) ?? 0
        shape.height = content.number(at: 8, width: 4) ?? 0
      case "irot":
        for _ in 0..<(content[0] ?? 0) & 3 {
          shape.orientation = Orientation.turnedLeft(shape.orientation)
        }
      case "imir":
        let exchangesSides = (content[0] ?? 0) & 1 == 1
        shape.orientation =
          exchangesSides
          ? Orientation.mirrored(shape.orientation) : Orientation.flipped(shape.orientation)
      case "colr":
        shape.hasProfile = ["prof", "rICC"].contains(content.text(at: 0, count: 4))
      default: continue
      }
    }
    return shape.width > 0 && shape.height > 0 ? shape : nil
  }

  /// The one-based property numbers of an item.
  private static func associations(of item: Int, in boxes: ISOBoxes) -> [Int] {
    for box in boxes where box.type == "ipma" {
      let idWidth = box.content[0] == 0 ? 2 : 4
      let indexWidth = (box.content[3] ?? 0) & 1 == 1 ? 2 : 1
      var position = 8
      for _ in 0..<(box.content.number(at: 4, width: 4) ?? 0) {
        guard let id = box.content.number(at: position, width: idWidth),
          let count = box.content.number(at: position + idWidth, width: 1)
        else { break }
        position += idWidth + 1
        if id == item {
          return (0..<count).compactMap { index in
            // The highest bit only says whether the property is essential.
            box.content.number(at: position + index * indexWidth, width: indexWidth)
              .map { $0 & (indexWidth == 2 ? 0x7FFF : 0x7F) }
          }
        }
        position += count * indexWidth
      }
    }
    return []
  }
}

/// Writes the item tables of a HEIF file; there are no pixels behind them.
struct HEIFSample {
  var brand = "heic"
  var compatible = ["mif1"]
  var width = 400
  var height = 300
  /// Quarter turns against the clock; `nil` for no such property.
  var turns: UInt8?
  /// 0 exchanges top and bottom, 1 left and right.
  var mirrorAxis: UInt8?
  var exif: [UInt8] = []
  /// How colours are given: `prof` or `nclx`.
  var colours: String?

  var bytes: [UInt8] {
    let type = box("ftyp", text(brand) + be(0, 4) + compatible.flatMap(text))
    let size = full("ispe", be(width, 4) + be(height, 4))
    // A thumbnail's size stands first and must not be taken.
    var properties = [full("ispe", be(64, 4) + be(64, 4)), size]
    if let turns { properties.append(box("irot", [turns])) }
    if let mirrorAxis { properties.append(box("imir", [mirrorAxis])) }
    if let colours { properties.append(box("colr", text(colours) + [1, 2, 3])) }
    let main =
      be(1, 2) + [UInt8(properties.count - 1)] + (2...properties.count).map { UInt8($0 | 0x80) }
    let links = full("ipma", be(2, 4) + be(3, 2) + [1, 1] + main)
    let table = box("iprp", box("ipco", properties.flatMap { $0 }) + links)
    let entries = item(1, "hvc1") + item(2, "Exif")
    let payload = exif.isEmpty ? [] : be(6, 4) + text("Exif") + [0, 0] + exif
    let location = full(
      "iloc",
      [0x44, 0] + be(1, 2) + be(2, 2) + be(1, 2) + be(0, 2) + be(1, 2)
        + be(0, 4) + be(payload.count, 4), version: 1)
    let meta = full(
      "meta",
      full("pitm", be(1, 2)) + full("iinf", be(2, 2) + entries) + location
        + box("idat", payload) + table)
    return type + meta + box("mdat", [1, 2, 3])
  }

  private func item(_ number: Int, _ type: String) -> [UInt8] {
    full("infe", be(number, 2) + be(0, 2) + text(type) + [0], version: 2)
  }

  private func full(_ type: String, _ content: [UInt8], version: UInt8 = 0) -> [UInt8] {
    box(type, [version, 0, 0, 0] + content)
  }

  private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    be(content.count + 8, 4) + text(type) + content
  }

  private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func be(_ number: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}

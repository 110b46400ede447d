/// The one thing worth reading from an XMP packet: the lens maker an editor noted in Adobe's
/// auxiliary namespace. Attribute and element form are both in use.
enum XMPNotes {
  /// The maker, from an APP1 payload that holds an XMP packet; `nil` otherwise.
  static func lensMake(_ payload: ByteWindow) -> String? {
    let mark = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    guard payload.holds(mark, at: 0) else { return nil }
    let packet = Array(payload.rest(from: mark.count).content)
    return value(in: packet, after: "aux:LensMake=\"", until: "\"")
      ?? value(in: packet, after: "<aux:LensMake>", until: "<")
  }

  private static func value(in packet: [UInt8], after opening: String, until end: Unicode.Scalar)
    -> String?
  {
    let opening = Array(opening.utf8)
    guard packet.count > opening.count,
      let start = (0..<packet.count - opening.count).first(where: {
        packet[$0] == opening[0] && packet[$0..<$0 + opening.count].elementsEqual(opening)
      })
    else { return nil }
    let found = packet[(start + opening.count)...].prefix(256)
    guard let stop = found.firstIndex(of: UInt8(ascii: end)),
      let text = String(validating: found[..<stop], as: UTF8.self), !text.contains("&")
    else { return nil }
    let trimmed = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return trimmed.isEmpty ? nil : trimmed
  }
}

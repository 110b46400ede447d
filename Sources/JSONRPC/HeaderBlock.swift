/// The lines before a message that say how long it is.
///
/// Strict, because a length read wrongly cannot be noticed later: CR LF only, `Content-Length` once with one
/// to eight digits, `Content-Type` allowed and ignored, nothing else.
struct HeaderBlock: Sendable {
  static let maximumBytes = 1_024
  private static let maximumDigits = 8

  private var line: [UInt8] = []
  private var count = 0
  private var length: Int?

  /// Bytes that were read before it was clear that they belong here.
  mutating func start(with bytes: ArraySlice<UInt8>) {
    line.append(contentsOf: bytes)
    count += bytes.count
  }

  /// Takes the next byte.
  ///
  /// - Returns: the length of the message when this byte ends the block, else `nil`.
  /// - Throws: `FramingFault` as soon as a line shows one.
  mutating func take(_ byte: UInt8) throws(FramingFault) -> Int? {
    count += 1
    guard count <= Self.maximumBytes else { throw .headerTooLong }
    guard byte == 0x0A else {
      line.append(byte)
      return nil
    }
    guard line.popLast() == 0x0D else { throw .unknownHeader }
    guard line.isEmpty else {
      try takeLine()
      line.removeAll(keepingCapacity: true)
      return nil
    }
    guard let length else { throw .missingLength }
    return length
  }

  private mutating func takeLine() throws(FramingFault) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .unknownHeader }
    let name = line[..<colon].map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    if name.elementsEqual("content-type".utf8) { return }
    guard name.elementsEqual("content-length".utf8) else { throw .unknownHeader }
    guard length == nil else { throw .missingLength }
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    let digits = line[(colon + 1)...].drop(while: isSpace).reversed().drop(while: isSpace)
      .reversed()
    guard 1...Self.maximumDigits ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 })
    else { throw .badLength }
    length = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

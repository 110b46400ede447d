/// One of the Huffman codes the JPEG standard recommends for brightness.
/// - SeeAlso: ITU-T T.81 §K.3 and Annex C
struct HuffmanCode: Sendable {
  /// How many codes have 1, 2 … 16 bits, then the symbols in order of code: what a file stores.
  let definition: [UInt8]
  private let codes: [(value: Int, count: Int)]

  private init(counts: [UInt8], symbols: [UInt8]) {
    definition = counts + symbols
    var codes = [(value: Int, count: Int)](repeating: (0, 0), count: 256)
    var code = 0
    var next = symbols.makeIterator()
    for (index, count) in counts.enumerated() {
      for _ in 0..<count {
        guard let symbol = next.next() else { break }
        codes[Int(symbol)] = (code, index + 1)
        code += 1
      }
      code <<= 1
    }
    self.codes = codes
  }

  /// The bits of a symbol and how many there are.
  subscript(symbol: Int) -> (value: Int, count: Int) { codes[symbol] }

  /// For the mean of a block, by the number of bits of its change.
  static let direct = HuffmanCode(
    counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], symbols: Array(0...11))

  /// For all other frequencies, by zeros before them and number of bits.
  static let alternating = HuffmanCode(
    counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
    symbols: frequent + rest)

  private static let frequent: [UInt8] = [
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61,
    0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52,
    0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72, 0x82,
  ]

  /// The longest codes go to all remaining symbols in rising order.
  private static let rest: [UInt8] = {
    let symbols = [0x09, 0x0A] + (1...15).flatMap { run in (1...10).map { run << 4 | $0 } }
    return symbols.map { UInt8($0) }.filter { !frequent.contains($0) }
  }()
}

/// Writes blocks of coefficients as Huffman codes and bits.
/// - SeeAlso: ITU-T T.81 §F.1.2
struct EntropyCodedScan {
  private var bytes: [UInt8] = []
  private var pending = 0
  private var pendingBits = 0

  /// Adds a block in zigzag order; `previous` is the first value of the component's last block.
  mutating func append(_ coefficients: [Int], after previous: Int) {
    append(HuffmanCode.direct, run: 0, value: coefficients[0] - previous)
    let last = coefficients.lastIndex { $0 != 0 } ?? 0
    var zeros = 0
    for value in coefficients.prefix(last + 1).dropFirst() {
      guard value != 0 else {
        zeros += 1
        continue
      }
      while zeros > 15 {
        append(HuffmanCode.alternating[0xF0])  // sixteen zeros
        zeros -= 16
      }
      append(HuffmanCode.alternating, run: zeros, value: value)
      zeros = 0
    }
    if last < 63 { append(HuffmanCode.alternating[0x00]) }  // nothing but zeros from here
  }

  /// All bytes, the last filled up with ones.
  consuming func finished() -> [UInt8] {
    append((0x7F, 7))
    return bytes
  }

  private mutating func append(_ code: HuffmanCode, run: Int, value: Int) {
    let size = Int.bitWidth - value.magnitude.leadingZeroBitCount
    append(code[run << 4 | size])
    // Negative values are written as one less, in as many bits.
    append((value < 0 ? (value - 1) & (1 << size - 1) : value, size))
  }

  private mutating func append(_ bits: (value: Int, count: Int)) {
    pending = pending << bits.count | bits.value
    pendingBits += bits.count
    while pendingBits >= 8 {
      pendingBits -= 8
      let byte = UInt8(truncatingIfNeeded: pending >> pendingBits)
      bytes.append(byte)
      if byte == 0xFF { bytes.append(0) }  // or it would look like a marker
    }
    pending &= 1 << pendingBits - 1
  }
}

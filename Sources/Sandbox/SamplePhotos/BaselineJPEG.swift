import Foundation

/// A small JPEG encoder: baseline, three colours without subsampling, one set of tables for all.
///
/// It makes the sample photographs and nothing else, so it is short rather than fast.
/// - SeeAlso: ITU-T T.81 Annexes A, F and K
enum BaselineJPEG {
  /// Encodes a picture given as a function.
  ///
  /// - Parameters:
  ///   - width: pixels across, up to 65535.
  ///   - height: pixels down, up to 65535.
  ///   - segments: further segments to put in front, as marker and payload.
  ///   - colour: the colour of each pixel, counted from the top left.
  /// - Returns: a whole file.
  static func encode(
    width: Int, height: Int, segments: [(marker: UInt8, payload: [UInt8])],
    colour: (_ x: Int, _ y: Int) -> SampleColour
  ) -> [UInt8] {
    var file: [UInt8] = [0xFF, 0xD8]
    for (marker, payload) in segments { file += segment(marker, payload) }
    file += segment(0xDB, [0] + zigzag.map { UInt8(quantizers[$0]) })
    let sides = [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let components: [UInt8] = [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
    file += segment(0xC0, [8] + sides + [3] + components)
    file += segment(0xC4, [0x00] + HuffmanCode.direct.definition)
    file += segment(0xC4, [0x10] + HuffmanCode.alternating.definition)
    file += segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0])

    var scan = EntropyCodedScan()
    var previous = [0, 0, 0]
    for top in stride(from: 0, to: height, by: 8) {
      for left in stride(from: 0, to: width, by: 8) {
        // At the right and lower edges the last pixels are repeated.
        let blocks = samples { x, y in colour(min(left + x, width - 1), min(top + y, height - 1)) }
        for (component, block) in blocks.enumerated() {
          let coefficients = quantized(block)
          scan.append(coefficients, after: previous[component])
          previous[component] = coefficients[0]
        }
      }
    }
    return file + scan.finished() + [0xFF, 0xD9]
  }

  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let length = payload.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
  }

  /// Eight by eight pixels as brightness and two colour differences, each −128…127.
  private static func samples(_ colour: (Int, Int) -> SampleColour) -> [[Double]] {
    var planes = [[Double]](repeating: [Double](repeating: 0, count: 64), count: 3)
    for place in 0..<64 {
      let pixel = colour(place & 7, place >> 3)
      let (red, green, blue) = (pixel.red * 255, pixel.green * 255, pixel.blue * 255)
      let luma = 0.299 * red + 0.587 * green + 0.114 * blue
      planes[0][place] = luma - 128
      planes[1][place] = (blue - luma) / 1.772
      planes[2][place] = (red - luma) / 1.402
    }
    return planes
  }

  /// The block's frequencies in zigzag order, divided and rounded.
  private static func quantized(_ block: [Double]) -> [Int] {
    let rows = transformed(block)
    let both = transformed(rows)  // each pass also transposes
    return zigzag.map { Int((both[$0] / quantizers[$0]).rounded()) }
  }

  /// The cosine transform of each row, written as a column.
  private static func transformed(_ block: [Double]) -> [Double] {
    var result = [Double](repeating: 0, count: 64)
    block.withUnsafeBufferPointer { block in
      cosines.withUnsafeBufferPointer { cosines in
        for row in 0..<8 {
          for frequency in 0..<8 {
            var sum = 0.0
            for column in 0..<8 { sum += block[row * 8 + column] * cosines[frequency * 8 + column] }
            result[frequency * 8 + row] = sum
          }
        }
      }
    }
    return result
  }

  private static let cosines: [Double] = (0..<64).map { index in
    let (frequency, place) = (index / 8, index % 8)
    let norm = frequency == 0 ? 0.5.squareRoot() : 1
    return norm / 2 * cos(Double((2 * place + 1) * frequency) * .pi / 16)
  }

  /// The recommended brightness table, finer by a factor of four.
  private static let quantizers: [Double] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55,
    14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62,
    18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
  ].map { ($0 / 4).rounded(.up) }

  /// The places of a block from the lowest frequency to the highest.
  private static let zigzag: [Int] = (0..<64).sorted { left, right in
    order(left) < order(right)
  }

  /// Diagonal by diagonal, upwards on even ones and downwards on odd ones.
  private static func order(_ place: Int) -> Int {
    let (row, column) = (place / 8, place % 8)
    let diagonal = row + column
    return diagonal * 8 + (diagonal % 2 == 0 ? column : row)
  }
}

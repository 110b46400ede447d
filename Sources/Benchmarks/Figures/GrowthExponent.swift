import Foundation

/// How a figure grows with the size of what it is measured on: with the size to this power.
///
/// 0 is independent of the size, 1 in proportion to it, 2 with its square.
enum GrowthExponent {
  /// The slope of the straight line that fits best through the logarithms (least squares).
  ///
  /// - Returns: `nil` for fewer than two sizes, or where a size or figure has no logarithm.
  static func fitting(_ points: [(size: Int, figure: Double)]) -> Double? {
    guard points.allSatisfy({ $0.size > 0 && $0.figure > 0 }) else { return nil }
    let across = points.map { log(Double($0.size)) }
    let up = points.map { log($0.figure) }
    let count = Double(points.count)
    let middle = (across.reduce(0, +) / count, up.reduce(0, +) / count)
    let spread = across.map { ($0 - middle.0) * ($0 - middle.0) }.reduce(0, +)
    guard spread > 0 else { return nil }
    let slope = zip(across, up).map { ($0 - middle.0) * ($1 - middle.1) }.reduce(0, +) / spread
    // What lies behind the fourth digit is the arithmetic's, not the machine's.
    return (slope * 10_000).rounded() / 10_000
  }
}

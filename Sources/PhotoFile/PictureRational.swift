/// A fraction exactly as EXIF stores it, so that scaling can round once and rightly.
package struct PictureRational: Sendable, Equatable {
  /// Above the line; never negative.
  package let numerator: Int
  /// Below the line; never zero or negative.
  package let denominator: Int

  /// Makes a fraction; `nil` when it is negative or has no value.
  package init?(_ numerator: Int, over denominator: Int = 1) {
    guard numerator >= 0, denominator > 0 else { return nil }
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The fraction times `factor`, rounded half up in whole numbers: f/4.1 × 1 000 000 is
  /// 4 100 000 and 1/60 × 1 000 000 is 16 667.
  ///
  /// - Returns: `nil` when the result does not fit.
  package func rounded(times factor: Int) -> Int? {
    let (product, tooBig) = numerator.multipliedReportingOverflow(by: factor)
    guard !tooBig, factor >= 0 else { return nil }
    let (whole, rest) = product.quotientAndRemainder(dividingBy: denominator)
    return rest >= denominator - rest ? whole + 1 : whole
  }

  /// The value as a floating-point number, for showing.
  package var value: Double { Double(numerator) / Double(denominator) }
}

/// The figures of repeated runs of one thing, all in one unit.
struct Samples: Equatable, Sendable {
  /// In rising order; at least one.
  let values: [Double]

  /// Figures in any order.
  init(_ values: [Double]) {
    precondition(!values.isEmpty, "nothing was measured")
    self.values = values.sorted()
  }

  /// How many runs there were.
  var count: Int { values.count }

  /// The smallest.
  var min: Double { values[0] }

  /// The largest.
  var max: Double { values[count - 1] }

  /// The middle one; of an even number the mean of the two in the middle.
  var median: Double {
    let middle = count / 2
    return count.isMultiple(of: 2) ? (values[middle - 1] + values[middle]) / 2 : values[middle]
  }
}

import StrictJSON

/// One figure at several sizes, and how it grows.
struct Growth: Finding {
  /// The name of the row.
  let row: String
  /// What is measured.
  let what: String
  let unit: String
  /// What the sizes count: `accounts`.
  let sizes: String
  /// From the smallest size on.
  let points: [(size: Int, samples: Samples)]
  /// What the exponent must hold.
  var bound: Bound?

  /// The power of the size with which the medians grow.
  var exponent: Double? {
    GrowthExponent.fitting(points.map { ($0.size, $0.samples.median) })
  }

  var missed: [String] {
    guard let bound, let exponent, !bound.admits(exponent) else { return [] }
    return ["\(row): \(what): exponent \(bound.text(""))"]
  }

  var text: String {
    var lines = ["\(row): \(what)"]
    for (size, samples) in points {
      let label = "\(FigureText.text(Double(size))) \(sizes)"
      lines.append("  \(FigureText.padded(label))\(samples.text(unit))")
    }
    let power = exponent.map { FigureText.text($0) } ?? "unknown"
    var held = ""
    if let bound, let exponent {
      held = "   [\(bound.text("")): \(bound.admits(exponent) ? "met" : "MISSED")]"
    }
    lines.append("  grows with the number of \(sizes) to the power of \(power)\(held)")
    return lines.joined(separator: "\n")
  }

  var json: JSONObject {
    var object: JSONObject = [
      "row": .string(row), "what": .string(what), "unit": .string(unit), "sizes": .string(sizes),
      "points": .array(
        points.map { point in
          var members = point.samples.json
          members["size"] = JSONValue(point.size)
          return .object(members)
        }),
    ]
    object["exponent"] = exponent.map { JSONValue(figure: $0) }
    if let bound, let exponent {
      object["bound"] = [
        bound.side == .atMost ? "atMost" : "atLeast": JSONValue(figure: bound.limit),
        "met": .bool(bound.admits(exponent)),
      ]
    }
    return object
  }
}

import StrictJSON

/// One figure of ours, what it must hold, and the same figure of others from the same minutes.
struct Comparison: Finding {
  /// Somebody else's figure.
  struct Other: Sendable {
    /// Who.
    let name: String
    /// What was measured, or why it was not.
    let outcome: Outcome
    /// What ours divided by theirs must hold.
    var bound: Bound?
  }

  /// Whether somebody else could be measured.
  enum Outcome: Sendable {
    case measured(Samples)
    /// Why not, and how to get what is missing.
    case missing(String)
  }

  /// The name of the row.
  let row: String
  /// What is measured.
  let what: String
  let unit: String
  let ours: Samples
  /// What our median must hold; where `worstCounts`, our largest figure.
  var bounds: [Bound] = []
  var worstCounts = false
  var others: [Other] = []
  /// What a reader should know about how it was measured.
  var remark: String?

  private var judged: Double { worstCounts ? ours.max : ours.median }

  private func ratio(_ other: Other) -> Double? {
    guard case .measured(let theirs) = other.outcome, theirs.median > 0 else { return nil }
    return ours.median / theirs.median
  }

  var missed: [String] {
    let own = bounds.filter { !$0.admits(judged) }.map { "\(row): \(what): \($0.text(unit))" }
    let relative = others.compactMap { other -> String? in
      guard let bound = other.bound, let ratio = ratio(other), !bound.admits(ratio) else {
        return nil
      }
      return "\(row): \(what): \(bound.text("×")) \(other.name)"
    }
    return own + relative
  }

  var text: String {
    var lines = ["\(row): \(what)"]
    let held = bounds.map { "   \(Self.verdict($0, judged, unit))" }.joined()
    lines.append("  \(FigureText.padded("ours"))\(ours.text(unit))\(held)")
    for other in others {
      switch other.outcome {
      case .missing(let reason):
        lines.append("  \(FigureText.padded(other.name))not measured: \(reason)")
      case .measured(let theirs):
        let ratio = ratio(other) ?? .nan
        let held = other.bound.map { "   \(Self.verdict($0, ratio, "×"))" } ?? ""
        lines.append("  \(FigureText.padded(other.name))\(theirs.text(unit))")
        lines.append("  \(FigureText.padded(""))ours is \(FigureText.text(ratio)) × that\(held)")
      }
    }
    if let remark { lines.append("  (\(remark))") }
    return lines.joined(separator: "\n")
  }

  private static func verdict(_ bound: Bound, _ figure: Double, _ unit: String) -> String {
    "[\(bound.text(unit)): \(bound.admits(figure) ? "met" : "MISSED")]"
  }

  var json: JSONObject {
    var object: JSONObject = [
      "row": .string(row), "what": .string(what), "unit": .string(unit),
      "ours": .object(ours.json),
      "bounds": .array(bounds.map { .object(Self.json($0, judged)) }),
      "others": .array(others.map { .object(json($0)) }),
    ]
    object["remark"] = remark.map(JSONValue.string)
    return object
  }

  private func json(_ other: Other) -> JSONObject {
    switch other.outcome {
    case .missing(let reason): return ["name": .string(other.name), "missing": .string(reason)]
    case .measured(let theirs):
      let ratio = ratio(other) ?? .nan
      var object: JSONObject = [
        "name": .string(other.name), "figures": .object(theirs.json),
        "ratio": JSONValue(figure: ratio),
      ]
      object["bound"] = other.bound.map { .object(Self.json($0, ratio)) }
      return object
    }
  }

  private static func json(_ bound: Bound, _ figure: Double) -> JSONObject {
    [
      bound.side == .atMost ? "atMost" : "atLeast": JSONValue(figure: bound.limit),
      "met": .bool(bound.admits(figure)),
    ]
  }
}

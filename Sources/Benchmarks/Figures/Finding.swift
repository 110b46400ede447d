import StrictJSON

/// What one measurement has found, for people and for programs.
protocol Finding: Sendable {
  /// A few lines.
  var text: String { get }
  /// One object.
  var json: JSONObject { get }
  /// The bounds that do not hold, in words.
  var missed: [String] { get }
}

extension Samples {
  /// `12.3 ms  (11.9 … 14.2, 5 runs)`.
  func text(_ unit: String) -> String {
    let range = "\(FigureText.text(min)) … \(FigureText.text(max))"
    return
      "\(FigureText.text(median)) \(unit)  (\(range), \(count == 1 ? "1 run" : "\(count) runs"))"
  }

  /// `min`, `median`, `max` and `runs`.
  var json: JSONObject {
    [
      "min": JSONValue(figure: min), "median": JSONValue(figure: median),
      "max": JSONValue(figure: max), "runs": JSONValue(count),
    ]
  }
}

extension JSONValue {
  /// A figure; one that is no number is null.
  init(figure: Double) {
    self = JSONNumber(figure).map(JSONValue.number) ?? .null
  }
}

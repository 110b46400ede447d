/// What a figure must hold (design §8).
struct Bound: Equatable, Sendable {
  /// Which side of the limit is allowed.
  enum Side: String, Sendable {
    case atMost = "≤"
    case atLeast = "≥"
  }

  let side: Side
  let limit: Double

  /// At most so much.
  static func atMost(_ limit: Double) -> Bound { Bound(side: .atMost, limit: limit) }

  /// At least so much.
  static func atLeast(_ limit: Double) -> Bound { Bound(side: .atLeast, limit: limit) }

  /// Whether the figure holds it.
  func admits(_ figure: Double) -> Bool {
    switch side {
    case .atMost: figure <= limit
    case .atLeast: figure >= limit
    }
  }

  /// As people read it, in the figure's unit.
  func text(_ unit: String) -> String { "\(side.rawValue) \(FigureText.text(limit)) \(unit)" }
}

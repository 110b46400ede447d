import Foundation

/// Numbers as people read them: three digits that count, none that are made up.
enum FigureText {
  /// `12 345`, `123`, `12.3`, `1.23`.
  static func text(_ value: Double) -> String {
    let size = abs(value)
    if size >= 100 { return grouped(Int(value.rounded())) }
    if value == value.rounded() { return String(Int(value)) }
    return String(format: size >= 10 ? "%.1f" : "%.2f", value)
  }

  /// Blanks after a text up to a width; at least two.
  static func padded(_ text: String, to width: Int = 30) -> String {
    text + String(repeating: " ", count: max(2, width - text.count))
  }

  private static func grouped(_ value: Int) -> String {
    var digits = String(abs(value))
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (value < 0 ? "-" : "") + ([digits] + groups).joined(separator: " ")
  }
}

import Foundation

/// Times as they cross the bridge: UTC with milliseconds (bridge-protocol §9).
enum WireTime {
  private static let written = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// A service's time, ISO 8601 with or without fractions; `nil` for what is none.
  static func text(_ text: String) -> String? {
    for style in [written, Date.ISO8601FormatStyle()] {
      // Each style reads one of the two forms only.
      if let date = try? style.parse(text) { return written.format(date) }
    }
    return nil
  }
}

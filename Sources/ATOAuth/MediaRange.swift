/// What a blob permission accepts: a media type, `type/*` or `*/*`.
enum MediaRange {
  /// Whether a text is such a range.
  static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return false }
    if parts[0] == "*" { return parts[1] == "*" }
    return isToken(parts[0]) && (parts[1] == "*" || isToken(parts[1]))
  }

  /// Whether a range takes a media type (or a range no wider than itself). Servers compare the literal
  /// text, so case matters.
  static func accepts(_ range: String, _ type: String) -> Bool {
    if range == "*/*" || range == type { return true }
    guard range.hasSuffix("/*") else { return false }
    return type.hasPrefix(range.dropLast())
  }

  private static func isToken(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "!#$&-^_.+".utf8.contains(byte)
      }
    }
  }
}

/// The `scope` parameter's own grammar: printable items, one space between two.
///
/// What an item means is `SandboxScope`'s business.
/// - SeeAlso: RFC 6749 §3.3
enum ScopeText {
  static func isWellFormed(_ text: String) -> Bool {
    let items = text.split(separator: " ", omittingEmptySubsequences: false)
    return items.allSatisfy { item in
      !item.isEmpty
        && item.unicodeScalars.allSatisfy {
          (0x21...0x7E).contains($0.value) && $0 != "\"" && $0 != "\\"
        }
    }
  }

  static func items(_ text: String) -> [String] {
    text.split(separator: " ").map(String.init)
  }

  /// The items in their order, each once.
  static func unique(_ items: [String]) -> [String] {
    var seen: Set<String> = []
    return items.filter { seen.insert($0).inserted }
  }
}

/// A language tag by the syntax of BCP 47 (RFC 5646 §2.1).
///
/// Well-formed is enough to be one; ``isValid`` asks for more. Kept as written.
package struct LanguageTag: SyntaxText {
  /// As written.
  package let rawValue: String

  /// Reads a well-formed tag.
  package init(_ text: String) throws(SyntaxError) {
    guard text.utf8.count <= 128 else { throw .tooLong(.languageTag, limit: 128) }
    guard LanguageTag.grandfathered.contains(text.lowercased()) || Subtags(text).isWellFormed
    else { throw .malformed(.languageTag, text) }
    rawValue = text
  }

  /// Whether no variant and no extension repeats (RFC 5646 §2.2.9) and the language is two or
  /// three lower-case letters, as the reference's strict parser wants.
  package var isValid: Bool {
    if LanguageTag.grandfathered.contains(rawValue.lowercased()) { return true }
    let subtags = Subtags(rawValue)
    if subtags.isPrivateUse { return true }
    guard let language = rawValue.utf8.split(separator: UInt8(ascii: "-")).first,
      (2...3).contains(language.count), language.allSatisfy(\.isLowercaseLetter)
    else { return false }
    return Set(subtags.variants).count == subtags.variants.count
      && Set(subtags.singletons).count == subtags.singletons.count
  }

  private static let grandfathered: Set<String> = [
    "art-lojban", "cel-gaulish", "en-gb-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak",
    "i-klingon", "i-lux", "i-mingo", "i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu", "no-bok",
    "no-nyn", "sgn-be-fr", "sgn-be-nl", "sgn-ch-de", "zh-guoyu", "zh-hakka", "zh-min", "zh-min-nan",
    "zh-xiang",
  ]
}

/// A tag taken apart, in lower case: each rule of the grammar consumes what it recognises.
private struct Subtags {
  private(set) var variants: [String] = []
  private(set) var singletons: [String] = []
  private(set) var isPrivateUse = false
  private(set) var isWellFormed = false
  private var rest: ArraySlice<String>

  init(_ text: String) {
    let subtags = text.lowercased().split(separator: "-", omittingEmptySubsequences: false).map(
      String.init)
    rest = subtags[...]
    guard
      subtags.allSatisfy({
        (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isLetterOrDigit)
      })
    else { return }
    isPrivateUse = subtags[0] == "x"
    isWellFormed = isPrivateUse ? subtags.count > 1 : readTag()
  }

  private mutating func readTag() -> Bool {
    guard let language = take(where: { $0.isAlphabetic && $0.utf8.count >= 2 }) else {
      return false
    }
    var extensions = 0
    while language.utf8.count <= 3, extensions < 3,
      take(where: { $0.isAlphabetic && $0.utf8.count == 3 }) != nil
    { extensions += 1 }
    // Script, then region.
    _ = take { $0.isAlphabetic && $0.utf8.count == 4 }
    _ = take { ($0.isAlphabetic && $0.utf8.count == 2) || ($0.isNumeric && $0.utf8.count == 3) }
    while let variant = take(where: \.isVariant) { variants.append(variant) }
    while let singleton = take(where: { $0.utf8.count == 1 && $0 != "x" }) {
      singletons.append(singleton)
      guard take(where: { $0.utf8.count >= 2 }) != nil else { return false }
      while take(where: { $0.utf8.count >= 2 }) != nil {}
    }
    if take(where: { $0 == "x" }) != nil {
      defer { rest = [] }
      return !rest.isEmpty
    }
    return rest.isEmpty
  }

  private mutating func take(where rule: (String) -> Bool) -> String? {
    guard let first = rest.first, rule(first) else { return nil }
    rest = rest.dropFirst()
    return first
  }
}

extension String {
  fileprivate var isAlphabetic: Bool { utf8.allSatisfy(\.isLetter) }
  fileprivate var isNumeric: Bool { utf8.allSatisfy(\.isDigit) }

  /// Five to eight characters, or four that start with a digit.
  fileprivate var isVariant: Bool {
    utf8.count >= 5 || (utf8.count == 4 && utf8.first?.isDigit == true)
  }
}

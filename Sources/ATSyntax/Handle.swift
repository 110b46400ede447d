/// A domain name used as an account's readable alias, in lower case.
///
/// Syntax only: some valid handles never resolve (``isResolvable``). At most 253 bytes, two labels
/// or more, the last starting with a letter. Source: atproto handle specification.
package struct Handle: SyntaxText {
  /// In lower case.
  package let rawValue: String

  /// Reads a handle in any case.
  package init(_ text: String) throws(SyntaxError) {
    let bytes = text.utf8
    guard bytes.count <= 253 else { throw .tooLong(.handle, limit: 253) }
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy(\.isDomainLabel),
      labels.last?.first?.isLetter == true
    else { throw .malformed(.handle, text) }
    rawValue = text.lowercased()
  }

  /// The placeholder for “no verified handle”; never resolved, never sent.
  package static let invalid = Handle(checked: "handle.invalid")

  private init(checked: String) { rawValue = checked }

  /// The last label.
  package var topLevelDomain: String { String(rawValue.split(separator: ".").last ?? "") }

  /// False for the names that must never be looked up: reserved top-level domains, ``invalid``;
  /// `.test` unless `allowingTest`, since it is for development only.
  package func isResolvable(allowingTest: Bool) -> Bool {
    topLevelDomain == "test" ? allowingTest : !Handle.reservedDomains.contains(topLevelDomain)
  }

  private static let reservedDomains: Set<String> = [
    "alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion",
  ]
}

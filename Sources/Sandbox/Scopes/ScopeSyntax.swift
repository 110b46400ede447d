/// One scope item taken apart, before anybody asks what it means:
/// `resource[:positional][?key=value[&key=value…]]` (wire reference §12.1).
package struct ScopeSyntax: Equatable, Sendable {
  /// What stands before the first `:` or `?`.
  package let resource: String
  /// Percent-decoded; empty when there is none.
  package let positional: String
  /// Decoded as a web form (`+` is a space), in the order written.
  package let parameters: [(key: String, value: String)]

  /// - Throws: ``SandboxScopeError`` for characters no item may hold and for escapes that are none.
  package init(_ item: String) throws(SandboxScopeError) {
    guard !item.isEmpty, item.utf8.allSatisfy(ScopeSyntax.isItemByte) else { throw .notUnderstood }
    let parts = item.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let head = parts[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    resource = String(head[0])
    guard let decoded = PercentDecoding.decode(head.count > 1 ? head[1] : "") else {
      throw .undecodable
    }
    positional = decoded
    let query = parts.count > 1 ? parts[1] : ""
    parameters = query.split(separator: "&").map { pair in
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (
        PercentDecoding.decodeForm(sides[0]),
        PercentDecoding.decodeForm(sides.count > 1 ? sides[1] : "")
      )
    }
  }

  /// The values of a parameter, written positionally or by name but never both.
  ///
  /// - Throws: `notUnderstood` when it is written both ways.
  func values(_ key: String, positionalKey: String) throws(SandboxScopeError) -> [String] {
    let named = parameters.filter { $0.key == key }.map(\.value)
    guard key == positionalKey, !positional.isEmpty else { return named }
    guard named.isEmpty else { throw .notUnderstood }
    return [positional]
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.resource == right.resource && left.positional == right.positional
      && left.parameters.elementsEqual(right.parameters, by: ==)
  }

  private static func isItemByte(_ byte: UInt8) -> Bool {
    (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}

/// Why a scope item grants nothing.
package enum SandboxScopeError: Error, Equatable, Sendable {
  /// Dropped silently from a grant (wire reference §12.3).
  case notUnderstood
  /// The reference parser throws on a broken escape in the positional part (`repo:%zz`).
  case undecodable
}

enum PercentDecoding {
  /// Strict: `nil` for a `%` without two hexadecimal digits and for bytes that are not UTF-8.
  static func decode(_ text: some StringProtocol) -> String? {
    guard text.contains("%") else { return String(text) }
    return decoded(text, lenient: false).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// As a web form is read: `+` is a space, a broken escape stands for itself.
  static func decodeForm(_ text: some StringProtocol) -> String {
    let spaced = String(text).replacing("+", with: " ")
    return String(decoding: decoded(spaced, lenient: true) ?? [], as: UTF8.self)
  }

  private static func decoded(_ text: some StringProtocol, lenient: Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      if digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else if lenient {
        bytes.append(byte)
      } else {
        return nil
      }
    }
    return bytes
  }
}

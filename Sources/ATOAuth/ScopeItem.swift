import Foundation
import HTTPTransport

/// One item of a scope, taken apart by its grammar but not yet understood:
/// `resource[:positional][?name=value[&name=value…]]`.
///
/// - SeeAlso: atproto-wire §12.1
package struct ScopeItem: Equatable, Sendable {
  /// What the item is about; case-sensitive.
  package let resource: String
  /// Percent-decoded; `nil` when the item has none, or an empty one.
  package let positional: String?
  /// In order, decoded as a web form: `+` is a space.
  package let parameters: [Parameter]

  /// A named value.
  package struct Parameter: Equatable, Sendable {
    /// The name.
    package let name: String
    /// The value; empty when none was written.
    package let value: String
  }

  /// Takes an item apart.
  ///
  /// - Returns: `nil` for characters a scope cannot have, a missing resource or broken percent-encoding.
  package init?(_ text: String) {
    let isScopeText = text.utf8.allSatisfy { byte in
      (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    guard isScopeText else { return nil }
    let mark = text.firstIndex(of: "?") ?? text.endIndex
    let head = text[..<mark]
    let colon = head.firstIndex(of: ":") ?? head.endIndex
    guard colon != head.startIndex else { return nil }
    resource = String(head[..<colon])
    if colon == head.endIndex {
      positional = nil
    } else {
      guard let decoded = head[head.index(after: colon)...].removingPercentEncoding else {
        return nil
      }
      positional = decoded.isEmpty ? nil : decoded
    }
    let query = mark == text.endIndex ? "" : String(text[text.index(after: mark)...])
    guard let pairs = FormURLEncoding.decodeQuery(query) else { return nil }
    parameters = pairs.map { Parameter(name: $0.0, value: $0.1) }
  }

  /// The values of a parameter, which an item may give positionally or by name but not both ways.
  ///
  /// - Returns: `nil` when it is given both ways.
  func values(of name: String, isPositional: Bool = false) -> [String]? {
    let named = parameters.filter { $0.name == name }.map(\.value)
    guard isPositional, let positional else { return named }
    return named.isEmpty ? [positional] : nil
  }

  /// The value of a parameter that comes at most once.
  func value(of name: String, isPositional: Bool = false) -> Single {
    guard let values = values(of: name, isPositional: isPositional) else { return .several }
    return values.count > 1 ? .several : values.first.map(Single.one) ?? .none
  }

  /// How often a parameter came.
  enum Single: Equatable {
    case none, several
    case one(String)
  }

  /// Whether every parameter is one of these.
  func hasOnly(_ names: Set<String>) -> Bool {
    parameters.allSatisfy { names.contains($0.name) }
  }
}

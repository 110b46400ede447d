import HTTPTransport

/// The parameters of a query, in the order they are sent.
package struct XRPCParameters: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  /// A parameter's value.
  package enum Value: Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
  {
    case string(String)
    case integer(Int)
    case boolean(Bool)
    /// Sent as one pair for each element.
    case array([String])

    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(arrayLiteral elements: String...) { self = .array(elements) }
  }

  private var pairs: [(name: String, value: String)] = []

  /// No parameters.
  package init() {}

  /// The parameters in the order written.
  package init(dictionaryLiteral elements: (String, Value)...) {
    for (name, value) in elements { add(name, value) }
  }

  /// Adds a parameter; `nil` adds nothing.
  package mutating func add(_ name: String, _ value: Value?) {
    switch value {
    case .string(let text): pairs.append((name, text))
    case .integer(let number): pairs.append((name, String(number)))
    case .boolean(let flag): pairs.append((name, flag ? "true" : "false"))
    case .array(let texts): pairs += texts.map { (name, $0) }
    case nil: break
    }
  }

  /// The query without its question mark, `nil` when there are no parameters. Everything but the
  /// unreserved characters is percent-encoded: `+` is `%2B`, a space `%20`.
  package var encoded: String? {
    pairs.isEmpty ? nil : FormURLEncoding.encodeText(pairs.map { ($0.name, $0.value) })
  }

  package static func == (left: XRPCParameters, right: XRPCParameters) -> Bool {
    left.pairs.elementsEqual(right.pairs, by: ==)
  }
}

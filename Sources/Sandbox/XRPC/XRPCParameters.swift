import ATSyntax
import HTTPServing
import StrictJSON

/// The query parameters of a method, read by its schema.
struct XRPCParameters {
  private let method: NSID
  private let pairs: [(String, String)]

  init(_ method: NSID, of request: HTTPServerRequest) {
    self.method = method
    pairs = request.query
  }

  /// The first value of a parameter.
  func text(_ name: String) -> String? { pairs.first { $0.0 == name }?.1 }

  /// Every value of a repeated parameter.
  func all(_ name: String) -> [String] { pairs.filter { $0.0 == name }.map(\.1) }

  func required(_ name: String) throws(XRPCRefusal) -> String {
    guard let value = text(name) else { throw refusal("Missing required key \"\(name)\"") }
    return value
  }

  /// A value of one of the identifier grammars.
  func required<T: SyntaxText>(
    _ name: String, as type: T.Type
  ) throws(XRPCRefusal) -> T {
    try read(try required(name), name, as: type)
  }

  func optional<T: SyntaxText>(_ name: String, as type: T.Type) throws(XRPCRefusal) -> T? {
    guard let value = text(name) else { return nil }
    return try read(value, name, as: type)
  }

  func integer(
    _ name: String, in range: ClosedRange<Int>, default standard: Int
  ) throws(XRPCRefusal) -> Int {
    guard let value = text(name) else { return standard }
    guard let number = Int(value) else {
      throw refusal("Expected integer value type (got \"\(value)\") at $.\(name)")
    }
    guard number <= range.upperBound else {
      throw refusal("integer too big (maximum \(range.upperBound), got \(number)) at $.\(name)")
    }
    guard number >= range.lowerBound else {
      throw refusal("integer too small (minimum \(range.lowerBound), got \(number)) at $.\(name)")
    }
    return number
  }

  func flag(_ name: String) throws(XRPCRefusal) -> Bool {
    switch text(name) {
    case nil, "false": return false
    case "true": return true
    case let value?: throw refusal("Expected boolean value type (got \"\(value)\") at $.\(name)")
    }
  }

  private func read<T: SyntaxText>(
    _ value: String, _ name: String, as type: T.Type
  ) throws(XRPCRefusal) -> T {
    do {
      return try T(value)
    } catch {
      throw refusal("Invalid \(error.kind.schemaName) (got \"\(value)\") at $.\(name)")
    }
  }

  private func refusal(_ message: String) -> XRPCRefusal {
    .invalid("Invalid \(method) params: \(message)")
  }
}

extension SyntaxError {
  /// The grammar that was broken.
  var kind: SyntaxKind {
    switch self {
    case .malformed(let kind, _), .tooLong(let kind, _): kind
    }
  }
}

extension SyntaxKind {
  /// How the reference validator calls it in its messages.
  var schemaName: String {
    switch self {
    case .atIdentifier: "AT identifier"
    case .atURI: "AT-URI"
    default: rawValue
    }
  }
}

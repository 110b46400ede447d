import ATSyntax
import HTTPServing
import HTTPTransport
import StrictJSON

/// The JSON body of a procedure, read by its schema; unknown members are accepted (wire §10.1).
struct XRPCInput {
  let object: JSONObject
  /// Where the object is: `$`, `$.writes[3]`.
  let path: String

  init(_ object: JSONObject, at path: String = "$") {
    self.object = object
    self.path = path
  }

  /// Reads the body, at most `limit` bytes, of a procedure that has an input.
  ///
  /// Refuses in the order of wire §10.1: size, presence, encoding, JSON.
  init(_ request: HTTPServerRequest, limit: Int) throws(XRPCRefusal) {
    guard request.body.count <= limit else { throw .jsonTooLarge }
    guard !request.body.isEmpty else {
      throw .invalid("A request body is expected but none was provided")
    }
    guard let contentType = request.headers["Content-Type"] else {
      throw .invalid("Request encoding (Content-Type) required but not provided")
    }
    guard contentType.mediaTypeWithoutParameters.lowercased() == "application/json" else {
      throw .invalid(
        "Wrong request encoding (Content-Type): \(contentType.mediaTypeWithoutParameters)")
    }
    let encoding = request.headers["Content-Encoding"] ?? "identity"
    guard encoding.lowercased() == "identity" else {
      throw XRPCRefusal(
        415, "UnsupportedMediaTypeError", "unsupported content encoding \"\(encoding)\"")
    }
    let body: JSONValue
    do {
      body = try JSONParser.parse(request.body, limits: .document)
    } catch {
      throw XRPCRefusal(400, "SyntaxError", "Unexpected token in JSON: \(error)")
    }
    guard case .object(let object) = body else {
      throw .invalid("Expected object value type (got \(body.typeName)) at $")
    }
    self.init(object)
  }

  /// A method without an input takes no body, not even `{}`.
  static func expectNone(_ request: HTTPServerRequest) throws(XRPCRefusal) {
    guard request.body.isEmpty else {
      throw .invalid("A request body was provided when none was expected")
    }
  }

  func required(_ key: String) throws(XRPCRefusal) -> JSONValue {
    guard let value = object[key] else {
      throw .invalid("Missing required key \"\(key)\" at \(path)")
    }
    return value
  }

  func required<T: SyntaxText>(_ key: String, as type: T.Type) throws(XRPCRefusal) -> T {
    try read(try required(key), key, as: type)
  }

  func optional<T: SyntaxText>(_ key: String, as type: T.Type) throws(XRPCRefusal) -> T? {
    guard let value = object[key] else { return nil }
    return try read(value, key, as: type)
  }

  func flag(_ key: String) throws(XRPCRefusal) -> Bool? {
    guard let value = object[key] else { return nil }
    guard let flag = value.boolValue else { throw wrongType("boolean", value, key) }
    return flag
  }

  func object(_ key: String) throws(XRPCRefusal) -> JSONObject {
    let value = try required(key)
    guard case .object(let object) = value else { throw wrongType("object", value, key) }
    return object
  }

  func array(_ key: String) throws(XRPCRefusal) -> [JSONValue] {
    let value = try required(key)
    guard case .array(let array) = value else { throw wrongType("array", value, key) }
    return array
  }

  func string(_ key: String) throws(XRPCRefusal) -> String {
    let value = try required(key)
    guard let text = value.stringValue else { throw wrongType("string", value, key) }
    return text
  }

  private func read<T: SyntaxText>(
    _ value: JSONValue, _ key: String, as type: T.Type
  ) throws(XRPCRefusal) -> T {
    guard let text = value.stringValue else { throw wrongType("string", value, key) }
    do {
      return try T(text)
    } catch {
      throw .invalid("Invalid \(error.kind.schemaName) (got \"\(text)\") at \(path).\(key)")
    }
  }

  private func wrongType(_ expected: String, _ value: JSONValue, _ key: String) -> XRPCRefusal {
    .invalid("Expected \(expected) value type (got \(value.typeName)) at \(path).\(key)")
  }
}

extension JSONValue {
  /// How the reference validator shows a value of the wrong type.
  var typeName: String {
    switch self {
    case .null: "null"
    case .bool, .number, .string: text()
    case .array: "array"
    case .object: "object"
    }
  }
}

extension String {
  /// A media type's `type/subtype`, as written.
  var mediaTypeWithoutParameters: String {
    String(prefix { $0 != ";" }).trimmingSpaces
  }

  private var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

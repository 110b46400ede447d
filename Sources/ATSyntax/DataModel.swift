package import StrictJSON

/// Why a JSON value has no place in the atproto data model; `path` is `$`, `$.a.b`, `$.a[0]`.
package enum DataModelError: Error, Equatable, Sendable {
  /// A record must be an object.
  case notAnObject
  /// A number with a fraction; `literal` as it was written.
  case float(literal: String, path: String)
  /// An integer outside ±(2⁵³ − 1).
  case integerOutOfRange(literal: String, path: String)
  /// `$type` is present but not a non-empty string.
  case type(path: String)
  /// An object with `$link` that is not exactly one CID.
  case link(path: String)
  /// An object with `$bytes` that is not exactly one base64 text.
  case bytes(path: String)
  /// An object of type `blob` without the members of one.
  case blob(path: String)
}

/// The rules JSON must follow to be a record. Source: atproto data model specification.
package enum DataModel {
  /// Checks a whole record, every level of it.
  ///
  /// - Throws: ``DataModelError`` for the first fault.
  package static func validate(record: JSONValue) throws(DataModelError) {
    guard case .object = record else { throw .notAnObject }
    try validate(record, at: "$")
  }

  private static func validate(_ value: JSONValue, at path: String) throws(DataModelError) {
    switch value {
    case .null, .bool, .string: break
    case .number(let number): _ = try integer(number, at: path)
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        try validate(element, at: "\(path)[\(index)]")
      }
    case .object(let object):
      if try special(object, at: path) != nil { return }
      if let type = object["$type"] {
        guard let name = type.stringValue, !name.isEmpty else { throw .type(path: path) }
        if name == "blob" { try validate(blob: object, at: path) }
      }
      for member in object.members { try validate(member.value, at: "\(path).\(member.key)") }
    }
  }

  private static func validate(blob object: JSONObject, at path: String) throws(DataModelError) {
    guard case .object(let reference)? = object["ref"],
      case .link? = try special(reference, at: path),
      object["mimeType"]?.stringValue != nil, let size = object["size"]?.intValue, size >= 0
    else { throw .blob(path: path) }
  }

  /// What `$link` and `$bytes` objects stand for.
  enum Special {
    case link(CID)
    case bytes([UInt8])
  }

  /// Reads an object as a link or as bytes; `nil` when it is neither.
  static func special(_ object: JSONObject, at path: String) throws(DataModelError) -> Special? {
    if let link = object["$link"] {
      guard object.members.count == 1, let text = link.stringValue else { throw .link(path: path) }
      do {
        return .link(try CID(text))
      } catch {
        throw .link(path: path)
      }
    }
    if let bytes = object["$bytes"] {
      guard object.members.count == 1, let content = bytes.stringValue.flatMap(Base64.decode)
      else { throw .bytes(path: path) }
      return .bytes(content)
    }
    return nil
  }

  /// The integer a number stands for: `123`, and `123.0` too.
  static func integer(_ number: JSONNumber, at path: String) throws(DataModelError) -> Int64 {
    if let exact = Int64(number.literal) {
      guard abs(exact) <= largestInteger, exact != .min else {
        throw .integerOutOfRange(literal: number.literal, path: path)
      }
      return exact
    }
    guard let value = number.doubleValue, value.isFinite, value.rounded() == value else {
      throw .float(literal: number.literal, path: path)
    }
    guard abs(value) <= Double(largestInteger) else {
      throw .integerOutOfRange(literal: number.literal, path: path)
    }
    return Int64(value)
  }

  private static let largestInteger: Int64 = 1 << 53 - 1
}

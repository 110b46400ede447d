import Foundation
package import StrictJSON

/// Checks a value by a schema of ours: the keywords of the grain profile (bridge-protocol §12) and no
/// others.
package enum SchemaCheck {
  /// Looks for what is wrong with a value.
  ///
  /// - Parameters:
  ///   - value: any JSON.
  ///   - schema: a file of the bundle, with a pointer into it where needed.
  /// - Returns: each fault with its place; none for a value that fits.
  /// - Throws: when the schema is none.
  package static func faults(of value: JSONValue, by schema: String) throws -> [String] {
    let (found, file) = try SchemaBundle.resolve(schema, in: "")
    var check = Check()
    try check.check(value, found, in: file, at: "")
    return check.faults
  }
}

private struct Check {
  var faults: [String] = []

  mutating func check(
    _ value: JSONValue, _ schema: JSONValue, in file: String, at place: String
  ) throws {
    if let reference = schema["$ref"]?.stringValue {
      let (target, targetFile) = try SchemaBundle.resolve(reference, in: file)
      try check(value, target, in: targetFile, at: place)
    }
    try checkAlone(value, schema, at: place)
    if let branches = schema["oneOf"]?.arrayValue {
      let fitting = try branches.count { branch in
        var attempt = Check()
        try attempt.check(value, branch, in: file, at: place)
        return attempt.faults.isEmpty
      }
      refuse(fitting != 1, "\(fitting) of the branches fit", at: place)
    }
    if let object = value.objectValue { try check(object, schema, in: file, at: place) }
    if let elements = value.arrayValue {
      refuse(elements.count > schema["maxItems"]?.intValue ?? .max, "too many", at: place)
      guard let items = schema["items"] else { return }
      for (index, element) in elements.enumerated() {
        try check(element, items, in: file, at: "\(place)/\(index)")
      }
    }
  }

  private mutating func check(
    _ object: JSONObject, _ schema: JSONValue, in file: String, at place: String
  ) throws {
    for name in schema["required"]?.arrayValue ?? [] {
      let name = name.stringValue ?? ""
      refuse(object[name] == nil, "lacks \(name)", at: place)
    }
    refuse(object.keys.count > schema["maxProperties"]?.intValue ?? .max, "too many", at: place)
    for (name, member) in object.members {
      let rest = schema["additionalProperties"]
      if let own = schema["properties"]?[name] {
        try check(member, own, in: file, at: "\(place)/\(name)")
      } else if rest == .bool(false) {
        refuse(true, "has \(name)", at: place)
      } else if let rest {
        try check(member, rest, in: file, at: "\(place)/\(name)")
      }
    }
  }

  /// What concerns the value itself, not what is inside.
  private mutating func checkAlone(
    _ value: JSONValue, _ schema: JSONValue, at place: String
  ) throws {
    if let type = schema["type"] {
      let names = (type.arrayValue ?? [type]).compactMap(\.stringValue)
      refuse(!names.contains { Self.isA(value, $0) }, "is no \(names)", at: place)
    }
    if let constant = schema["const"] { refuse(value != constant, "is another", at: place) }
    if let words = schema["enum"]?.arrayValue {
      refuse(!words.contains(value), "is none of the words", at: place)
    }
    if let number = value.doubleValue {
      refuse(number < schema["minimum"]?.doubleValue ?? -.infinity, "too small", at: place)
      refuse(number > schema["maximum"]?.doubleValue ?? .infinity, "too large", at: place)
    }
    if let text = value.stringValue {
      let length = text.unicodeScalars.count
      refuse(length < schema["minLength"]?.intValue ?? 0, "too short", at: place)
      refuse(length > schema["maxLength"]?.intValue ?? .max, "too long", at: place)
      if let pattern = schema["pattern"]?.stringValue {
        refuse(try text.firstMatch(of: Regex(pattern)) == nil, "does not look it", at: place)
      }
    }
  }

  private static func isA(_ value: JSONValue, _ type: String) -> Bool {
    switch type {
    case "object": value.objectValue != nil
    case "array": value.arrayValue != nil
    case "string": value.stringValue != nil
    case "boolean": value.boolValue != nil
    case "integer": value.intValue != nil
    case "number": value.doubleValue != nil
    case "null": value == .null
    default: false
    }
  }

  private mutating func refuse(_ isWrong: Bool, _ reason: String, at place: String) {
    if isWrong { faults.append("\(place.isEmpty ? "/" : place): \(reason)") }
  }
}

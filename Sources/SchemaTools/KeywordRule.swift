import StrictJSON

/// The keywords a schema of ours may have, and what each may say (bridge-protocol §12).
enum KeywordRule {
  /// What the value of a keyword must be.
  private enum Shape {
    case text, words, pattern, count, number, flag, types, schema, schemas, branches, anything
  }

  private static let keywords: [String: Shape] = [
    "type": .types, "properties": .schemas, "required": .words, "enum": .words, "const": .anything,
    "items": .schema, "$ref": .text, "$defs": .schemas, "oneOf": .branches,
    "additionalProperties": .schema, "minimum": .number, "maximum": .number, "minLength": .count,
    "maxLength": .count, "pattern": .pattern, "maxItems": .count, "maxProperties": .count,
    "format": .text, "description": .text, "deprecated": .flag, "x-grain-sensitive": .text,
    "x-grain-open": .flag, "x-grain-collection": .text, "x-grain-feature": .text,
    "x-grain-since": .anything, "x-grain-reserved": .words,
  ]

  private static let types = [
    "object", "array", "string", "integer", "number", "boolean", "null",
  ]

  /// What is wrong with the keywords of one schema; what is inside is not looked at.
  static func faults(of schema: JSONObject, beside others: Set<String> = []) -> [String] {
    schema.members.compactMap { keyword, value in
      if others.contains(keyword) { return nil }
      guard let shape = keywords[keyword] else { return "\(keyword) is not in the grain profile" }
      return fits(value, shape) ? nil : "is no schema: \(keyword) cannot be \(value.text())"
    }
  }

  private static func fits(_ value: JSONValue, _ shape: Shape) -> Bool {
    switch shape {
    case .anything: true
    case .text: value.stringValue != nil
    case .flag: value.boolValue != nil
    case .number: value.doubleValue != nil
    case .count: (value.intValue ?? -1) >= 0
    case .words:
      value.arrayValue.map { $0.count == value.texts.count && Set($0).count == $0.count } ?? false
    case .types:
      !value.asTypes.isEmpty && value.asTypes.allSatisfy(types.contains)
    case .schema: value.objectValue != nil || value.boolValue != nil
    case .schemas: value.objectValue != nil
    case .branches: value.arrayValue.map { !$0.isEmpty } ?? false
    case .pattern: value.stringValue.map(compiles) ?? false
    }
  }

  private static func compiles(_ pattern: String) -> Bool {
    do {
      _ = try Regex(pattern)
      return true
    } catch {
      return false
    }
  }
}

extension JSONValue {
  /// This as the value of `type`.
  fileprivate var asTypes: [String] { stringValue.map { [$0] } ?? texts }
}

import StrictJSON

/// A schema and where it stands.
struct SchemaPlace {
  /// The file's name below the root, such as `v1/models/login.json`.
  let file: String
  /// The JSON Pointer into the file, with `#` in front.
  let pointer: String
  /// The schema itself.
  let schema: JSONValue

  /// The place for people: `v1/models/login.json#/$defs/state`.
  var name: String { file + pointer }

  /// The name of the `$defs` entry, where it is one.
  var definition: String? {
    let steps = pointer.split(separator: "/", omittingEmptySubsequences: false)
    return steps.count == 3 && steps[1] == "$defs" ? String(steps[2]) : nil
  }

  /// A schema inside this one.
  func inside(_ step: String, _ schema: JSONValue) -> SchemaPlace {
    SchemaPlace(file: file, pointer: "\(pointer)/\(step)", schema: schema)
  }

  /// The properties with their places, in the order written.
  var properties: [(name: String, place: SchemaPlace)] {
    (schema["properties"]?.objectValue?.members ?? []).map {
      ($0.key, inside("properties/\($0.key)", $0.value))
    }
  }

  /// The names that must be there.
  var required: [String] { schema["required"]?.texts ?? [] }
}

extension SchemaTree {
  /// Where a reference leads.
  ///
  /// - Parameters:
  ///   - reference: as `$ref` has it, relative to the file it stands in.
  ///   - file: that file.
  /// - Returns: the place; `nil` for nowhere.
  func place(_ reference: String, in file: String = "") -> SchemaPlace? {
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    var target = file
    if let path = parts.first, !path.isEmpty {
      var steps = file.split(separator: "/").dropLast()
      for step in path.split(separator: "/") {
        if step == ".." { steps = steps.dropLast() } else if step != "." { steps.append(step) }
      }
      target = steps.joined(separator: "/")
    }
    let pointer = parts.count > 1 ? String(parts[1]) : ""
    guard let schema = schemas[target]?[pointer: pointer] else { return nil }
    return SchemaPlace(file: target, pointer: "#" + pointer, schema: schema)
  }

  /// Follows `$ref` to the schema itself; `nil` where one leads nowhere, or round in a ring.
  func target(of place: SchemaPlace) -> SchemaPlace? {
    var place = place
    for _ in 0..<16 {
      guard let reference = place.schema["$ref"]?.stringValue else { return place }
      guard let next = self.place(reference, in: place.file) else { return nil }
      place = next
    }
    return nil
  }

  /// The value of a keyword: beside the reference, or in what it leads to.
  func annotation(_ keyword: String, of place: SchemaPlace) -> JSONValue? {
    place.schema[keyword] ?? target(of: place)?.schema[keyword]
  }
}

extension JSONValue {
  /// The texts of an array; what is none is left out.
  var texts: [String] { (arrayValue ?? []).compactMap(\.stringValue) }

  /// `type`, which may be one name or several.
  var typeNames: [String] {
    guard let type = self["type"] else { return [] }
    return type.stringValue.map { [$0] } ?? type.texts
  }

  /// The members of an object; none for anything else.
  var members: [(key: String, value: JSONValue)] { objectValue?.members ?? [] }
}

import StrictJSON

/// Judges a bundle by the rules of the house: the grain profile (bridge-protocol §12) and the rule on
/// secrets (§10).
struct SchemaLinter {
  let tree: SchemaTree

  /// A linter for one bundle.
  init(_ tree: SchemaTree) { self.tree = tree }

  /// Everything to mend, each as `file#place: reason`; none for a clean bundle.
  func findings() -> [String] {
    let names = tree.schemas.keys.sorted()
    return names.flatMap(fileFindings) + manifestFindings() + registryFindings()
      + directionFindings()
  }

  // MARK: One file

  private func fileFindings(_ name: String) -> [String] {
    guard let schema = tree.schemas[name] else { return [] }
    var found: [String] = []
    if schema["$schema"]?.stringValue != SchemaTree.dialect {
      found.append("\(name): $schema is not the 2020-12 dialect")
    }
    if schema["$id"]?.stringValue != SchemaTree.root + name {
      found.append("\(name): $id is not \(SchemaTree.root)\(name)")
    }
    let own = schema.objectValue ?? [:]
    let top = SchemaPlace(file: name, pointer: "", schema: schema)
    found += KeywordRule.faults(of: own, beside: ["$schema", "$id"]).map { "\(name): \($0)" }
    if own["type"]?.stringValue == "object" {
      found.append("\(name): an object is a named $defs entry")
    }
    if own["$ref"] != nil, tree.target(of: top) == nil {
      found.append("\(name): \(own["$ref"]?.stringValue ?? "$ref") leads nowhere")
    }
    for (label, definition) in own["$defs"]?.members ?? [] {
      let place = SchemaPlace(file: name, pointer: "#/$defs/\(label)", schema: definition)
      found += schemaFindings(place, isNamed: true)
    }
    return found
  }

  private func schemaFindings(_ place: SchemaPlace, isNamed: Bool = false) -> [String] {
    guard let schema = place.schema.objectValue else {
      let isRest = place.pointer.hasSuffix("/additionalProperties")
      return isRest && place.schema.boolValue != nil ? [] : ["\(place.name): says nothing"]
    }
    var found = KeywordRule.faults(of: schema)
    if schema["type"]?.stringValue == "object", !isNamed {
      found.append("an object is a named $defs entry")
    }
    if schema["properties"] != nil, schema["type"]?.stringValue != "object" {
      found.append("has properties and is no object")
    }
    if let reference = schema["$ref"]?.stringValue, tree.target(of: place) == nil {
      found.append("\(reference) leads nowhere")
    }
    found += rangeFaults(schema)
    if schema["oneOf"] != nil, !hasTags(place) {
      found.append("the branches of oneOf have no const tag of their own")
    }
    var all = found.map { "\(place.name): \($0)" } + memberFindings(place)
    for keyword in ["items", "additionalProperties"] {
      if let inner = schema[keyword] { all += schemaFindings(place.inside(keyword, inner)) }
    }
    for (index, branch) in (schema["oneOf"]?.arrayValue ?? []).enumerated() {
      all += schemaFindings(place.inside("oneOf/\(index)", branch))
    }
    return all
  }

  private static let largest = 9_007_199_254_740_991

  private func rangeFaults(_ schema: JSONObject) -> [String] {
    guard JSONValue.object(schema).typeNames.contains("integer") else { return [] }
    if let least = schema["minimum"]?.intValue, let most = schema["maximum"]?.intValue,
      -Self.largest <= least, least <= most, most <= Self.largest
    {
      return []
    }
    return ["an integer has a minimum and a maximum within ±(2^53-1)"]
  }

  /// Whether one required constant tells every branch from the others.
  private func hasTags(_ place: SchemaPlace) -> Bool {
    let branches = tree.branches(of: place)
    guard let first = branches.first, branches.count == place.schema["oneOf"]?.arrayValue?.count
    else { return false }
    return first.tags.keys.contains { name in
      let values = branches.compactMap { $0.tags[name] }
      return values.count == branches.count && Set(values).count == branches.count
    }
  }

  // MARK: Members

  private func memberFindings(_ place: SchemaPlace) -> [String] {
    let properties = place.properties
    let names = Set(properties.map(\.name))
    var found: [String] = []
    for name in place.required where !names.contains(name) {
      found.append("\(place.name): \(name) is required and not described")
    }
    for name in place.schema["x-grain-reserved"]?.texts ?? [] where names.contains(name) {
      found.append("\(place.name): \(name) is a retired name")
    }
    if let feature = place.schema["x-grain-feature"]?.stringValue,
      tree.manifest["features"]?[feature] == nil
    {
      found.append("\(place.name): the manifest has no feature \(feature)")
    }
    for (name, member) in properties {
      found += schemaFindings(member)
      found += SecretRule(tree: tree).faults(of: member, named: name).map {
        "\(member.name): \($0)"
      }
      if let fault = collectionFault(member, named: name, in: place) {
        found.append("\(member.name): \(fault)")
      }
    }
    return found
  }

  private func collectionFault(
    _ member: SchemaPlace, named name: String, in owner: SchemaPlace
  ) -> String? {
    guard let target = tree.target(of: member)?.schema,
      let order = target["x-grain-collection"]?.stringValue
    else { return nil }
    guard order == name + "Order", let sibling = owner.schema["properties"]?[order] else {
      return "its order \(name)Order is missing"
    }
    guard sibling["type"] == "array", sibling["items"]?["type"] == "string" else {
      return "its order is an array of keys"
    }
    if owner.required.contains(name) != owner.required.contains(order) {
      return "the map and its order are required together or not at all"
    }
    return target["additionalProperties"]?.objectValue == nil ? "a collection is a map" : nil
  }
}

extension SchemaTree {
  /// One branch of a `oneOf`: its schema, and the required constants that tell it from the others.
  struct Branch {
    let place: SchemaPlace
    let tags: [String: JSONValue]
  }

  /// The branches of a `oneOf`; one whose reference leads nowhere is left out.
  func branches(of place: SchemaPlace) -> [Branch] {
    (place.schema["oneOf"]?.arrayValue ?? []).enumerated().compactMap { index, branch in
      guard let target = target(of: place.inside("oneOf/\(index)", branch)) else { return nil }
      let required = Set(target.required)
      let tags = target.properties.compactMap { name, member in
        required.contains(name) ? member.schema["const"].map { (name, $0) } : nil
      }
      return Branch(place: target, tags: Dictionary(tags) { first, _ in first })
    }
  }
}

import StrictJSON

extension SchemaLinter {
  /// The manifest names every file, and every file it names has the parts it must have.
  func manifestFindings() -> [String] {
    let manifest = tree.manifest
    var named = Set(manifest["common"]?.texts ?? [])
    for key in ["envelope", "log"] { named.formUnion([manifest[key]?.stringValue ?? key]) }
    for root in tree.roots() { named.insert(String(root.reference.prefix { $0 != "#" })) }
    let files = Set(tree.schemas.keys)
    var found = named.subtracting(files).sorted().map { "v1/manifest.json: \($0) is missing" }
    found += files.subtracting(named).sorted().map { "v1/manifest.json: \($0) is listed nowhere" }
    for (table, parts) in SchemaTree.tables {
      for (name, entry) in manifest[table]?.members ?? [] {
        guard let file = entry["schema"]?.stringValue else {
          found.append("v1/manifest.json: \(name) has no schema")
          continue
        }
        for (part, _) in parts where tree.schemas[file]?["$defs"]?[part] == nil {
          found.append("\(file): \(name) has no \(part)")
        }
        if let served = entry["served"], served != .bool(false) {
          found.append("v1/manifest.json: served of \(name) is false, or left out")
        }
        if let feature = entry["feature"]?.stringValue, manifest["features"]?[feature] == nil {
          found.append("v1/manifest.json: \(name) needs \(feature), which is no feature")
        }
      }
    }
    for name in tree.names(in: "intents") {
      if let fault = patternFault(name, "v1/common/model-header.json#/$defs/intent") {
        found.append("v1/manifest.json: \(fault)")
      }
    }
    if manifest["schemaRevision"]?.intValue ?? 0 < 1 {
      found.append("v1/manifest.json: schemaRevision is a whole number from 1")
    }
    return found
  }

  /// A name that does not look as the schemas say names of its kind do.
  private func patternFault(_ name: String, _ reference: String) -> String? {
    guard let pattern = tree.place(reference)?.schema["pattern"]?.stringValue else { return nil }
    // A pattern that does not compile is reported where it stands.
    let isFitting = (try? Regex(pattern)).map { name.firstMatch(of: $0) != nil } ?? true
    return isFitting ? nil : "\(name) does not look as \(reference) says"
  }

  /// The registry of errors says each thing once, and its sentences mention what they list.
  func registryFindings() -> [String] {
    var found: [String] = []
    var keys: Set<String> = []
    var kinds: Set<String> = []
    for entry in tree.errors {
      let kind = entry["kind"]?.stringValue ?? "?"
      let key = entry["message"]?["key"]?.stringValue ?? "?"
      if !kinds.insert(kind).inserted { found.append("v1/errors.json: \(kind) is listed twice") }
      if let fault = patternFault(kind, "v1/common/problem.json#/$defs/kind") {
        found.append("v1/errors.json: \(fault)")
      }
      if !keys.insert(key).inserted {
        found.append("v1/errors.json: \(key) is the key of two kinds")
      }
      let fallback = entry["message"]?["fallback"]?.stringValue ?? ""
      let mentioned = Set(fallback.matches(of: /\{(\w+)\}/).map { String($0.output.1) })
      if mentioned != Set(entry["message"]?["params"]?.texts ?? []) {
        found.append("v1/errors.json: \(kind) does not list what its fallback mentions")
      }
      let code = entry["code"]?.intValue ?? 0
      if !(-32_801 ... -32_000).contains(code), !(1000...6999).contains(code) {
        found.append("v1/errors.json: \(kind) has a code outside both blocks")
      }
    }
    return found
  }
}

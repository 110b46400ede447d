import StrictJSON

/// Compares two revisions of the schemas: within version 1 a shell and a core of any two ages must
/// work together (bridge-protocol §12).
struct CompatibilityCheck {
  let base: SchemaTree
  let head: SchemaTree

  /// A check of one revision against an older one.
  init(base: SchemaTree, head: SchemaTree) {
    self.base = base
    self.head = head
  }

  /// What may not be, each as `place: what; why`; none where both fit together.
  ///
  /// What the older core did not serve (`"served": false` in its manifest) may change freely:
  /// nobody can have used it.
  func violations() -> [String] {
    var found = listingViolations() + errorViolations()
    let roots = Dictionary(head.roots().map { ($0.identity, $0) }) { first, _ in first }
    var comparison = SchemaComparison(base: base, head: head)
    for root in base.roots(servedOnly: true) {
      guard let old = base.place(root.reference), let twin = roots[root.identity],
        let new = head.place(twin.reference)
      else { continue }  // what is gone is reported where it was listed
      // Nothing can be gated before the first answer; so every core passes over what it does not know
      // there, and what is new there does no harm.
      let isGreeting = root.name == "params of \(SchemaTree.greetingMethod)"
      comparison.compare(old, new, root.direction, gated: isGreeting)
    }
    found += comparison.violations
    if let fault = revisionViolation() { found.append(fault) }
    return found
  }

  // MARK: Manifest and registry

  private func listingViolations() -> [String] {
    var found: [String] = []
    for (table, _) in SchemaTree.tables {
      let served = Set(head.names(in: table, servedOnly: true))
      for name in base.names(in: table, servedOnly: true) {
        guard served.contains(name) else {
          found.append("v1/manifest.json: \(table): \(name) is gone; older shells use it")
          continue
        }
        let old = base.manifest[table]?[name]
        let new = head.manifest[table]?[name]
        if table == "models", old?["schema"] != new?["schema"] {
          found.append(
            "v1/manifest.json: \(name) has another schema id; shells name it on the wire")
        }
        if (new?["version"]?.intValue ?? 0) < (old?["version"]?.intValue ?? 0) {
          found.append("v1/manifest.json: \(name) has a lower version; versions only rise")
        }
      }
    }
    let methods = Set(head.methods.map(\.identity))
    for method in base.methods where !methods.contains(method.identity) {
      found.append("v1/manifest.json: method \(method.identity) is gone; the other side uses it")
    }
    for feature in base.names(in: "features") where head.manifest["features"]?[feature] == nil {
      found.append("v1/manifest.json: feature \(feature) is gone; shells gate on it")
    }
    return found
  }

  private func errorViolations() -> [String] {
    let kinds = Dictionary(head.errors.map { ($0["kind"]?.stringValue ?? "", $0) }) { $1 }
    return base.errors.compactMap { old in
      let kind = old["kind"]?.stringValue ?? ""
      guard let new = kinds[kind] else {
        return "v1/errors.json: \(kind) is gone; programs switch on it"
      }
      for member in ["code", "retryable"] where old[member] != new[member] {
        return "v1/errors.json: \(kind) has another \(member); kinds are never renumbered"
      }
      return nil
    }
  }

  private func revisionViolation() -> String? {
    let old = base.manifest["schemaRevision"]?.intValue ?? 0
    let new = head.manifest["schemaRevision"]?.intValue ?? 0
    if new < old {
      return "v1/manifest.json: schemaRevision fell from \(old) to \(new); it only rises"
    }
    let isSame =
      base.schemas.mapValues(\.withoutWords) == head.schemas.mapValues(\.withoutWords)
      && base.manifest.withoutWords.withoutRevision == head.manifest.withoutWords.withoutRevision
      && base.errors.map(\.identity) == head.errors.map(\.identity)
    return new > old || isSame
      ? nil : "v1/manifest.json: schemaRevision is still \(new); each accepted change adds one"
  }
}

extension JSONValue {
  /// This without what is for people only.
  fileprivate var withoutWords: JSONValue {
    switch self {
    case .object(let object):
      .object(
        JSONObject(
          object.members.compactMap { name, value in
            let isWords = ["description", "$comment"].contains(name) && value.stringValue != nil
            return isWords ? nil : (name, value.withoutWords)
          }))
    case .array(let elements): .array(elements.map(\.withoutWords))
    default: self
    }
  }

  fileprivate var withoutRevision: JSONValue {
    guard var object = objectValue else { return self }
    object["schemaRevision"] = nil
    return .object(object)
  }

  /// What an entry of the registry says to programs.
  fileprivate var identity: [JSONValue?] {
    [self["kind"], self["code"], self["retryable"], self["message"]?["key"]]
  }
}

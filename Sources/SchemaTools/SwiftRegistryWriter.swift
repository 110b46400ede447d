import StrictJSON

/// Writes the registries in Swift: the names of intents, the kinds of errors, what the core serves.
struct SwiftRegistryWriter {
  let tree: SchemaTree

  // MARK: Intents

  func intentNames() -> [String] {
    var lines = [
      "/// The user-level verbs of the bridge (bridge-protocol §5), as `can` lists them.", "///",
      "/// Each has a schema `Schemas/v1/intents/<name>.json`.",
      "package enum IntentName: String, Codable, CaseIterable, Sendable {",
    ]
    for name in tree.names(in: "intents", servedOnly: true) {
      let file = tree.manifest["intents"]?[name]?["schema"]?.stringValue ?? ""
      lines += SwiftText.comment(
        tree.schemas[file]?["description"]?.stringValue ?? "", indent: 2)
      lines.append("  case \(SwiftNames.enumCase(name)) = \"\(name)\"")
    }
    return lines + ["}"]
  }

  // MARK: Errors

  private struct Failure {
    let name: String
    let kind: String
    let entry: JSONValue
  }

  private var failures: [Failure] {
    tree.errors.compactMap { entry in
      entry["kind"]?.stringValue.map {
        Failure(name: SwiftNames.enumCase($0), kind: $0, entry: entry)
      }
    }
  }

  func errorKinds() -> [String] {
    var lines = [
      "/// Every failure the bridge can tell of (bridge-protocol §7).", "///",
      "/// The raw value is what programs switch on; kinds and codes are never reused or renumbered.",
      "package enum ErrorKind: String, Codable, CaseIterable, Sendable {",
    ]
    var group: Substring?
    for failure in failures {
      let own = failure.kind.prefix { $0 != "." }
      if own != group { lines += (group == nil ? [] : [""]) + ["  // MARK: \(own)"] }
      group = own
      let words = failure.entry["summary"]?.stringValue ?? ""
      lines += SwiftText.comment(words.prefix(1).uppercased() + words.dropFirst() + ".", indent: 2)
      lines.append("  case \(failure.name) = \"\(failure.kind)\"")
    }
    return lines + ["}"]
  }

  func errorFacts() -> [String] {
    let retryable = failures.filter { $0.entry["retryable"] == .bool(true) }.map { ".\($0.name)" }
    let isAny = SwiftText.filled(retryable, indent: 6, isOpen: true)
    let first = "    case " + (isAny.first ?? "").drop { $0 == " " }
    var lines = [
      "extension ErrorKind {",
      "  /// The number of the error on the wire: JSON-RPC's own block is negative, ours is positive.",
      "  package var code: Int {", "    switch self {",
    ]
    lines += failures.map { "    case .\($0.name): \($0.entry["code"]?.intValue ?? 0)" }
    lines += [
      "    }", "  }", "", "  /// Whether the same call may succeed later without changes.",
      "  package var isRetryable: Bool {", "    switch self {",
    ]
    lines += ([first] + isAny.dropFirst()).dropLast()
    lines.append(((isAny.count > 1 ? isAny.last : first) ?? "") + ":")
    lines += [
      "      true", "    default: false", "    }", "  }", "",
      "  /// The name of the sentence that tells the person, in the shell's catalogue.",
      "  package var messageKey: String {", "    switch self {",
    ]
    for failure in failures {
      let key = failure.entry["message"]?["key"]?.stringValue ?? ""
      if key != failure.kind { lines.append("    case .\(failure.name): \"\(key)\"") }
    }
    return lines + ["    default: rawValue", "    }", "  }", "}"]
  }

  func errorWords() -> [String] {
    var lines = [
      "extension ErrorKind {",
      "  /// JSON-RPC's own `message`: English for developers, without user data, never shown.",
      "  package var summary: String {", "    switch self {",
    ]
    for failure in failures {
      lines += SwiftText.branch(
        failure.name, text: failure.entry["summary"]?.stringValue ?? "", indent: 4)
    }
    lines += [
      "    }", "  }", "",
      "  /// The sentence for the person in English; `{name}` stands for a parameter of the message.",
      "  ///",
      "  /// Says what happened and what to do next. A place that knows more says more instead.",
      "  package var fallbackTemplate: String {", "    switch self {",
    ]
    for failure in failures {
      lines += SwiftText.branch(
        failure.name, text: failure.entry["message"]?["fallback"]?.stringValue ?? "", indent: 4)
    }
    return lines + ["    }", "  }", "}"]
  }

  // MARK: What the core serves

  func registry() -> [String] {
    var lines = [
      "/// What this core serves, by the manifest of its schemas (`Schemas/v1/manifest.json`).",
      "package enum SchemaRegistry {", "  /// What stands in front of every schema's id.",
      "  package static let root = \"\(SchemaTree.root)\"",
      "  /// Rises by one with every accepted change of the schemas.",
      "  package static let revision = \(tree.manifest["schemaRevision"]?.intValue ?? 0)",
      "  /// The models, each with the id of its schema.",
      "  package static let models: [(model: String, schema: String)] = [",
    ]
    for name in tree.names(in: "models", servedOnly: true) {
      let schema = tree.manifest["models"]?[name]?["schema"]?.stringValue ?? ""
      lines.append("    (\"\(name)\", \"\(schema)\"),")
    }
    lines += [
      "  ]", "  /// The effects the core may ask for, each with its version.",
      "  package static let effects: [String: Int] = [",
    ]
    for name in tree.names(in: "effects", servedOnly: true) {
      let version = tree.manifest["effects"]?[name]?["version"]?.intValue ?? 1
      lines.append("    \"\(name)\": \(version),")
    }
    return lines + ["  ]", "}"]
  }
}

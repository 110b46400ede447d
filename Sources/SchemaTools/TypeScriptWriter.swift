import StrictJSON

/// Writes the types of a bundle as TypeScript declarations (bridge-protocol §12).
struct TypeScriptWriter {
  private let catalog: TypeCatalog
  private var lines: [String] = []

  private init(_ catalog: TypeCatalog) { self.catalog = catalog }

  /// The whole declaration file.
  static func text(of tree: SchemaTree) -> String {
    var writer = TypeScriptWriter(TypeCatalog(tree))
    writer.writeAll()
    return writer.lines.joined(separator: "\n") + "\n"
  }

  private mutating func writeAll() {
    let revision = catalog.tree.manifest["schemaRevision"]?.intValue ?? 0
    lines = [
      "// Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.",
      "// Objects a core sends may have more members than are named here; objects sent to it may not.",
      "", "/** The revision of the schemas these types were generated from. */",
      "export type SchemaRevision = \(revision);", "", "/** Any JSON value. */",
      "export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;", "",
      "/** An object whose members its own schema describes, or none. */",
      "export interface JsonObject {", "  [name: string]: JsonValue;", "}",
    ]
    for section in catalog.sections {
      lines += ["", "// MARK: \(section.title)"]
      for type in section.types { write(type) }
    }
    lines += ["", "// MARK: Tables by name"]
    table("Models", "models", "The models: what selects an instance, and the state.")
    table("Intents", "intents", "The intents: requests from shell to core.")
    table("Effects", "effects", "The effects: what a core asks of a shell with effects/perform.")
    write(
      "Requests", catalog.methods(.toCore, isRequest: true),
      "The protocol's own requests from shell to core.")
    write(
      "ShellNotifications", catalog.methods(.toCore, isRequest: false),
      "Notifications from shell to core.")
    write(
      "CoreRequests", catalog.methods(.toShell, isRequest: true), "Requests from core to shell.")
    write(
      "CoreNotifications", catalog.methods(.toShell, isRequest: false),
      "Notifications from core to shell.")
    let features = catalog.tree.names(in: "features").map { "\"\($0)\"" }
    lines += [
      "", "/** Optional behaviour a core may announce; shells gate on these names. */",
      "export type FeatureName = \((features + ["(string & {})"]).joined(separator: " | "));",
    ]
  }

  // MARK: Types

  private mutating func write(_ type: TypeDeclaration) {
    lines.append("")
    comment(type.words, feature: type.feature)
    switch type.kind {
    case .alias(let shape):
      lines.append(contentsOf: alias(type.name, shape))
    case .object(let members):
      lines.append("export interface \(type.name) {")
      for member in members {
        comment(
          member.words ?? "", feature: member.feature, isDeprecated: member.isDeprecated,
          indent: "  ")
        let mark = member.isRequired ? "" : "?"
        lines.append("  \(Self.key(member.name))\(mark): \(Self.text(of: member.shape));")
      }
      lines.append("}")
    }
  }

  /// A union that does not fit into one line gets a line for each case.
  private func alias(_ name: String, _ shape: TypeShape) -> [String] {
    let line = "export type \(name) = \(Self.text(of: shape));"
    if line.count <= 100 { return [line] }
    let cases: [String] =
      switch shape {
      case .words(let words, let isOpen):
        words.map { "\"\($0)\"" } + (isOpen ? ["(string & {})"] : [])
      case .union(let shapes): shapes.map(Self.text)
      default: []
      }
    if cases.isEmpty { return [line] }
    let rows = cases.map { "  | \($0)" }
    return ["export type \(name) ="] + rows.dropLast() + [(rows.last ?? "") + ";"]
  }

  private static func text(of shape: TypeShape) -> String {
    switch shape {
    case .text: "string"
    case .integer, .number: "number"
    case .flag: "boolean"
    case .null: "null"
    case .constant(let value): value.text()
    case .words(let words, let isOpen):
      (words.map { "\"\($0)\"" } + (isOpen ? ["(string & {})"] : [])).joined(separator: " | ")
    case .list(let element):
      element.isCompound ? "(\(text(of: element)))[]" : "\(text(of: element))[]"
    case .map(let value): "Record<string, \(text(of: value))>"
    case .anyObject: "JsonObject"
    case .emptyObject: "Record<string, never>"
    case .any: "JsonValue"
    case .named(let name): name
    case .union(let shapes): shapes.map(text).joined(separator: " | ")
    }
  }

  private static func key(_ name: String) -> String {
    name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? name : "\"\(name)\""
  }

  // MARK: Tables

  private mutating func table(_ name: String, _ table: String, _ words: String) {
    write(name, catalog.entries(table), words, withSchema: table == "models")
  }

  private mutating func write(
    _ name: String, _ entries: [TypeCatalog.Entry], _ words: String, withSchema: Bool = false
  ) {
    lines.append("")
    comment(words)
    lines.append("export interface \(name) {")
    for entry in entries {
      let later = entry.isServed ? "" : " No core serves it yet."
      comment(entry.words + later, indent: "  ")
      var parts = entry.parts.map { "\($0.part): \(Self.text(of: $0.type))" }
      if withSchema { parts.append("schema: \"\(entry.schema)\"") }
      lines.append("  \(Self.key(entry.name)): { \(parts.joined(separator: "; ")) };")
    }
    lines.append("}")
  }

  private mutating func comment(
    _ words: String, feature: String? = nil, isDeprecated: Bool = false, indent: String = ""
  ) {
    var text = words.replacing("*/", with: "* /")
    if let feature { text += " Only with the feature \(feature)." }
    if isDeprecated { text = "@deprecated " + text }
    guard !text.isEmpty else { return }
    let rows = TextLayout.wrapped(text, width: 100 - indent.count - 7)
    if rows.count == 1 { return lines.append("\(indent)/** \(rows[0]) */") }
    lines.append("\(indent)/**")
    lines += rows.map { "\(indent) * \($0)" }
    lines.append("\(indent) */")
  }
}

extension TypeShape {
  /// Whether it needs parentheses in front of `[]`.
  fileprivate var isCompound: Bool {
    switch self {
    case .words, .union: true
    default: false
    }
  }
}

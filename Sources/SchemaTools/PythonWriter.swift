import StrictJSON

/// Writes the types of a bundle for Python (bridge-protocol §12): `TypedDict`s that cost nothing at
/// run time and need no package there.
struct PythonWriter {
  private let catalog: TypeCatalog
  private var lines: [String] = []

  private init(_ catalog: TypeCatalog) { self.catalog = catalog }

  /// The whole module.
  static func text(of tree: SchemaTree) -> String {
    var writer = PythonWriter(TypeCatalog(tree))
    writer.writeAll()
    return writer.lines.joined(separator: "\n") + "\n"
  }

  private mutating func writeAll() {
    let revision = catalog.tree.manifest["schemaRevision"]?.intValue ?? 0
    lines = [
      "\"\"\"Generated from Schemas/v1 by `grain-schema generate`. Do not edit: change the schemas.",
      "",
      "Objects a core sends may have more members than are named here; objects sent to it may not.",
      "\"\"\"", "", "from __future__ import annotations", "",
      "from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, Protocol, TypedDict",
      "from typing import Union, overload", "", "if TYPE_CHECKING:",
      "    # Type checkers bring this with them; nothing imports it when the program runs.",
      "    from typing_extensions import NotRequired", "",
      "#: The revision of the schemas these types were generated from.",
      "SCHEMA_REVISION = \(revision)",
    ]
    for section in catalog.sections {
      lines += ["", "", "# MARK: \(section.title)"]
      for type in section.types { write(type) }
    }
    lines += ["", "", "# MARK: Names"]
    names("ModelName", catalog.tree.names(in: "models"))
    names("EffectName", catalog.tree.names(in: "effects"))
    names("FeatureName", catalog.tree.names(in: "features"))
    lines += ["", "#: The schema of each model in version 1."]
    lines.append("MODEL_SCHEMAS: Dict[str, str] = {")
    for entry in catalog.entries("models") {
      lines.append("    \"\(entry.name)\": \"\(entry.schema)\",")
    }
    lines.append("}")
    writeCalls(isAsync: false)
    writeCalls(isAsync: true)
  }

  // MARK: Types

  private mutating func write(_ type: TypeDeclaration) {
    switch type.kind {
    case .alias(let shape):
      lines.append("")
      comment(type.words, feature: type.feature, indent: "")
      // An alias is evaluated when the module is loaded, so what comes later is named as text.
      alias(type.name, shape)
    case .object(let members):
      lines += ["", ""]
      lines += ["class \(type.name)(TypedDict):"]
      docstring(type)
      for member in members {
        comment(member.words ?? "", feature: member.feature, indent: "    ")
        let text = Self.text(of: member.shape)
        lines.append(
          "    \(member.name): \(member.isRequired ? text : "NotRequired[\(text)]")")
      }
    }
  }

  private mutating func alias(_ name: String, _ shape: TypeShape) {
    if case .words(let words, isOpen: true) = shape {
      comment("One of \(words.joined(separator: ", ")); more may come.", indent: "")
      return lines.append("\(name) = str")
    }
    lines.append("\(name) = \(Self.text(of: shape, isEvaluated: true))")
  }

  private mutating func docstring(_ type: TypeDeclaration) {
    var words = type.words
    if let feature = type.feature { words += " Only with the feature \(feature)." }
    let rows = TextLayout.wrapped(words, width: 90)
    if rows.count <= 1 {
      lines.append("    \"\"\"\(rows.first ?? type.name)\"\"\"")
    } else {
      lines.append("    \"\"\"\(rows[0])")
      lines += rows.dropFirst().map { "    \($0)" }
      lines.append("    \"\"\"")
    }
    lines.append("")
  }

  private mutating func comment(_ words: String, feature: String? = nil, indent: String) {
    let text = words + (feature.map { " Only with the feature \($0)." } ?? "")
    lines += TextLayout.wrapped(text, width: 96 - indent.count).map { "\(indent)#: \($0)" }
  }

  private static func text(of shape: TypeShape, isEvaluated: Bool = false) -> String {
    func inner(_ shape: TypeShape) -> String { text(of: shape, isEvaluated: isEvaluated) }
    return switch shape {
    case .text: "str"
    case .integer: "int"
    case .number: "float"
    case .flag: "bool"
    case .null: "None"
    case .constant(let value): "Literal[\(literal(value))]"
    case .words(_, isOpen: true): "str"
    case .words(let words, isOpen: false):
      "Literal[\(words.map { "\"\($0)\"" }.joined(separator: ", "))]"
    case .list(let element): "List[\(inner(element))]"
    case .map(let value): "Dict[str, \(inner(value))]"
    case .anyObject, .emptyObject: "Dict[str, Any]"
    case .any: "Any"
    case .named(let name): isEvaluated ? "\"\(name)\"" : name
    case .union(let shapes): "Union[\(shapes.map(inner).joined(separator: ", "))]"
    }
  }

  private static func literal(_ value: JSONValue) -> String {
    switch value {
    case .bool(let flag): flag ? "True" : "False"
    default: value.text()
    }
  }

  // MARK: Names and calls

  private mutating func names(_ name: String, _ names: [String]) {
    lines.append("")
    let values = names.map { "\"\($0)\"" }.joined(separator: ", ")
    let line = "\(name) = Literal[\(values)]"
    if line.count <= 100 { return lines.append(line) }
    lines.append("\(name) = Literal[")
    lines += names.map { "    \"\($0)\"," }
    lines.append("]")
  }

  private mutating func writeCalls(isAsync: Bool) {
    let prefix = isAsync ? "Async" : ""
    lines += [
      "", "", "class \(prefix)Calls(Protocol):",
      "    \"\"\"`\(prefix)Client.call` with the types of each method; see `\(prefix)Client.typed`.\"\"\"",
    ]
    let entries = catalog.methods(.toCore, isRequest: true) + catalog.entries("intents")
    for entry in entries {
      let types = Dictionary(entry.parts.map { ($0.part, Self.text(of: $0.type)) }) { $1 }
      let params = types["params"] ?? "Dict[str, Any]"
      let given = entry.needsNothing ? "Optional[\(params)] = None" : params
      lines += ["", "    @overload", "    \(isAsync ? "async " : "")def call("]
      // Waits on an event loop are ended by whoever waits.
      let limit = isAsync ? [] : ["timeout: float = 30"]
      let arguments =
        ["self", "method: Literal[\"\(entry.name)\"]", "params: \(given)"] + limit
      let line = "        " + arguments.joined(separator: ", ")
      lines += line.count <= 100 ? [line] : arguments.map { "        \($0)," }
      lines.append("    ) -> \(types["result"] ?? "Dict[str, Any]"): ...")
    }
  }
}

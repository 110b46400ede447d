import StrictJSON

/// The types of a bundle, ready to be written in a language: in the manifest's order, each once.
struct TypeCatalog {
  /// A part of the bundle with its types.
  struct Section {
    let title: String
    let types: [TypeDeclaration]
  }

  /// An entry of a table: the two parts of a model, intent, effect or method.
  struct Entry {
    let name: String
    let words: String
    /// The type of each part, by the part's name; a part without members is left out.
    let parts: [(part: String, type: TypeShape)]
    let schema: String
    /// Whether a core offers it yet.
    let isServed: Bool
    /// Whether the first part has no member that must be there.
    let needsNothing: Bool
  }

  let tree: SchemaTree

  init(_ tree: SchemaTree) { self.tree = tree }

  /// Every type with a name, by part of the bundle.
  var sections: [Section] {
    let manifest = tree.manifest
    func files(_ table: String) -> [String] {
      tree.names(in: table).compactMap { manifest[table]?[$0]?["schema"]?.stringValue }
    }
    let common = manifest["common"]?.texts ?? []
    let named = Set(common + files("models") + files("intents") + files("effects"))
    let protocols = tree.schemas.keys.filter { !named.contains($0) }.sorted()
    return [
      section("What all have in common", common), section("Models", files("models")),
      section("Intents", files("intents")), section("Effects", files("effects")),
      section("The protocol itself", protocols),
    ]
  }

  /// Models, intents or effects.
  func entries(_ table: String) -> [Entry] {
    let parts = SchemaTree.tables.first { $0.table == table }?.parts ?? []
    return (tree.manifest[table]?.members ?? []).compactMap { name, entry in
      guard let file = entry["schema"]?.stringValue else { return nil }
      let references = parts.map { ($0.part, "\(file)#/$defs/\($0.part)") }
      return self.entry(
        name, tree.schemas[file]?["description"]?.stringValue ?? "", references, schema: file,
        isServed: entry["served"] != .bool(false))
    }
  }

  /// The protocol's own methods.
  func methods(_ direction: Direction, isRequest: Bool) -> [Entry] {
    tree.methods.filter { $0.direction == direction && $0.isRequest == isRequest }.map { method in
      let file = String(method.params.prefix { $0 != "#" })
      let references =
        [("params", method.params)] + (method.result.map { [("result", $0)] } ?? [])
      return entry(
        method.name, tree.schemas[file]?["description"]?.stringValue ?? "", references,
        schema: file, isServed: true)
    }
  }

  private func entry(
    _ name: String, _ words: String, _ references: [(String, String)], schema: String,
    isServed: Bool
  ) -> Entry {
    let parts = references.map { part, reference in
      (part: part, type: tree.place(reference).map { shape(of: $0) } ?? .any)
    }
    let first = references.first.flatMap { tree.place($0.1) }.flatMap(tree.target(of:))
    return Entry(
      name: name, words: words, parts: parts, schema: schema, isServed: isServed,
      needsNothing: first?.required.isEmpty ?? false)
  }

  private func section(_ title: String, _ files: [String]) -> Section {
    Section(
      title: title,
      types: files.flatMap { file in
        (tree.schemas[file]?["$defs"]?.members ?? []).compactMap { label, schema in
          declaration(SchemaPlace(file: file, pointer: "#/$defs/\(label)", schema: schema))
        }
      })
  }

  // MARK: One type

  private func declaration(_ place: SchemaPlace) -> TypeDeclaration? {
    guard isDeclared(place) else { return nil }
    let members = place.properties.map { name, member in
      TypeMember(
        name: name, words: tree.annotation("description", of: member)?.stringValue,
        shape: shape(of: member), isRequired: place.required.contains(name),
        feature: member.schema["x-grain-feature"]?.stringValue,
        isDeprecated: member.schema["deprecated"] == .bool(true))
    }
    return TypeDeclaration(
      name: TypeNames.name(of: place), words: place.schema["description"]?.stringValue ?? "",
      kind: members.isEmpty ? .alias(content(of: place)) : .object(members),
      feature: place.schema["x-grain-feature"]?.stringValue)
  }

  /// Objects with members, enums, unions and the names of intents and errors have a name; maps,
  /// plain texts and numbers are written where they are used.
  private func isDeclared(_ place: SchemaPlace) -> Bool {
    guard place.definition != nil, place.schema["$ref"] == nil else { return false }
    return place.schema["properties"]?.objectValue.map { !$0.isEmpty } ?? false
      || place.schema["enum"] != nil || place.schema["oneOf"] != nil
      || place.schema.typeNames.count > 1 || Self.hasNames(place)
  }

  /// Texts of which the bundle knows all values.
  static func hasNames(_ place: SchemaPlace) -> Bool {
    ["IntentName", "ErrorKind"].contains(TypeNames.name(of: place))
  }

  private func shape(of place: SchemaPlace) -> TypeShape {
    guard let target = tree.target(of: place) else { return .any }
    return isDeclared(target) ? .named(TypeNames.name(of: target)) : content(of: target)
  }

  private func content(of place: SchemaPlace) -> TypeShape {
    let schema = place.schema
    if Self.hasNames(place), let words = names(for: TypeNames.name(of: place)) {
      return .words(words, isOpen: true)
    }
    if let constant = schema["const"] { return .constant(constant) }
    if schema["oneOf"] != nil {
      return .union(tree.branches(of: place).map { shape(of: $0.place) })
    }
    if let words = schema["enum"]?.texts {
      return .words(words, isOpen: schema["x-grain-open"] == .bool(true))
    }
    let kinds = schema.typeNames.map { kind(named: $0, of: place) }
    return kinds.count == 1 ? kinds[0] : kinds.isEmpty ? .any : .union(kinds)
  }

  private func names(for type: String) -> [String]? {
    type == "ErrorKind"
      ? tree.errors.compactMap { $0["kind"]?.stringValue } : tree.names(in: "intents")
  }

  private func kind(named name: String, of place: SchemaPlace) -> TypeShape {
    switch name {
    case "string": .text
    case "integer": .integer
    case "number": .number
    case "boolean": .flag
    case "null": .null
    case "array": .list(place.schema["items"].map { shape(of: place.inside("items", $0)) } ?? .any)
    default: objectKind(of: place)
    }
  }

  private func objectKind(of place: SchemaPlace) -> TypeShape {
    switch place.schema["additionalProperties"] {
    case .bool(false)?: .emptyObject
    case let rest? where rest.objectValue != nil:
      .map(shape(of: place.inside("additionalProperties", rest)))
    default: .anyObject
    }
  }
}

import StrictJSON

/// Writes the values of `GrainSnapshots` (bridge-protocol §12): what the core serves, and only that.
///
/// The core writes states and never reads them back from a shell, so an open enum is a plain one
/// here: what may come later is nothing this core can say.
struct SwiftWriter {
  let tree: SchemaTree
  let names: SwiftNames

  /// Every file by its name without the ending, in the order of the names.
  static func files(of tree: SchemaTree) -> [(name: String, text: String)] {
    let writer = SwiftWriter(tree: tree, names: SwiftNames(tree: tree))
    var files = writer.typeFiles()
    files["IntentName"] = SwiftRegistryWriter(tree: tree).intentNames()
    files["ErrorKind"] = SwiftRegistryWriter(tree: tree).errorKinds()
    files["ErrorKind+Registry"] = SwiftRegistryWriter(tree: tree).errorFacts()
    files["ErrorKind+Words"] = SwiftRegistryWriter(tree: tree).errorWords()
    files["SchemaRegistry"] = SwiftRegistryWriter(tree: tree).registry()
    return files.sorted { $0.key < $1.key }.map { name, lines in
      (name, ([SwiftText.head, ""] + lines).joined(separator: "\n") + "\n")
    }
  }

  /// Types that say more than a schema can, and are written by hand; a test holds them to it.
  private static let written: Set<String> = ["Message", "Problem", "IntentName"]

  // MARK: Which types

  /// The lines of each file; a type nested in another stands in the file of the outermost.
  private func typeFiles() -> [String: [String]] {
    var files: [String: [String]] = [:]
    var seen: Set<String> = Self.written
    for place in places() {
      guard let name = names.name(of: place), seen.insert(name).inserted else { continue }
      let outermost = String(name.prefix { $0 != "." })
      let parent = name.split(separator: ".").dropLast().joined(separator: ".")
      let indent = parent.isEmpty ? 0 : 2
      var lines = declaration(of: place, named: name, indent: indent)
      if !parent.isEmpty { lines = ["extension \(parent) {"] + lines + ["}"] }
      lines += codable(place, named: name)
      files[outermost, default: []] += (files[outermost] == nil ? [] : [""]) + lines
    }
    return files
  }

  /// Every object and enum the served models hold, the outer before the inner.
  private func places() -> [SchemaPlace] {
    var found: [SchemaPlace] = []
    var seen: Set<String> = []
    func visit(_ place: SchemaPlace) {
      guard let place = tree.target(of: place), seen.insert(place.name).inserted else { return }
      found.append(place)
      for (_, member) in place.properties { visit(member) }
      for keyword in ["items", "additionalProperties"] {
        if let inner = place.schema[keyword] { visit(place.inside(keyword, inner)) }
      }
    }
    for model in tree.names(in: "models", servedOnly: true) {
      guard let file = tree.manifest["models"]?[model]?["schema"]?.stringValue,
        let state = tree.place("\(file)#/$defs/state")
      else { continue }
      visit(state)
    }
    return found
  }

  private func declaration(of place: SchemaPlace, named name: String, indent: Int) -> [String] {
    place.schema["enum"] == nil
      ? structure(place, named: name, indent: indent)
      : enumeration(place, named: name, indent: indent)
  }

  private func enumeration(_ place: SchemaPlace, named name: String, indent: Int) -> [String] {
    let pad = String(repeating: " ", count: indent)
    let own = name.split(separator: ".").last ?? ""
    return SwiftText.comment(place.schema["description"]?.stringValue ?? "", indent: indent)
      + ["\(pad)package enum \(own): String, Codable, CaseIterable, Sendable {"]
      + SwiftText.filled(place.schema["enum"]?.texts ?? [], indent: indent + 2, lead: "case ")
      + ["\(pad)}"]
  }

  private func structure(_ place: SchemaPlace, named name: String, indent: Int) -> [String] {
    let pad = String(repeating: " ", count: indent)
    let own = name.split(separator: ".").last ?? ""
    let model = place.definition == "state" ? names.model(of: place.file) : nil
    var words = place.schema["description"]?.stringValue ?? ""
    if let model {
      let about = tree.schemas[place.file]?["description"]?.stringValue ?? words
      words = "\(about.dropLast()) (bridge-protocol §4.1, model `\(model)`)."
    }
    let members = self.members(of: place, in: name)
    let isPlain = members.allSatisfy { $0.order == nil && $0.name == $0.wireName }
    let protocols =
      model != nil ? "ModelSnapshot" : (isPlain ? "Codable, " : "") + "Hashable, Sendable"
    var lines = SwiftText.comment(words, indent: indent)
    lines.append("\(pad)package struct \(own): \(protocols) {")
    if let model {
      lines += [
        "\(pad)  /// The name shells subscribe to.",
        "\(pad)  package static var model: String { \"\(model)\" }",
        "\(pad)  /// The id of the state's schema below the schema root.",
        "\(pad)  package static var schema: String { \"\(place.file)\" }", "",
      ]
    }
    for member in members {
      lines += SwiftText.comment(member.words, indent: indent + 2)
      lines.append("\(pad)  package var \(member.name): \(member.type)")
    }
    lines += ["", "\(pad)  /// The members in schema order; leave out what is absent."]
    lines += SwiftText.call(
      "package init",
      members.map { "\($0.name): \($0.type)" + ($0.value.map { " = \($0)" } ?? "") }, " {",
      indent: indent + 2)
    lines += members.map { "\(pad)    self.\($0.name) = \($0.name)" }
    return lines + ["\(pad)  }", "\(pad)}"]
  }

  // MARK: Coding

  private func codable(_ place: SchemaPlace, named name: String) -> [String] {
    guard place.schema["enum"] == nil else { return [] }
    let members = self.members(of: place, in: name)
    guard members.contains(where: { $0.order != nil || $0.name != $0.wireName }) else { return [] }
    var lines = ["", "extension \(name): Codable {"]
    lines.append("  private enum CodingKeys: String, CodingKey {")
    lines += keys(members)
    lines += [
      "  }", "",
      "  /// Reads the members; throws where a collection and its order name different keys.",
      "  package init(from decoder: any Decoder) throws {",
      "    let container = try decoder.container(keyedBy: CodingKeys.self)",
    ]
    for member in members { lines += member.decoding }
    lines += [
      "  }", "", "  /// Writes the members in schema order and leaves out what is absent.",
      "  package func encode(to encoder: any Encoder) throws {",
      "    var container = encoder.container(keyedBy: CodingKeys.self)",
    ]
    for member in members { lines += member.encoding }
    return lines + ["  }", "}"]
  }

  private func keys(_ members: [SwiftMember]) -> [String] {
    var lines: [String] = []
    var plain: [String] = []
    func flush() {
      lines += SwiftText.filled(plain, indent: 4, lead: "case ")
      plain = []
    }
    for member in members {
      if let order = member.order { plain.append(order) }
      if member.name == member.wireName {
        plain.append(member.name)
      } else {
        flush()
        lines.append("    case \(member.name) = \"\(member.wireName)\"")
      }
    }
    flush()
    return lines
  }
}

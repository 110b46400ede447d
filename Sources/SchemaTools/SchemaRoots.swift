import StrictJSON

/// Who writes a value, which decides what may change about it (bridge-protocol §12).
enum Direction: String, CaseIterable {
  case toCore = "shell to core"
  case toShell = "core to shell"

  var opposite: Direction { self == .toCore ? .toShell : .toCore }
}

/// One part of something the manifest lists: where a value on the wire begins.
struct SchemaRoot {
  /// What it is: `state of login`. Two values of one name travel in different directions.
  let name: String
  /// Who writes it.
  let direction: Direction
  /// The schema, as a reference from the root.
  let reference: String

  /// The same for the same value in another revision.
  var identity: String { "\(name), \(direction.rawValue)" }
}

extension SchemaTree {
  /// The tables of the manifest whose entries have a schema, and the parts of each.
  static let tables: [(table: String, parts: [(part: String, direction: Direction)])] = [
    ("models", [("state", .toShell), ("args", .toCore)]),
    ("intents", [("params", .toCore), ("result", .toShell)]),
    ("effects", [("args", .toShell), ("result", .toCore)]),
  ]

  /// The names in one table of the manifest.
  ///
  /// - Parameters:
  ///   - table: `models`, `intents`, `effects` or `features`.
  ///   - servedOnly: without those the core does not serve yet.
  /// - Returns: the names, in the manifest's order.
  func names(in table: String, servedOnly: Bool = false) -> [String] {
    (manifest[table]?.members ?? [])
      .filter { !servedOnly || $0.value["served"] != .bool(false) }.map(\.key)
  }

  /// Every value on the wire the manifest knows of.
  ///
  /// - Parameter servedOnly: without the models, intents and effects the core does not serve yet.
  /// - Returns: the values, those of models first.
  func roots(servedOnly: Bool = false) -> [SchemaRoot] {
    var roots: [SchemaRoot] = []
    for (table, parts) in Self.tables {
      for name in names(in: table, servedOnly: servedOnly) {
        guard let schema = manifest[table]?[name]?["schema"]?.stringValue else { continue }
        for (part, direction) in parts {
          roots.append(
            SchemaRoot(
              name: "\(part) of \(name)", direction: direction,
              reference: "\(schema)#/$defs/\(part)"))
        }
      }
    }
    for method in methods {
      roots.append(
        SchemaRoot(
          name: "params of \(method.name)", direction: method.direction, reference: method.params))
      if let result = method.result {
        roots.append(
          SchemaRoot(
            name: "result of \(method.name)", direction: method.direction.opposite,
            reference: result))
      }
    }
    roots.append(
      SchemaRoot(
        name: "an error", direction: .toShell, reference: "v1/protocol/error.json#/$defs/error"))
    if let log = manifest["log"]?.stringValue {
      roots.append(
        SchemaRoot(name: "a log line", direction: .toShell, reference: log + "#/$defs/line"))
    }
    return roots
  }

  /// The file of what a shell says before it knows anything about the core.
  var greeting: String? {
    manifest["methods"]?["shellToCore"]?["requests"]?[Self.greetingMethod]?["params"]?.stringValue
      .flatMap { $0.split(separator: "#").first.map(String.init) }
  }

  /// The request that comes before everything else.
  static let greetingMethod = "initialize"

  /// A method of the protocol itself.
  struct Method {
    let name: String
    let direction: Direction
    let isRequest: Bool
    /// A reference from the root.
    let params: String
    /// A reference from the root; the effects have their own results.
    let result: String?

    /// The same for the same method in another revision.
    var identity: String { "\(name) (\(direction.rawValue))" }
  }

  /// The methods both sides know, in the manifest's order.
  var methods: [Method] {
    [("shellToCore", Direction.toCore), ("coreToShell", .toShell)].flatMap { table, direction in
      ["requests", "notifications"].flatMap { kind in
        (manifest["methods"]?[table]?[kind]?.members ?? []).compactMap { name, entry in
          guard let params = entry["params"]?.stringValue else { return nil }
          return Method(
            name: name, direction: direction, isRequest: kind == "requests",
            params: Self.part("params", of: params),
            result: entry["result"]?.stringValue.map { Self.part("result", of: $0) })
        }
      }
    }
  }

  /// A file alone means the part of that name in it.
  private static func part(_ part: String, of reference: String) -> String {
    reference.contains("#") ? reference : "\(reference)#/$defs/\(part)"
  }
}

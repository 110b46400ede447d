import StrictJSON

extension SchemaLinter {
  /// Direction decides who is open: what the shell sends is closed, what the core sends is open. What is
  /// said before anything is agreed on is open as well: no feature can have told the shell to be silent.
  func directionFindings() -> [String] {
    let walk = DirectionWalk(tree)
    var found: [String] = []
    for place in walk.objects.values.sorted(by: { $0.name < $1.name }) {
      // JSON-RPC's own shapes travel both ways, and its readers ignore members they do not know.
      guard place.file != tree.manifest["envelope"]?.stringValue,
        place.schema["type"]?.stringValue == "object"
      else { continue }
      let ways = walk.directions[place.name] ?? []
      let rest = place.schema["additionalProperties"]
      let isMap = rest?.objectValue != nil
      let isClosed = rest == .bool(false)
      if ways.count == 2, !isMap {
        found.append("\(place.name): travels both ways, so it is neither open nor closed")
      } else if ways == [.toCore], place.file == tree.greeting {
        if isClosed { found.append("\(place.name): comes before any agreement and is closed") }
      } else if ways == [.toCore], !isClosed, !isMap {
        found.append("\(place.name): goes to the core and is not closed")
      } else if ways == [.toShell], isClosed {
        found.append("\(place.name): goes to the shell and is closed")
      }
      guard ways.contains(.toShell) else { continue }
      for (_, member) in place.properties
      where tree.annotation("x-grain-sensitive", of: member) == "secret" {
        found.append("\(member.name): a secret, and it goes to the shell")
      }
    }
    return found
  }
}

/// Which way every schema travels, by walking from each value on the wire.
private struct DirectionWalk {
  private let tree: SchemaTree
  private(set) var directions: [String: Set<Direction>] = [:]
  private(set) var objects: [String: SchemaPlace] = [:]

  init(_ tree: SchemaTree) {
    self.tree = tree
    for root in tree.roots() {
      if let place = tree.place(root.reference) { visit(place, root.direction) }
    }
  }

  /// Notes the direction of a schema and of everything it holds.
  private mutating func visit(_ place: SchemaPlace, _ direction: Direction) {
    guard let place = tree.target(of: place),
      directions[place.name, default: []].insert(direction).inserted
    else { return }
    objects[place.name] = place
    for (_, member) in place.properties { visit(member, direction) }
    for keyword in ["items", "additionalProperties"] {
      if let inner = place.schema[keyword] { visit(place.inside(keyword, inner), direction) }
    }
    for (index, branch) in (place.schema["oneOf"]?.arrayValue ?? []).enumerated() {
      visit(place.inside("oneOf/\(index)", branch), direction)
    }
  }
}

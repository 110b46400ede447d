import StrictJSON

/// Compares two schemas and all they hold, by the table of bridge-protocol §12.
struct SchemaComparison {
  private let base: SchemaTree
  private let head: SchemaTree
  private let newFeatures: Set<String>
  private var seen: Set<String> = []
  private(set) var violations: [String] = []

  init(base: SchemaTree, head: SchemaTree) {
    self.base = base
    self.head = head
    newFeatures = Set(head.names(in: "features")).subtracting(base.names(in: "features"))
  }

  /// Notes every violation between an older schema and a newer one.
  ///
  /// - Parameters:
  ///   - old: the older schema.
  ///   - new: the newer one.
  ///   - direction: who writes the value.
  ///   - gated: whether something around the newer schema comes with a new feature.
  ///   - isStatus: whether this is the status of a state.
  mutating func compare(
    _ old: SchemaPlace, _ new: SchemaPlace, _ direction: Direction, gated: Bool = false,
    isStatus: Bool = false
  ) {
    let isGated = gated || self.isGated(new)
    guard let old = base.target(of: old), let new = head.target(of: new),
      seen.insert("\(old.name) \(new.name) \(direction) \(isGated)").inserted
    else { return }
    let note = Note(place: new.name, direction: direction, isGated: isGated)
    let typeChanges = Self.typeChanges(old.schema, new.schema, direction)
    for change in typeChanges { add(change, note) }
    // What is inside another type is no news.
    if typeChanges.contains(where: \.isRetyping) { return }
    for change in wordChanges(old.schema, new.schema, direction, isStatus) { add(change, note) }
    for change in Self.rangeChanges(old.schema, new.schema) { add(change, note) }
    compareMembers(old, new, note)
    for keyword in ["items", "additionalProperties"] {
      if let was = old.schema[keyword], was.objectValue != nil, let now = new.schema[keyword],
        now.objectValue != nil
      {
        compare(old.inside(keyword, was), new.inside(keyword, now), direction, gated: isGated)
      }
    }
    compareBranches(old, new, note)
  }

  // MARK: Parts

  /// Where a change is noted.
  private struct Note {
    let place: String
    let direction: Direction
    let isGated: Bool
  }

  private mutating func add(_ change: SchemaChange, _ note: Note, at place: String? = nil) {
    guard let why = change.refusal(note.direction, isGated: note.isGated) else { return }
    violations.append(
      "\(place ?? note.place) (\(note.direction.rawValue)): \(change.what); \(why)")
  }

  private func isGated(_ place: SchemaPlace) -> Bool {
    head.annotation("x-grain-feature", of: place)?.stringValue.map(newFeatures.contains) ?? false
  }

  private mutating func compareMembers(_ old: SchemaPlace, _ new: SchemaPlace, _ note: Note) {
    let before = Dictionary(old.properties.map { ($0.name, $0.place) }) { first, _ in first }
    let after = Dictionary(new.properties.map { ($0.name, $0.place) }) { first, _ in first }
    let wasRequired = Set(old.required)
    let isRequired = Set(new.required)
    let retired = old.schema["x-grain-reserved"]?.texts ?? []
    for name in retired where !(new.schema["x-grain-reserved"]?.texts ?? []).contains(name) {
      add(.forgotReserved(name), note)
    }
    for (name, place) in old.properties {
      guard let twin = after[name] else {
        add(.removed, note, at: "\(new.name)/properties/\(name)")
        continue
      }
      let own = Note(
        place: twin.name, direction: note.direction, isGated: note.isGated || isGated(twin))
      if wasRequired.contains(name), !isRequired.contains(name) { add(.nowOptional, own) }
      if !wasRequired.contains(name), isRequired.contains(name) { add(.nowRequired, own) }
      let isStatus = name == "status" && new.definition == "state"
      compare(place, twin, note.direction, gated: note.isGated, isStatus: isStatus)
    }
    for (name, place) in new.properties where before[name] == nil {
      let own = Note(
        place: place.name, direction: note.direction, isGated: note.isGated || isGated(place))
      if retired.contains(name) { add(.reusedReserved, own) }
      add(isRequired.contains(name) ? .addedRequired : .addedOptional, own)
    }
  }

  private mutating func compareBranches(_ old: SchemaPlace, _ new: SchemaPlace, _ note: Note) {
    let before = base.branches(of: old)
    let after = head.branches(of: new)
    guard let tag = before.first?.tags.keys.sorted().first else {
      if before.isEmpty != after.isEmpty { add(.retyped("became another kind of value"), note) }
      return
    }
    if after.isEmpty { return add(.retyped("became another kind of value"), note) }
    for branch in before {
      guard let value = branch.tags[tag] else { continue }
      if let twin = after.first(where: { $0.tags[tag] == value }) {
        compare(branch.place, twin.place, note.direction, gated: note.isGated)
      } else {
        add(.removedWord("\(tag) \(value.plain)"), note)
      }
    }
    let known = before.compactMap { $0.tags[tag] }
    for branch in after {
      if let value = branch.tags[tag], !known.contains(value) {
        add(.addedWord("\(tag) \(value.plain)", isOpen: false, isStatus: false), note)
      }
    }
  }

  private static func typeChanges(
    _ old: JSONValue, _ new: JSONValue, _ direction: Direction
  ) -> [SchemaChange] {
    if old.typeNames.sorted() != new.typeNames.sorted() {
      return [.retyped("was \(old.kindName) and is \(new.kindName)")]
    }
    if old["const"] != new["const"] {
      return [.retyped("was \(old.kindName) and is \(new.kindName)")]
    }
    if old["x-grain-collection"] != new["x-grain-collection"] {
      return [.retyped("has another order")]
    }
    func isClosed(_ schema: JSONValue) -> Bool { schema["additionalProperties"] == .bool(false) }
    func isMap(_ schema: JSONValue) -> Bool { schema["additionalProperties"]?.objectValue != nil }
    if direction == .toCore, isClosed(old), new["additionalProperties"] == nil {
      return [.widened("additionalProperties")]
    }
    if isClosed(old) != isClosed(new) || isMap(old) != isMap(new) {
      return [.retyped("was \(old.opennessName) and is \(new.opennessName)")]
    }
    return []
  }

  private func wordChanges(
    _ old: JSONValue, _ new: JSONValue, _ direction: Direction, _ isStatus: Bool
  ) -> [SchemaChange] {
    let isOpen = old["x-grain-open"] == .bool(true)
    var changes: [SchemaChange] = []
    if direction == .toShell, isOpen != (new["x-grain-open"] == .bool(true)) {
      changes.append(.retyped(isOpen ? "was an open enum and is closed" : "was closed and is open"))
    }
    switch (old["enum"]?.texts, new["enum"]?.texts) {
    case (let was?, let now?):
      changes += was.filter { !now.contains($0) }.map { .removedWord($0) }
      changes += now.filter { !was.contains($0) }
        .map { .addedWord($0, isOpen: isOpen, isStatus: isStatus) }
    case (nil, _?): changes.append(.narrowed("enum"))
    case (_?, nil): changes.append(.widened("enum"))
    case (nil, nil): break
    }
    return changes
  }

  private static func rangeChanges(_ old: JSONValue, _ new: JSONValue) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    for (keyword, isLower) in [
      ("minimum", true), ("minLength", true), ("maximum", false), ("maxLength", false),
      ("maxItems", false), ("maxProperties", false),
    ] {
      let unbounded = isLower ? -Double.infinity : .infinity
      let was = old[keyword]?.doubleValue ?? unbounded
      let now = new[keyword]?.doubleValue ?? unbounded
      if was == now { continue }
      changes.append((now > was) == isLower ? .narrowed(keyword) : .widened(keyword))
    }
    let was = old["pattern"]
    let now = new["pattern"]
    if was != now {
      // Two patterns cannot be compared by a program: the new one may allow more and less.
      if now != nil { changes.append(.narrowed("pattern")) }
      if was != nil { changes.append(.widened("pattern")) }
    }
    return changes
  }
}

extension JSONValue {
  /// The type for people.
  fileprivate var kindName: String {
    if let constant = self["const"] { return constant.plain }
    return typeNames.isEmpty ? "anything" : typeNames.joined(separator: " or ")
  }

  fileprivate var opennessName: String {
    switch self["additionalProperties"] {
    case .bool(false)?: "closed"
    case .object?: "a map"
    default: "open"
    }
  }

  /// The value without quotes around text.
  var plain: String { stringValue ?? text() }
}

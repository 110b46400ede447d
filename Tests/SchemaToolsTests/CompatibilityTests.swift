import StrictJSON
import Testing

@testable import SchemaTools

@Suite("A shell and a core of any two ages of version 1 work together (§12)")
struct CompatibilityTests {
  /// One row of the table, in one direction.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let edits: [Edit]
    /// Words of the one violation; `nil` where the change is allowed.
    let refused: String?

    init(_ name: String, refused: String? = nil, _ edits: Edit...) {
      testDescription = name
      self.edits = edits + [.put("/schemaRevision", 2, in: Bundles.manifest)]
      self.refused = refused
    }
  }

  private static let state = "/$defs/state/properties"
  private static let params = "/$defs/params/properties"
  private static let text: JSONValue = ["type": "string"]
  private static let gate = Edit.put(
    "/features/lamp.new", ["needs": []], in: Bundles.manifest)
  private static func gated(_ schema: JSONValue) -> JSONValue {
    var object = schema.objectValue ?? [:]
    object["x-grain-feature"] = "lamp.new"
    return .object(object)
  }
  private static func model(_ pointer: String, _ value: JSONValue) -> Edit {
    .put(pointer, value, in: Bundles.model)
  }
  private static func intent(_ pointer: String, _ value: JSONValue) -> Edit {
    .put(pointer, value, in: Bundles.intent)
  }

  static let rows: [Row] = [
    // Add an optional property.
    Row("core → shell: an optional property is new", model("\(state)/size", text)),
    Row(
      "shell → core: an optional property is new", refused: "gate it with a new x-grain-feature",
      intent("\(params)/size", text)),
    Row("shell → core: the same with a new feature", intent("\(params)/size", gated(text)), gate),
    Row(
      "shell → core: the same with a feature there was",
      refused: "gate it",
      intent("\(params)/size", ["type": "string", "x-grain-feature": "lamp.colour"])),
    // Add a required property; remove, rename, retype; reuse a reserved name.
    Row(
      "core → shell: a required property is new", refused: "is new and required",
      model("\(state)/size", text),
      model(
        "/$defs/state/required",
        ["status", "phase", "percent", "bulbOrder", "bulb", "size"])),
    Row(
      "shell → core: a required property is new", refused: "is new and required",
      intent("\(params)/size", gated(text)), gate, intent("/$defs/params/required", ["to", "size"])),
    Row(
      "core → shell: a property is gone", refused: "name (core to shell): was removed",
      .remove("\(state)/name", in: Bundles.model)),
    Row(
      "shell → core: a property is gone", refused: "note (shell to core): was removed",
      .remove("\(params)/note", in: Bundles.intent)),
    Row(
      "core → shell: a property has another type", refused: "was integer and is string",
      model("\(state)/percent", text)),
    Row(
      "shell → core: a property has another type", refused: "was string and is boolean",
      intent("\(params)/note", ["type": "boolean"])),
    Row("a retired name comes back", refused: "is a retired name", model("\(state)/colour", text)),
    Row(
      "a retired name is forgotten", refused: "no longer reserved",
      .remove("/$defs/state/x-grain-reserved", in: Bundles.model)),
    // Required to optional, optional to required.
    Row(
      "core → shell: required becomes optional", refused: "was required and is optional",
      model("/$defs/state/required", ["status", "phase", "bulbOrder", "bulb"])),
    Row(
      "shell → core: required becomes optional", refused: "gate it",
      .remove("/$defs/params/required", in: Bundles.intent)),
    Row(
      "shell → core: the same with a new feature",
      .remove("/$defs/params/required", in: Bundles.intent),
      intent("\(params)/to", gated(["type": "string", "enum": ["on", "off"]])), gate),
    Row(
      "core → shell: optional becomes required", refused: "was optional and is required",
      model(
        "/$defs/state/required",
        ["status", "phase", "percent", "bulbOrder", "bulb", "name"])),
    Row(
      "shell → core: optional becomes required", refused: "was optional and is required",
      intent("/$defs/params/required", ["to", "note"])),
    // Add and remove an enum value.
    Row("core → shell: an open enum grows", model("\(state)/phase/enum", ["off", "on", "dim"])),
    Row(
      "core → shell: a closed enum grows", refused: "c is a new value",
      model("\(state)/closed/enum", ["a", "b", "c"])),
    Row(
      "core → shell: status grows, even if it were open", refused: "status is closed",
      model("\(state)/status/enum", ["idle", "busy", "asleep"])),
    Row(
      "core → shell: a closed enum is opened", refused: "was closed and is open",
      model("\(state)/closed/x-grain-open", true)),
    Row(
      "shell → core: an enum grows", refused: "gate it",
      intent("\(params)/to/enum", ["on", "off", "dim"])),
    Row(
      "shell → core: the same with a new feature",
      intent("\(params)/to", gated(["type": "string", "enum": ["on", "off", "dim"]])), gate),
    Row(
      "core → shell: an enum loses a value", refused: "the value off was removed",
      model("\(state)/phase/enum", ["on"])),
    Row(
      "shell → core: an enum loses a value", refused: "the value off was removed",
      intent("\(params)/to/enum", ["on"])),
    Row(
      "shell → core: an outcome is gone", refused: "the value outcome dark was removed",
      .put("/$defs/result/oneOf", [["$ref": "#/$defs/done"]], in: Bundles.effect)),
    // Widen and narrow a range, a length, a pattern.
    Row(
      "core → shell: a range widens", refused: "maximum allows more",
      model("\(state)/percent/maximum", 200)),
    Row(
      "core → shell: a range narrows", refused: "minimum allows less",
      model("\(state)/percent/minimum", 1)),
    Row(
      "core → shell: a length widens", refused: "minLength allows more",
      model("\(state)/name/minLength", 0)),
    Row(
      "shell → core: a range widens", refused: "gate it",
      intent("\(params)/percent/minimum", 0)),
    Row(
      "shell → core: the same with a new feature",
      intent("\(params)/percent", gated(["type": "integer", "minimum": 0, "maximum": 100])), gate),
    Row(
      "shell → core: a length narrows", refused: "maxLength allows less",
      intent("\(params)/note/maxLength", 4)),
    Row(
      "shell → core: a pattern is gone", refused: "pattern allows more",
      .remove("\(params)/note/pattern", in: Bundles.intent)),
    Row(
      "shell → core: a pattern is new", refused: "pattern allows less",
      intent("\(params)/percent/pattern", "^1")),
    // New model, intent, effect, error kind, feature.
    Row(
      "a new intent, a new error kind and a new feature",
      .put("/intents/lamp.buy", ["schema": "v1/intents/lamp.set.json"], in: Bundles.manifest),
      .put(
        "/errors",
        [
          ["code": 1001, "kind": "lamp.broken", "retryable": false],
          ["code": 1002, "kind": "lamp.sold", "retryable": false],
        ], in: Bundles.errors), gate),
    Row(
      "a model is gone", refused: "models: lamp is gone",
      .remove("/models/lamp", in: Bundles.manifest)),
    Row(
      "an intent is no longer served", refused: "intents: lamp.set is gone",
      .put("/intents/lamp.set/served", false, in: Bundles.manifest)),
    Row(
      "an intent nobody served changes and is served",
      .put("/intents/lamp.sell", ["schema": "v1/intents/lamp.sell.json"], in: Bundles.manifest),
      .put("\(params)/price", text, in: "v1/intents/lamp.sell.json")),
    Row(
      "an error has another code", refused: "lamp.broken has another code",
      .put("/errors/0/code", 1009, in: Bundles.errors)),
    Row(
      "a feature is gone", refused: "feature lamp.colour is gone",
      .remove("/features/lamp.colour", in: Bundles.manifest)),
    Row(
      "a model has another schema id", refused: "another schema id",
      .put("/models/lamp/schema", "v1/models/lamp2.json", in: Bundles.manifest)),
    // The shape of objects, and what collections hold.
    Row(
      "what a shell sends is opened", refused: "additionalProperties allows more",
      .remove("/$defs/params/additionalProperties", in: Bundles.intent)),
    Row(
      "a value inside a collection has another type", refused: "was number and is string",
      model("/$defs/bulb/properties/watts", text)),
    Row("words for people change", model("\(state)/name/description", "What it is called.")),
  ]

  @Test(
    "what is new at initialize needs no gate: every core passes over what it does not know there")
  func greeting() throws {
    let file = "v1/protocol/initialize.params.json"
    let closed = Edit.put("/$defs/client/additionalProperties", false, in: file)
    let base = try Bundles.repository([closed])
    let revision = base.manifest["schemaRevision"]?.intValue ?? 0
    let raised = Edit.put("/schemaRevision", JSONValue(revision + 1), in: Bundles.manifest)
    let grown = try Bundles.repository([
      raised, .put("/$defs/client/properties/theme", Self.text, in: file),
      .put(
        "/$defs/capabilities/properties/delivery/items/enum", ["merge", "full", "delta"], in: file),
    ])
    #expect(CompatibilityCheck(base: base, head: grown).violations() == [])
    let required = try Bundles.repository([
      raised, .put("/$defs/client/properties/theme", Self.text, in: file),
      .put("/$defs/client/required", ["name", "version", "theme"], in: file),
    ])
    #expect(CompatibilityCheck(base: base, head: required).violations().count == 1)
  }

  @Test("each row of the table holds, in both directions", arguments: rows)
  func row(_ row: Row) throws {
    let check = CompatibilityCheck(base: try Bundles.small(), head: try Bundles.small(row.edits))
    let found = check.violations()
    if let words = row.refused {
      #expect(found.count == 1, "\(found)")
      #expect(found.first?.contains(words) == true, "\(found)")
    } else {
      #expect(found == [])
    }
  }

  @Test("each accepted change raises schemaRevision, words for people need not")
  func revision() throws {
    let base = try Bundles.small()
    let size = Self.model("\(Self.state)/size", Self.text)
    let words = Self.model("\(Self.state)/name/description", "What it is called.")
    func found(_ edits: Edit...) throws -> [String] {
      CompatibilityCheck(base: base, head: try Bundles.small(edits)).violations()
    }
    #expect(try found(size).map { $0.contains("schemaRevision is still 1") } == [true])
    #expect(try found(words) == [])
    #expect(
      try found(.put("/schemaRevision", 0, in: Bundles.manifest)).map { $0.contains("only rises") }
        == [true])
  }

  @Test("what has not changed fits: the schemas of this repository")
  func same() throws {
    let tree = try Bundles.repository()
    #expect(CompatibilityCheck(base: tree, head: tree).violations() == [])
  }
}

import GrainSnapshots
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Names, enums and member order in Swift are those of the schemas")
struct SchemaContractTests {
  /// A closed or open enum of the schemas, and the Swift enum that must list the same.
  struct Enumeration: Sendable, CustomTestStringConvertible {
    let place: String
    let values: [String]

    init<E: RawRepresentable<String> & CaseIterable>(_ type: E.Type, _ place: String) {
      self.place = place
      values = type.allCases.map(\.rawValue)
    }

    var testDescription: String { place }
  }

  static let enumerations: [Enumeration] = [
    Enumeration(ModelStatus.self, "common/model-header.json#/$defs/status"),
    Enumeration(LoginSnapshot.Phase.self, "models/login.json#/$defs/state/properties/phase"),
    Enumeration(
      LoginSnapshot.Provider.Needs.self, "models/login.json#/$defs/provider/properties/needs"),
    Enumeration(
      AccountListSnapshot.Phase.self, "models/accounts.json#/$defs/state/properties/phase"),
    Enumeration(
      AccountListSnapshot.Session.self, "models/accounts.json#/$defs/state/properties/session"),
    Enumeration(
      AccountListSnapshot.Standing.self, "models/accounts.json#/$defs/account/properties/standing"),
    Enumeration(
      DeviceListSnapshot.Phase.self, "models/devices.json#/$defs/state/properties/phase"),
    Enumeration(
      LoginSnapshot.Provider.Needs.self,
      "models/login.json#/$defs/provider/properties/needs"),
    Enumeration(DraftListSnapshot.Phase.self, "models/drafts.json#/$defs/state/properties/phase"),
    Enumeration(DraftKind.self, "models/drafts.json#/$defs/draft/properties/kind"),
    Enumeration(
      GalleryPublishSnapshot.Phase.self,
      "models/gallery-publish.json#/$defs/state/properties/phase"),
    Enumeration(
      GalleryPublishSnapshot.CrossPostStatus.self,
      "models/gallery-publish.json#/$defs/state/properties/crossPostStatus"),
    Enumeration(PhotoStep.self, "models/gallery-publish.json#/$defs/photo/properties/step"),
  ]

  @Test("an enum lists the same values in the same order", arguments: enumerations)
  func enums(_ enumeration: Enumeration) throws {
    let (schema, _) = try SchemaBundle.resolve("v1/\(enumeration.place)", in: "")
    #expect(schema["enum"]?.arrayValue?.compactMap(\.stringValue) == enumeration.values)
  }

  @Test("the manifest lists the intents and models of this room, no more and no fewer")
  func manifest() throws {
    let intents = try Self.served("intents")
    #expect(intents == IntentName.allCases.map(\.rawValue))
    let models = [
      (LoginSnapshot.model, LoginSnapshot.schema),
      (AccountListSnapshot.model, AccountListSnapshot.schema),
      (DraftListSnapshot.model, DraftListSnapshot.schema),
      (DeviceListSnapshot.model, DeviceListSnapshot.schema),
      (GalleryPublishSnapshot.model, GalleryPublishSnapshot.schema),
    ]
    #expect(try Self.served("models") == models.map(\.0))
    let manifest = try SchemaBundle.document("v1/manifest.json")
    for (model, schema) in models {
      #expect(manifest["models"]?[model]?["schema"]?.stringValue == schema)
    }
  }

  /// The names the manifest lists in one table, without those no core serves yet.
  private static func served(_ table: String) throws -> [String] {
    let entries = try SchemaBundle.document("v1/manifest.json")[table]?.objectValue
    return (entries?.members ?? []).filter { $0.value["served"] == nil }.map(\.key)
  }

  @Test("what is written by hand, not generated, has exactly the members of its schema")
  func writtenByHand() throws {
    let message = Message(key: "a.b", params: ["name": "x"], fallback: "X.")
    let problem = Problem(
      .networkOffline, field: "/a", retryAfterMs: 1, details: ["a": 1], cause: .networkTLS)
    let encoder = JSONValueEncoder()
    for (value, place) in [
      (try encoder.encode(message), "common/message.json#/$defs/message"),
      (try encoder.encode(problem), "common/problem.json#/$defs/problem"),
      (try encoder.encode(ErrorData(problem)), "common/problem.json#/$defs/errorData"),
    ] {
      let (schema, _) = try SchemaBundle.resolve("v1/\(place)", in: "")
      #expect(value.objectValue?.keys == schema["properties"]?.objectValue?.keys, "\(place)")
    }
  }

  @Test("the core announces the models and effects the manifest says it serves, and its revision")
  func registry() throws {
    let manifest = try SchemaBundle.document("v1/manifest.json")
    #expect(SchemaRegistry.models.map(\.model) == (try Self.served("models")))
    #expect(SchemaRegistry.effects.keys.sorted() == (try Self.served("effects")).sorted())
    for (effect, version) in SchemaRegistry.effects {
      #expect(manifest["effects"]?[effect]?["version"]?.intValue == version, "\(effect)")
    }
    #expect(manifest["schemaRevision"]?.intValue == SchemaRegistry.revision)
    #expect(manifest["schemaRoot"]?.stringValue == SchemaRegistry.root)
  }

  @Test("members are written in schema order, and the full examples have every one")
  func memberOrder() throws {
    for example in try SchemaBundle.examples(in: "models")
    where !example.schema.contains("#") {
      let (schema, file) = try SchemaBundle.resolve(example.schema, in: "")
      try checkOrder(example.value, schema, file, at: "\(example.file) \(example.note)")
      if example.note == "everything at once" {
        let members = try SchemaBundle.resolve("#/$defs/state", in: file).0["properties"]
        #expect(example.value.objectValue?.keys == members?.objectValue?.keys, "\(example.file)")
      }
    }
  }

  /// Every object below `value` has its members in the order of its schema's `properties`.
  private func checkOrder(
    _ value: JSONValue, _ schema: JSONValue, _ file: String, at place: String
  ) throws {
    if let reference = schema["$ref"]?.stringValue {
      let (target, targetFile) = try SchemaBundle.resolve(reference, in: file)
      return try checkOrder(value, target, targetFile, at: place)
    }
    if let items = schema["items"] {
      for item in value.arrayValue ?? [] { try checkOrder(item, items, file, at: place) }
    }
    guard let object = value.objectValue else { return }
    if let properties = schema["properties"]?.objectValue {
      #expect(object.keys == properties.keys.filter { object[$0] != nil }, "\(place)")
    }
    for (name, member) in object.members {
      let inner = schema["properties"]?[name] ?? schema["additionalProperties"]
      if let inner { try checkOrder(member, inner, file, at: "\(place)/\(name)") }
    }
  }
}

import GrainModels
import StrictJSON

/// What a shell says at `initialize` (bridge-protocol §3.1), checked by
/// `protocol/initialize.params.json`.
///
/// Alone among what shells send it is open: a shell cannot know a core's features before it has spoken, and
/// a newer one must still be understood. Members and words nobody knows here are passed over (D21).
struct Hello {
  var versions: [Int] = []
  var processID: Int?
  var delivery: [String] = []
  var effects: Set<String> = []
  var presentations: [String] = []
  var progress = false
  var models: [(model: String, schemas: [String])] = []
  var messageBytes = BridgeLimits.messageBytes

  /// What the shell can do for the models.
  var abilities: ShellAbilities {
    ShellAbilities(effects: effects, presentations: presentations)
  }

  init(_ parameters: inout Parameters) throws(IntentRejection) {
    guard let versions = try parameters.integers("protocolVersions", most: 64, in: 1...1_000_000)
    else { throw .invalid("/protocolVersions") }
    self.versions = versions
    guard var client = try parameters.object("client") else { throw .invalid("/client") }
    _ = try client.key("name", limit: 128)
    _ = try client.key("version", limit: 128)
    _ = try client.text("locale", limit: 64)
    processID = try client.integer("processId", in: 1...Int(Int32.max))
    if var capabilities = try parameters.object("capabilities") {
      try takeCapabilities(&capabilities)
    }
    for var entry in try parameters.objects("models", most: 256) ?? [] {
      let model = try entry.key("model")
      // The core picks one schema per model; which of two entries counts, nobody can say.
      if models.contains(where: { $0.model == model }) { throw .invalid(entry.place("model")) }
      models.append((model, try Self.schemas(&entry)))
    }
    if var limits = try parameters.object("limits") {
      let bytes = try limits.integer("maxMessageBytes", in: 65_536...Parameters.largestInteger)
      messageBytes = min(bytes ?? BridgeLimits.messageBytes, BridgeLimits.messageBytes)
    }
  }

  private mutating func takeCapabilities(
    _ capabilities: inout Parameters
  ) throws(IntentRejection) {
    delivery = try capabilities.known("delivery", of: ["merge", "full"], most: 16)
    progress = try capabilities.flag("progress") ?? false
    if var effects = try capabilities.object("effects") {
      let names = effects.rest().keys
      if names.count > 64 { throw .invalid(capabilities.place("effects")) }
      for name in names {
        guard var effect = try effects.object(name) else { continue }
        guard try effect.integer("version", in: 1...1_000_000) != nil else {
          throw .invalid(effect.place("version"))
        }
        self.effects.insert(name)
        let shown = try effect.known(
          "presentations", of: ["systemSession", "externalBrowser", "webview"], most: 16)
        if name == "auth.present" { presentations = shown }
      }
    }
  }

  /// Schema ids stand below the schema root: `v1/models/login.json`.
  private static func schemas(_ entry: inout Parameters) throws(IntentRejection) -> [String] {
    guard let schemas = try entry.texts("schemas", most: 16) else {
      throw .invalid(entry.place("schemas"))
    }
    for (index, schema) in schemas.enumerated()
    where schema.wholeMatch(of: /v[0-9]+\/[a-z0-9.\/\-]+\.json/) == nil {
      throw .invalid(entry.place("schemas", index))
    }
    return schemas
  }
}

import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

extension BridgeSession {
  private static let protocolVersions = [1]
  private static let schemaRoot = "https://grain-core.invalid/"
  private static let schemaRevision = 1

  /// The models of this core with the schema each is served in.
  private static let schemas: [(model: String, schema: String)] = [
    (LoginSnapshot.model, LoginSnapshot.schema),
    (AccountListSnapshot.model, AccountListSnapshot.schema),
    (DraftListSnapshot.model, DraftListSnapshot.schema),
    (GalleryPublishSnapshot.model, GalleryPublishSnapshot.schema),
  ]

  /// The effects this core may ask for.
  private static let effects: Set<String> = ["auth.present", "url.open"]

  /// Agrees on everything, opens the core, and begins the session (bridge-protocol §3.1).
  func initialize(
    _ id: RequestID, _ parameters: inout Parameters
  ) async throws(IntentRejection) {
    if stage != .new { throw IntentRejection(Problem(.protocolAlreadyInitialized)) }
    let hello = try Hello(&parameters)
    guard let version = hello.versions.first(where: Self.protocolVersions.contains) else {
      throw IntentRejection(
        Problem(
          .protocolUnsupportedVersion,
          details: ["supported": .list(Self.protocolVersions.map { .integer($0) })]))
    }
    let opened: CoreModels
    switch await core.open() {
    case .success(let models): opened = models
    case .failure(let failure): throw IntentRejection(failure.problem)
    }
    await begin(opened, hello)
    connection.respond(id, result(version, hello))
  }

  private func begin(_ opened: CoreModels, _ hello: Hello) async {
    models = opened
    stage = .ready
    sendsProgress = hello.progress
    shelf.limitMessages(to: hello.messageBytes)
    if let process = hello.processID { options.watchProcess(Int32(process)) }
    opened.login.shell = shellDoor(hello.abilities)
    opened.operations.onEnd = { [weak self] in self?.ended($0) }
    opened.operations.onProgress = { [weak self] in self?.progressed($0) }
    opened.onClose = { [weak self] draft, reason in
      self?.close("\(GalleryPublishSnapshot.model)/\(draft)", reason: reason)
    }
    // What is stored is shown at once; nothing of it needs a network.
    await opened.begin()
    _ = install(ModelInstance { opened.login.snapshot }, key: LoginSnapshot.model)
    _ = install(ModelInstance { opened.accounts.snapshot }, key: AccountListSnapshot.model)
    _ = install(ModelInstance { opened.drafts.snapshot }, key: DraftListSnapshot.model)
  }

  private func result(_ version: Int, _ hello: Hello) -> JSONObject {
    var served: [JSONValue] = []
    var missing: [JSONValue] = []
    for (model, readable) in hello.models {
      guard let own = Self.schemas.first(where: { $0.model == model }) else {
        missing.append(["model": .string(model), "needs": "model"])
        continue
      }
      guard readable.contains(own.schema) else {
        missing.append(["model": .string(model), "needs": "schema"])
        continue
      }
      served.append(["model": .string(model), "schema": .string(own.schema)])
    }
    var features = options.features
    if hello.abilities.presentation != nil {
      features.append("login.createAccount")
    } else {
      missing.append(["feature": "login.createAccount", "needs": "effect:auth.present"])
    }
    return [
      "protocolVersion": JSONValue(version), "session": .string(options.session),
      "core": ["name": "grain-core", "version": .string(options.version)],
      "schemaRoot": .string(Self.schemaRoot), "schemaRevision": JSONValue(Self.schemaRevision),
      "models": .array(served),
      "capabilities": [
        "delivery": ["merge", "full"], "progress": .bool(hello.progress),
        "effects": .array(
          Self.effects.intersection(hello.effects).sorted().map { .string($0) }),
        "features": .array(features.sorted().map { .string($0) }),
      ],
      "missing": .array(missing),
      "limits": [
        "maxMessageBytes": JSONValue(BridgeLimits.messageBytes),
        "maxDepth": JSONValue(BridgeLimits.depth), "maxInFlight": JSONValue(BridgeLimits.inFlight),
        "maxSubscriptions": JSONValue(BridgeLimits.subscriptions),
        "maxRateHz": JSONValue(BridgeLimits.rate),
      ],
    ]
  }
}

/// What a shell says at `initialize`.
private struct Hello {
  var versions: [Int] = []
  var processID: Int?
  var effects: Set<String> = []
  var presentations: [String] = []
  var progress = false
  var models: [(model: String, schemas: [String])] = []
  var messageBytes = BridgeLimits.messageBytes

  var abilities: ShellAbilities {
    ShellAbilities(effects: effects, presentations: presentations)
  }

  init(_ parameters: inout Parameters) throws(IntentRejection) {
    guard let versions = try parameters.value("protocolVersions")?.arrayValue else {
      throw .invalid("/protocolVersions")
    }
    self.versions = versions.compactMap(\.intValue)
    guard self.versions.count == versions.count else { throw .invalid("/protocolVersions") }
    guard var client = try parameters.object("client") else { throw .invalid("/client") }
    _ = try client.key("name", limit: 128)
    _ = try client.key("version", limit: 128)
    _ = try client.text("locale", limit: 128)
    processID = try client.integer("processId", in: 1...Int(Int32.max))
    try client.end()
    if var capabilities = try parameters.object("capabilities") {
      try takeCapabilities(&capabilities)
    }
    for var entry in try parameters.objects("models") ?? [] {
      models.append((try entry.requiredText("model"), try entry.texts("schemas") ?? []))
      try entry.end()
    }
    if var limits = try parameters.object("limits") {
      let bytes = try limits.integer("maxMessageBytes", in: 65_536...Int(Int32.max))
      messageBytes = min(bytes ?? BridgeLimits.messageBytes, BridgeLimits.messageBytes)
      try limits.end()
    }
    try parameters.end()
  }

  private mutating func takeCapabilities(
    _ capabilities: inout Parameters
  ) throws(IntentRejection) {
    _ = try capabilities.texts("delivery")
    progress = try capabilities.flag("progress") ?? false
    if var effects = try capabilities.object("effects") {
      for name in effects.rest().keys {
        guard var effect = try effects.object(name) else { continue }
        guard try effect.integer("version", in: 1...1_000_000) != nil else {
          throw .invalid("/capabilities/effects/\(name)/version")
        }
        self.effects.insert(name)
        let shown = try effect.texts("presentations") ?? []
        if name == "auth.present" { presentations = shown }
        try effect.end()
      }
    }
    try capabilities.end()
  }
}

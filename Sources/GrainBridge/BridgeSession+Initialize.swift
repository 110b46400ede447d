import GrainModels
import GrainServices
import GrainSnapshots
import JSONRPC
import StrictJSON

extension BridgeSession {
  private static let protocolVersions = [1]

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
    // After the answer both sides may ask.
    opened.accounts.shellIsReady()
    opened.beginResuming()
  }

  private func begin(_ opened: CoreModels, _ hello: Hello) async {
    models = opened
    stage = .ready
    sendsProgress = hello.progress
    readsMerges = hello.delivery.contains("merge")
    shelf.messageLimit = hello.messageBytes
    for (model, schema) in SchemaRegistry.models {
      let wanted = hello.models.first { $0.model == model }
      if let wanted, !wanted.schemas.contains(schema) { unreadable.insert(model) }
    }
    if let process = hello.processID { options.watchProcess(Int32(process)) }
    opened.budget = StateBudget(messageBytes: hello.messageBytes)
    opened.login.shell = shellDoor(hello.abilities)
    opened.operations.onEnd = { [weak self] in self?.ended($0) }
    opened.operations.onProgress = { [weak self] in self?.progressed($0) }
    opened.operations.onStart = { [weak self] in self?.began($0, $1) }
    opened.onClose = { [weak self] draft, reason in
      let key = "\(GalleryPublishSnapshot.model)/\(draft)"
      switch reason {
      case .gone: self?.close(key, reason: "gone")
      // For whoever is shown now, there is no such draft.
      case .hidden: self?.close(key, reason: "gone")
      case .signedOut: self?.close(key, reason: "signedOut")
      case .published: self?.closeOnceSeen(key, reason: "gone")
      }
    }
    opened.onDevicesClose = { [weak self] account in
      self?.close("\(DeviceListSnapshot.model)/\(account.rawValue)", reason: "signedOut")
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
    for (model, _) in hello.models {
      if let own = SchemaRegistry.models.first(where: { $0.model == model }) {
        if unreadable.contains(model) {
          missing.append(["model": .string(model), "needs": "schema"])
        } else {
          served.append(["model": .string(model), "schema": .string(own.schema)])
        }
      } else {
        missing.append(["model": .string(model), "needs": "model"])
      }
    }
    let delivery = ["merge", "full"].filter(hello.delivery.contains)
    var features = options.features
    // Without a way to show a page there is neither signing in nor signing up.
    for feature in ["login.signIn", "login.createAccount"] {
      if hello.abilities.presentation != nil {
        features.append(feature)
      } else {
        missing.append(["feature": .string(feature), "needs": "effect:auth.present"])
      }
    }
    return [
      "protocolVersion": JSONValue(version), "session": .string(options.session),
      "core": ["name": "grain-core", "version": .string(options.version)],
      "schemaRoot": .string(SchemaRegistry.root),
      "schemaRevision": JSONValue(SchemaRegistry.revision),
      "models": .array(served),
      "capabilities": [
        "delivery": .array((delivery.isEmpty ? ["full"] : delivery).map { .string($0) }),
        "progress": .bool(hello.progress),
        "effects": .array(
          SchemaRegistry.effects.keys.filter(hello.effects.contains).sorted().map { .string($0) }),
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

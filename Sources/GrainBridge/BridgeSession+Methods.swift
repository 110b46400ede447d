import GrainModels
import GrainServices
import GrainSnapshots
import JSONRPC
import StrictJSON

extension BridgeSession {
  /// Reading and ending things goes on while the session ends; only new work is refused
  /// (bridge-protocol §3.3).
  private static let answeredWhileEnding: Set = [
    "shutdown", "models/get", "models/unsubscribe", "models/resync", "operations/cancel",
    "effects/pending", "log/setLevel",
  ]

  /// Answers one request; the answer is queued when this returns, so verdicts keep their order (O2).
  func answer(_ id: RequestID, _ method: String, _ params: JSONObject) async {
    do throws(IntentRejection) {
      if try await answerTest(id, method, params) { return }
      if stage == .new, method != "initialize" {
        throw IntentRejection(Problem(.protocolNotInitialized))
      }
      if stage == .shuttingDown, !Self.answeredWhileEnding.contains(method) {
        throw IntentRejection(Problem(.protocolShuttingDown))
      }
      var parameters = Parameters(params)
      switch method {
      case "initialize": try await initialize(id, &parameters)
      case "shutdown":
        try parameters.end()
        await shutDown()
        connection.respond(id, [:])
      case "log/setLevel": try setLogLevel(id, &parameters)
      case "models/subscribe": try await subscribe(id, &parameters)
      case "models/unsubscribe": try unsubscribe(id, &parameters)
      case "models/resync": try resync(id, &parameters)
      case "models/get": try await get(id, &parameters)
      case "operations/cancel": try cancelOperation(id, &parameters)
      case "effects/pending":
        try parameters.end()
        effects.dropOverdue()
        connection.respond(
          id,
          [
            "pending": .array(
              effects.pending.map { effect in
                ["id": effect.id.json, "params": .object(effect.params)]
              })
          ])
      default: try await intent(id, method, parameters)
      }
    } catch {
      connection.fail(id, RPCErrorObject(error.problem))
    }
  }

  private func setLogLevel(
    _ id: RequestID, _ parameters: inout Parameters
  ) throws(IntentRejection) {
    let levels = ["trace", "debug", "info", "warn", "error", "fault"]
    guard let level = try parameters.choice("level", of: levels) else { throw .invalid("/level") }
    let target = try parameters.name("target", limit: 128)
    try parameters.end()
    guard options.setLogLevel(level, target) else { throw .invalid("/level") }
    connection.respond(id, [:])
  }

  private func cancelOperation(
    _ id: RequestID, _ parameters: inout Parameters
  ) throws(IntentRejection) {
    let operation = try parameters.key("operation")
    try parameters.end()
    guard let cancelling = models?.operations.cancel(operation) else {
      throw IntentRejection(Problem(.protocolUnknownOperation, field: "/operation"))
    }
    connection.respond(id, ["cancelling": .bool(cancelling)])
  }

  // MARK: Models

  private func subscribe(
    _ id: RequestID, _ parameters: inout Parameters
  ) async throws(IntentRejection) {
    let key = try parameters.key("subscription")
    let named = try InstanceName(&parameters)
    let wanted = try parameters.choice("delivery", of: ["full", "merge"]) ?? "full"
    let rate = try parameters.integer("maxRateHz", in: 1...BridgeLimits.rate) ?? 30
    try parameters.end()
    // Agreed on at `initialize`, or not used: a full snapshot is read by everybody (§3.1).
    let delivery = readsMerges ? StateShelf.Delivery(rawValue: wanted) ?? .full : .full
    let instance = try await instance(named)
    if shelf.subscriptionCount >= BridgeLimits.subscriptions {
      throw IntentRejection(
        Problem(.protocolOverloaded, retryAfterMs: BridgeLimits.retryMilliseconds))
    }
    commit()
    let isNew = connection.withStateHeld {
      guard shelf.subscribe(key, to: instance.key, delivery) else { return false }
      connection.respond(
        id,
        [
          "subscription": .string(key), "schema": .string(instance.schema),
          "revision": JSONValue(instance.revision),
        ], opening: [RPCSubscription(key: key, maximumRate: rate)])
      return true
    }
    if !isNew { throw .invalid("/subscription") }
  }

  private func unsubscribe(
    _ id: RequestID, _ parameters: inout Parameters
  ) throws(IntentRejection) {
    let key = try parameters.key("subscription")
    try parameters.end()
    guard shelf.unsubscribe(key) else {
      throw IntentRejection(Problem(.protocolUnknownSubscription, field: "/subscription"))
    }
    connection.respond(id, [:], closing: [key])
  }

  private func resync(
    _ id: RequestID, _ parameters: inout Parameters
  ) throws(IntentRejection) {
    let key = try parameters.key("subscription")
    try parameters.end()
    let isKnown = connection.withStateHeld {
      guard shelf.forgetDelivered(key) else { return false }
      connection.respond(id, [:])
      connection.markDirty([key])
      return true
    }
    if !isKnown {
      throw IntentRejection(Problem(.protocolUnknownSubscription, field: "/subscription"))
    }
  }

  private func get(
    _ id: RequestID, _ parameters: inout Parameters
  ) async throws(IntentRejection) {
    let named = try InstanceName(&parameters)
    try parameters.end()
    if let argument = named.arguments["draft"],
      let last = published.last("\(named.model)/\(argument)", for: models?.accounts.activeRepo)
    {
      connection.respond(
        id,
        [
          "schema": .string(last.schema), "revision": JSONValue(last.revision), "state": last.state,
        ])
      return
    }
    let instance = try await instance(named)
    commit()
    let bytes = instance.state.serialized().count + BridgeLimits.envelopeBytes
    if bytes > shelf.messageLimit { throw IntentRejection(Problem(.frameTooLarge)) }
    connection.respond(
      id,
      [
        "schema": .string(instance.schema), "revision": JSONValue(instance.revision),
        "state": instance.state,
      ])
  }

  /// What tells the instances of a model apart.
  private static let argument = [
    GalleryPublishSnapshot.model: "draft", DeviceListSnapshot.model: "account",
  ]

  /// The instance of that name; a draft or a list of devices is opened.
  private func instance(_ name: InstanceName) async throws(IntentRejection) -> ModelInstance {
    let argument = Self.argument[name.model]
    guard let models, !unreadable.contains(name.model),
      argument != nil || instances[name.model] != nil
    else { throw IntentRejection(Problem(.protocolUnknownModel, field: "/model")) }
    try name.allow(Set(argument.map { [$0] } ?? []))
    if let known = instances[name.model] { return known }
    guard let argument, let value = name.arguments[argument] else {
      throw .invalid("/args/\(argument ?? "")")
    }
    do throws(IntentRejection) {
      return name.model == DeviceListSnapshot.model
        ? instance(of: try models.deviceList(of: value))
        : instance(of: try await models.gallery(value))
    } catch {
      // The same words as for an intent, which names it elsewhere.
      guard error.problem.field == "/\(argument)" else { throw error }
      var problem = error.problem
      problem.field = "/args/\(argument)"
      throw IntentRejection(problem)
    }
  }

  /// The instance of one account's devices and apps.
  func instance(of devices: DeviceListModel) -> ModelInstance {
    let account = devices.account.rawValue
    return install(
      ModelInstance(argument: account) { devices.snapshot },
      key: "\(DeviceListSnapshot.model)/\(account)")
  }

  /// The instance of one draft.
  func instance(of gallery: GalleryPublishModel) -> ModelInstance {
    let key = "\(GalleryPublishSnapshot.model)/\(gallery.id)"
    return install(ModelInstance(argument: gallery.id) { gallery.snapshot }, key: key)
  }
}

/// What `model` and `args` say.
private struct InstanceName {
  let model: String
  private(set) var arguments: [String: String] = [:]
  private static let mostArguments = 8

  init(_ parameters: inout Parameters) throws(IntentRejection) {
    model = try parameters.key("model")
    guard var given = try parameters.object("args") else { return }
    let names = given.rest().keys
    if names.count > Self.mostArguments { throw .invalid("/args") }
    for name in names { arguments[name] = try given.text(name, limit: 2048) }
  }

  /// - Throws: an argument the model does not have.
  func allow(_ names: Set<String>) throws(IntentRejection) {
    for name in arguments.keys.sorted() where !names.contains(name) {
      throw .invalid(MemberPlace("/args").member(name).pointer)
    }
  }
}

/// The limits of a session (bridge-protocol §8).
enum BridgeLimits {
  static let subscriptions = 64
  static let rate = 60
  static let inFlight = 64
  static let depth = 64
  static let messageBytes = 1_048_576
  /// What an answer has around its state, at most.
  static let envelopeBytes = 1_024
  static let retryMilliseconds = 250
}

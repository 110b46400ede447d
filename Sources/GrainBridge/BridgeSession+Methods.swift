import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

extension BridgeSession {
  /// Answers one request; the answer is queued when this returns, so verdicts keep their order (O2).
  func answer(_ id: RequestID, _ method: String, _ params: JSONObject) async {
    do throws(IntentRejection) {
      if stage == .new, method != "initialize" {
        throw IntentRejection(Problem(.protocolNotInitialized))
      }
      if stage == .shuttingDown, method != "shutdown" {
        throw IntentRejection(Problem(.protocolShuttingDown))
      }
      var parameters = Parameters(params)
      switch method {
      case "initialize": try await initialize(id, &parameters)
      case "shutdown": try await shutdown(id, parameters)
      case "log/setLevel": try setLogLevel(id, &parameters)
      case "models/subscribe": try await subscribe(id, &parameters)
      case "models/unsubscribe": try unsubscribe(id, &parameters)
      case "models/resync": try resync(id, &parameters)
      case "models/get": try await get(id, &parameters)
      case "operations/cancel": try cancelOperation(id, &parameters)
      case "effects/pending":
        try parameters.end()
        connection.respond(id, ["pending": pendingEffects])
      default: try await intent(id, method, parameters)
      }
    } catch {
      connection.fail(id, RPCErrorObject(error.problem))
    }
  }

  private func shutdown(
    _ id: RequestID, _ parameters: Parameters
  ) async throws(IntentRejection) {
    try parameters.end()
    stage = .shuttingDown
    await stopWork()
    _ = await connection.flush()
    connection.respond(id, [:])
  }

  private func setLogLevel(
    _ id: RequestID, _ parameters: inout Parameters
  ) throws(IntentRejection) {
    let level = try parameters.requiredText("level")
    let target = try parameters.text("target")
    try parameters.end()
    guard options.setLogLevel(level, target) else { throw .invalid("/level") }
    connection.respond(id, [:])
  }

  private func cancelOperation(
    _ id: RequestID, _ parameters: inout Parameters
  ) throws(IntentRejection) {
    let operation = try parameters.requiredText("operation")
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
    let key = try parameters.requiredText("subscription", limit: 64)
    let instance = try await instance(&parameters)
    let wanted = try parameters.text("delivery") ?? "full"
    let rate = try parameters.integer("maxRateHz", in: 1...BridgeLimits.rate) ?? 30
    try parameters.end()
    guard !key.isEmpty else { throw .invalid("/subscription") }
    guard let delivery = StateShelf.Delivery(rawValue: wanted) else { throw .invalid("/delivery") }
    if shelf.subscriptionCount >= BridgeLimits.subscriptions {
      throw IntentRejection(Problem(.protocolOverloaded))
    }
    commit()
    guard shelf.subscribe(key, to: instance.key, delivery) else {
      throw .invalid("/subscription")
    }
    connection.respond(
      id,
      [
        "subscription": .string(key), "schema": .string(instance.schema),
        "revision": JSONValue(instance.revision),
      ], opening: [RPCSubscription(key: key, maximumRate: rate)])
    connection.markDirty([key])
  }

  private func unsubscribe(
    _ id: RequestID, _ parameters: inout Parameters
  ) throws(IntentRejection) {
    let key = try parameters.requiredText("subscription", limit: 64)
    try parameters.end()
    guard shelf.unsubscribe(key) else {
      throw IntentRejection(Problem(.protocolUnknownSubscription, field: "/subscription"))
    }
    connection.respond(id, [:], closing: [key])
  }

  private func resync(
    _ id: RequestID, _ parameters: inout Parameters
  ) throws(IntentRejection) {
    let key = try parameters.requiredText("subscription", limit: 64)
    try parameters.end()
    guard shelf.forgetDelivered(key) else {
      throw IntentRejection(Problem(.protocolUnknownSubscription, field: "/subscription"))
    }
    connection.respond(id, [:])
    connection.markDirty([key])
  }

  private func get(
    _ id: RequestID, _ parameters: inout Parameters
  ) async throws(IntentRejection) {
    let instance = try await instance(&parameters)
    try parameters.end()
    commit()
    connection.respond(
      id,
      [
        "schema": .string(instance.schema), "revision": JSONValue(instance.revision),
        "state": instance.state,
      ])
  }

  /// The instance that `model` and `args` name.
  private func instance(
    _ parameters: inout Parameters
  ) async throws(IntentRejection) -> ModelInstance {
    let model = try parameters.requiredText("model")
    var arguments = try parameters.object("args")
    guard let models else { throw IntentRejection(Problem(.protocolNotInitialized)) }
    let instance: ModelInstance
    switch model {
    case LoginSnapshot.model, AccountListSnapshot.model, DraftListSnapshot.model:
      guard let known = instances[model] else {
        throw IntentRejection(Problem(.protocolUnknownModel, field: "/model"))
      }
      instance = known
    case GalleryPublishSnapshot.model:
      guard let draft = try arguments?.requiredText("draft") else { throw .invalid("/args/draft") }
      instance = self.instance(of: try await models.gallery(draft))
    default: throw IntentRejection(Problem(.protocolUnknownModel, field: "/model"))
    }
    try arguments?.end()
    return instance
  }

  /// The instance of one draft.
  func instance(of gallery: GalleryPublishModel) -> ModelInstance {
    let key = "\(GalleryPublishSnapshot.model)/\(gallery.id)"
    return install(ModelInstance(argument: gallery.id) { gallery.snapshot }, key: key)
  }
}

/// The limits of a session (bridge-protocol §8).
enum BridgeLimits {
  static let subscriptions = 64
  static let rate = 60
  static let inFlight = 64
  static let depth = 64
  static let messageBytes = 1_048_576
}

import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

/// The state of one session on the main actor: which models there are, what was committed, who
/// caused what.
@MainActor
final class BridgeSession {
  /// Where the session stands (bridge-protocol §3).
  enum Stage { case new, ready, shuttingDown }

  let connection: RPCConnection
  let shelf: StateShelf
  let options: BridgeOptions
  let core: CoreOpener
  var stage = Stage.new
  var models: CoreModels?
  var sendsProgress = false
  private(set) var instances: [String: ModelInstance] = [:]
  /// The request that started each running operation.
  private var causes: [String: RequestID] = [:]
  /// The effects the shell has not answered yet.
  var effects: [RequestID: OpenEffect] = [:]

  init(connection: RPCConnection, shelf: StateShelf, options: BridgeOptions, core: CoreOpener) {
    self.connection = connection
    self.shelf = shelf
    self.options = options
    self.core = core
  }

  /// Takes messages until there are none, then ends the session.
  func run() async -> EndReason {
    while let message = await connection.next() {
      if await take(message) { break }
    }
    return await finish()
  }

  /// - Returns: whether this was the last message.
  private func take(_ message: IncomingMessage) async -> Bool {
    switch message {
    case .request(let id, let method, let params):
      await answer(id, method, params)
    case .notification("exit", _):
      return true
    case .notification(let method, _):
      if IntentName(rawValue: method) != nil {
        options.log("error", "intent sent as a notification", ["intent": method])
      } else if !method.hasPrefix("$/") {
        connection.countIgnoredNotification()
      }
    case .response(let id, let result, let error):
      effectAnswered(id, RPCAnswer(result: result, error: error))
    }
    return false
  }

  /// Stops work at safe points within two seconds, writes the last state, and closes.
  private func finish() async -> EndReason {
    let reason = connection.end ?? .endOfInput
    stage = .shuttingDown
    await withTimeLimit(.seconds(2)) { await self.stopWork() }
    await withTimeLimit(.seconds(2)) { _ = await self.connection.flush() }
    for instance in instances.values { instance.unwatch() }
    connection.close()
    await core.close()
    return reason
  }

  /// Operations end, effects are withdrawn, the last state is committed.
  func stopWork() async {
    for id in effects.keys { withdraw(id) }
    await models?.operations.stopAll()
    commit()
  }

  /// Gives up waiting for `work` after a while; the process ends soon after.
  private func withTimeLimit(_ limit: Duration, _ work: @escaping @MainActor () async -> Void) async
  {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await work() }
      group.addTask {
        do {
          try await Task.sleep(for: limit)
        } catch {
          return
        }
      }
      await group.next()
      group.cancelAll()
    }
  }

  // MARK: Instances

  /// Makes a model instance known; a known one stays as it is.
  func install(_ make: @autoclosure () -> ModelInstance, key: String) -> ModelInstance {
    if let known = instances[key] { return known }
    let instance = make()
    instances[key] = instance
    _ = shelf.commit([key: committed(instance)], causes: [:])
    instance.watch { [weak self] in self?.commit() }
    return instance
  }

  /// Ends an instance and tells its subscribers.
  func close(_ key: String, reason: String) {
    guard let instance = instances.removeValue(forKey: key) else { return }
    instance.unwatch()
    commit()
    for subscription in shelf.remove(key) {
      connection.notify(
        "models/closed", ["subscription": .string(subscription), "reason": .string(reason)],
        order: .afterState, closing: [subscription])
    }
  }

  // MARK: Committing

  /// Commits every changed model as one frame and marks its subscriptions.
  ///
  /// - Parameters:
  ///   - cause: the request whose change this is, when it is one's own.
  ///   - answering: writes the verdict while nobody can see the new state (O4).
  /// - Returns: the revisions of the models that changed.
  @discardableResult
  func commit(
    cause: RequestID? = nil, answering: ((_ changed: [String: Int]) -> Void)? = nil
  ) -> [String: Int] {
    var states: [String: StateShelf.Committed] = [:]
    var origins: [String: [RequestID]] = [:]
    var revisions: [String: Int] = [:]
    for (key, instance) in instances {
      let before = instance.operation
      guard instance.commit() else { continue }
      states[key] = committed(instance)
      revisions[instance.model] = instance.revision
      origins[key] = [before, instance.operation].compactMap { $0.flatMap { causes[$0] } }
      if let cause { origins[key]?.append(cause) }
    }
    guard !states.isEmpty || answering != nil else { return revisions }
    let dirty = connection.withStateHeld {
      let dirty = states.isEmpty ? [] : shelf.commit(states, causes: origins)
      answering?(revisions)
      return dirty
    }
    connection.markDirty(dirty, urgency: states.count > 1 ? .now : .paced)
    return revisions
  }

  private func committed(_ instance: ModelInstance) -> StateShelf.Committed {
    StateShelf.Committed(
      model: instance.model, schema: instance.schema, revision: instance.revision,
      state: instance.state)
  }

  // MARK: Operations

  /// Remembers which request an operation belongs to.
  func began(_ operation: String, by id: RequestID) {
    if causes[operation] == nil { causes[operation] = id }
    if sendsProgress { connection.beginProgress(operation) }
  }

  /// The request an operation belongs to.
  func cause(of operation: String) -> RequestID? { causes[operation] }

  /// The end of an operation, written after the state that shows it (O5).
  func ended(_ ending: OperationCenter.Ending) {
    let revisions = commit()
    var params: JSONObject = [
      "operation": .string(ending.operation), "intent": .string(ending.intent.rawValue),
    ]
    if let cause = causes[ending.operation] { params["causedBy"] = cause.json }
    switch ending.outcome {
    case .succeeded: params["outcome"] = "succeeded"
    case .cancelled: params["outcome"] = "cancelled"
    case .failed: params["outcome"] = "failed"
    }
    params["revisions"] = .revisions(revisions)
    if case .failed(let problem) = ending.outcome { params["problem"] = .encoding(problem) }
    connection.notify(
      "operations/ended", params, order: .afterState, endingProgress: [ending.operation])
    causes[ending.operation] = nil
  }

  /// Progress of an operation, for shells that asked for it.
  func progressed(_ progress: OperationCenter.Progress) {
    guard sendsProgress else { return }
    let value: JSONValue = [
      "done": JSONValue(Int(progress.done)), "total": JSONValue(Int(progress.total)),
      "unit": .string(progress.unit),
    ]
    connection.progress(
      progress.operation, done: Int(progress.done),
      EncodedMessage(
        notification: "$/progress", ["token": .string(progress.operation), "value": value]))
  }
}

package import StrictJSON

/// A shell in Swift: sends intents, applies snapshots, answers effects, waits for ends.
///
/// What the demo, the scripts and the tests play the user interface with; it decides nothing.
package actor ShellClient {
  /// Performs an effect: its `params` go in, the answer comes out.
  package typealias EffectHandler = @Sendable (JSONObject) async -> EffectAnswer

  private let connection: ShellConnection
  private var effects: EffectHandler
  private var nextID = 1
  private var calls: [Int: CheckedContinuation<Result<JSONObject, ShellError>, Never>] = [:]
  private var states: [String: Applied] = [:]
  private var endings: [String: JSONObject] = [:]
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0
  private var hasEnded = false
  private var pump: Task<Void, Never>?
  private var performing: [String: Task<Void, Never>] = [:]
  /// Subscriptions whose whole state was asked for and has not come yet.
  private var resyncing: Set<String> = []
  /// Why subscriptions are over; their last states stay.
  private var closed: [String: String] = [:]
  /// Requests for whole states, under way.
  private var asking: [String: Task<Void, Never>] = [:]

  private struct Applied {
    var revision: Int
    var state: JSONValue
  }

  private struct Waiter {
    let isDone: @Sendable (ShellClient.View) -> Result<JSONValue, ShellError>?
    let resume: CheckedContinuation<Result<JSONValue, ShellError>, Never>
  }

  /// What a waiter may look at.
  package struct View: Sendable {
    /// Applied states by subscription.
    package let states: [String: JSONValue]
    /// The `operations/ended` params by operation.
    package let endings: [String: JSONObject]
    /// Why subscriptions are over.
    package let closed: [String: String]
  }

  /// A shell over a connection; ``start()`` begins to read.
  package init(connection: ShellConnection, effects: @escaping EffectHandler) {
    self.connection = connection
    self.effects = effects
  }

  /// Begins to read.
  package func start() {
    pump = Task { [weak self, connection] in
      for await message in connection.messages { await self?.take(message) }
      await self?.end()
    }
  }

  /// Sends a request and waits for its answer.
  @discardableResult
  package func call(
    _ method: String, _ params: JSONObject = [:]
  ) async throws(ShellError) -> JSONObject {
    if hasEnded { throw .ended }
    if method == "models/subscribe", let key = params["subscription"]?.stringValue {
      reopen(key)
    }
    let id = nextID
    nextID += 1
    let message: JSONValue = [
      "jsonrpc": "2.0", "id": .number(JSONNumber(id)), "method": .string(method),
      "params": .object(params),
    ]
    let answer = await withCheckedContinuation { continuation in
      calls[id] = continuation
      do throws(ShellError) {
        try connection.send(message)
      } catch {
        calls.removeValue(forKey: id)?.resume(returning: .failure(error))
      }
    }
    return try answer.get()
  }

  /// Sends requests in one write and waits for all answers.
  ///
  /// - Returns: the answers, in the order of the requests.
  package func call(
    together requests: [(method: String, params: JSONObject)]
  ) async -> [Result<JSONObject, ShellError>] {
    let first = nextID
    nextID += requests.count
    let messages = requests.enumerated().map { offset, request -> JSONValue in
      [
        "jsonrpc": "2.0", "id": .number(JSONNumber(first + offset)),
        "method": .string(request.method), "params": .object(request.params),
      ]
    }
    // Each waits before the first can be answered.
    let answers = requests.indices.map { offset in
      Task.immediate {
        await withCheckedContinuation { calls[first + offset] = $0 }
      }
    }
    do throws(ShellError) {
      if hasEnded { throw .ended }
      try connection.send(messages)
    } catch {
      for offset in requests.indices {
        calls.removeValue(forKey: first + offset)?.resume(returning: .failure(error))
      }
    }
    var results: [Result<JSONObject, ShellError>] = []
    for answer in answers { results.append(await answer.value) }
    return results
  }

  /// Sends a notification.
  package func notify(_ method: String, _ params: JSONObject = [:]) throws(ShellError) {
    try connection.send(
      ["jsonrpc": "2.0", "method": .string(method), "params": .object(params)])
  }

  /// The applied state of a subscription.
  package func state(_ subscription: String) -> JSONValue? { states[subscription]?.state }

  /// Why a subscription is over; `nil` while it is not.
  package func closing(_ subscription: String) -> String? { closed[subscription] }

  /// Waits until the state of a subscription satisfies a condition.
  ///
  /// - Returns: the first state that does, which may be the one held already.
  /// - Throws: `closed` when the subscription is over and its last state does not.
  @discardableResult
  package func wait(
    _ subscription: String, until condition: @escaping @Sendable (JSONValue) -> Bool
  ) async throws(ShellError) -> JSONValue {
    try await wait { view in
      if let state = view.states[subscription], condition(state) { return .success(state) }
      return view.closed[subscription].map { .failure(.closed(reason: $0)) }
    }
  }

  /// Waits for the end of an operation.
  ///
  /// - Returns: the params of its `operations/ended`.
  package func ending(of operation: String) async throws(ShellError) -> JSONObject {
    let value = try await wait { view in
      view.endings[operation].map { .success(JSONValue.object($0)) }
    }
    return value.objectValue ?? [:]
  }

  /// Says goodbye and waits until the core has ended the connection.
  package func shutdown() async throws(ShellError) {
    try await call("shutdown")
    try notify("exit")
    await pump?.value
    connection.closeOutput()
  }

  /// Waits until the core has ended the connection by itself.
  package func untilEnd() async { await pump?.value }

  /// Closes our end without a word, as a shell that crashed would.
  package func hangUp() async {
    connection.closeOutput()
    await pump?.value
  }

  // MARK: Reading

  private func wait(
    _ isDone: @escaping @Sendable (View) -> Result<JSONValue, ShellError>?
  ) async throws(ShellError) -> JSONValue {
    if let result = isDone(view) { return try result.get() }
    if hasEnded { throw .ended }
    nextWaiter += 1
    let key = nextWaiter
    let result = await withCheckedContinuation { continuation in
      waiters[key] = Waiter(isDone: isDone, resume: continuation)
    }
    return try result.get()
  }

  private var view: View {
    View(states: states.mapValues(\.state), endings: endings, closed: closed)
  }

  private func take(_ message: JSONValue) {
    guard let method = message["method"]?.stringValue else { return answer(message) }
    let params = message["params"]?.objectValue ?? [:]
    if let id = message["id"] {
      perform(id, params)
    } else if method == "models/snapshot" {
      apply(params)
    } else if method == "models/closed", let key = params["subscription"]?.stringValue {
      closed[key] = params["reason"]?.stringValue ?? ""
      resyncing.remove(key)
    } else if method == "operations/ended", let id = params["operation"]?.stringValue {
      endings[id] = params
    } else if method == "$/cancelRequest", let id = params["id"]?.stringValue {
      performing[id]?.cancel()
    }
    let view = view
    for (key, waiter) in waiters {
      guard let result = waiter.isDone(view) else { continue }
      waiters[key] = nil
      waiter.resume.resume(returning: result)
    }
  }

  private func answer(_ message: JSONValue) {
    guard let id = message["id"]?.intValue, let call = calls.removeValue(forKey: id) else { return }
    if let error = message["error"] {
      call.resume(returning: .failure(ShellError(error: error)))
    } else {
      call.resume(returning: .success(message["result"]?.objectValue ?? [:]))
    }
  }

  private func apply(_ params: JSONObject) {
    guard let subscription = params["subscription"]?.stringValue,
      let revision = params["revision"]?.intValue
    else { return }
    if let state = params["state"] {
      resyncing.remove(subscription)
      states[subscription] = Applied(revision: revision, state: state)
    } else if let patch = params["merge"], let held = states[subscription],
      held.revision == params["base"]?.intValue
    {
      states[subscription] = Applied(
        revision: revision, state: MergePatch.apply(patch, to: held.state))
    } else if resyncing.insert(subscription).inserted {
      resync(subscription)
    }
  }

  /// What the closed subscription of that name has shown is nothing of the new one's.
  private func reopen(_ subscription: String) {
    if closed.removeValue(forKey: subscription) != nil { states[subscription] = nil }
  }

  /// A patch on what is not held is passed over, and the whole state asked for (bridge-protocol §4.3).
  private func resync(_ subscription: String) {
    asking[subscription]?.cancel()
    asking[subscription] = Task {
      do throws(ShellError) {
        try await self.call("models/resync", ["subscription": .string(subscription)])
      } catch {
        // Refused or gone: the next patch that does not fit asks again, if there is one.
        self.resyncing.remove(subscription)
      }
    }
  }

  private func perform(_ id: JSONValue, _ params: JSONObject) {
    let key = id.stringValue ?? ""
    performing[key] = Task { [effects] in
      let answer = await effects(params)
      self.respond(id, key, answer)
    }
  }

  private func respond(_ id: JSONValue, _ key: String, _ answer: EffectAnswer) {
    performing[key] = nil
    var message: JSONObject = ["jsonrpc": "2.0", "id": id]
    switch answer {
    case .result(let result): message["result"] = .object(result)
    case .error(let code, let kind):
      message["error"] = [
        "code": .number(JSONNumber(code)), "message": .string(kind),
        "data": ["kind": .string(kind)],
      ]
    }
    do {
      try connection.send(.object(message))
    } catch {
      // The core is gone; the reader learns it too and ends every wait.
      return
    }
  }

  private func end() {
    hasEnded = true
    for call in calls.values { call.resume(returning: .failure(.ended)) }
    calls = [:]
    for waiter in waiters.values { waiter.resume.resume(returning: .failure(.ended)) }
    waiters = [:]
  }
}

import StrictJSON
import SystemClients

extension TranscriptRunner {
  /// What members no two runs share; a recording's are passed over.
  private static let perRun: Set<String> = [
    "session", "revision", "revisions", "base", "frame", "causedBy", "url", "version", "digest",
    "uptimeMs", "oldestPendingMs", "queuedControlBytes", "coalesced", "now", "state", "updatedAt",
  ]
  /// How long a message may take, in milliseconds, when a script does not say.
  static let usualWait = 2_000
  /// In a recording nobody says; its waits were as long as they were.
  private static let recordedWait = 20_000

  /// Does one step.
  func perform(_ step: TranscriptStep) async throws {
    switch step {
    case .send(let message): try await send(message)
    case .answer(let message): try await answer(message)
    case .expect(let pattern, let isStrict, let within, let names):
      try await expect(pattern, isStrict, within, names)
    case .wait(let model, let pattern, let within, let names):
      try await wait(model, pattern, within, names)
    case .golden(let model, let file, let within): try await golden(model, file, within)
    case .never(let pattern, let milliseconds): try await never(pattern, milliseconds)
    case .advance(let milliseconds):
      _ = try await ask("$/test/advance", ["ms": JSONValue(milliseconds)])
    case .fault(let name, let isOn, let milliseconds):
      try await fault(name, isOn, milliseconds)
    case .raw(let bytes):
      // A core that has ended by then is what the next step finds out.
      _ = try core().send(raw: bytes)
    case .restart(let signal): try await restart(signal)
    case .end(let by, let exitCode, let within):
      try await end(by, exitCode: exitCode, within: within)
    case .needsWindow(let name):
      state.withLock { $0.skipped.append("“\(name)” waits for the first window; skipped") }
    case .note: break
    }
  }

  // MARK: Speaking

  private func send(_ message: JSONObject) async throws {
    if transcript.isRecording { try await catchUp() }
    let filled = try await filled(.object(message)).objectValue ?? [:]
    state.withLock { state in
      switch filled["method"]?.stringValue {
      case "login.createAccount": state.isSigningUp = true
      case "login.submitHandle":
        state.isSigningUp = false
        state.handle = filled["params"]?["handle"]?.stringValue ?? state.handle
      default: break
      }
    }
    guard try core().send(filled) else { throw StepFailure("the core does not read any more") }
  }

  private func answer(_ message: JSONObject) async throws {
    let filled = try await filled(.object(message)).objectValue ?? [:]
    let page = state.withLock(\.page)
    guard try core().send(filled) else { throw StepFailure("the core does not read any more") }
    // Where the core itself waits for the callback, the browser brings it there.
    if let page, page.isCoreWaiting, filled["result"]?["outcome"] == "presented" {
      state.withLock { $0.page = nil }
      try await person.follow(try await callback(.approve, page.url))
    }
  }

  /// A request of the runner's own; its answer is no part of the script.
  func ask(
    _ method: String, _ params: JSONObject, within milliseconds: Int? = nil
  ) async throws -> JSONValue {
    let number = state.withLock { state in
      state.ownRequests += 1
      return state.ownRequests
    }
    let id = "\(Inbox.ownPrefix)\(number)"
    guard
      try core().send([
        "id": .string(id), "method": .string(method), "params": .object(params),
      ])
    else { throw StepFailure("the core does not read any more") }
    let look = await inbox.wait(limit(milliseconds, otherwise: 10_000)) { inbox in
      inbox.ownAnswer(id).map { .found($0) } ?? .waiting
    }
    guard case .found(let answer) = look else { throw StepFailure("\(method) was not answered") }
    if let error = answer["error"] {
      throw StepFailure("\(method) was refused: \(error.text())")
    }
    return answer["result"] ?? [:]
  }

  // MARK: Listening

  private func pattern() -> Pattern {
    var pattern = Pattern(values: state.withLock(\.values))
    if transcript.isRecording { pattern.ignored = Self.perRun }
    return pattern
  }

  private func expect(
    _ wanted: JSONObject, _ isStrict: Bool, _ within: Int?, _ names: [String: String]
  ) async throws {
    let isRecording = transcript.isRecording
    if isRecording, Self.isState(.object(wanted)) {
      return state.withLock { $0.recorded.take(.object(wanted)) }
    }
    if isRecording { state.withLock { $0.recorded.take(.object(wanted)) } }  // what was closed
    let meant = isRecording ? renamed(.object(wanted)) : .object(wanted)
    let pattern = pattern()
    let look = await inbox.wait(
      limit(within, otherwise: isRecording ? Self.recordedWait : Self.usualWait)
    ) { inbox -> Inbox.Look<JSONValue> in
      for (index, message) in inbox.pending.enumerated() {
        let mismatch = pattern.mismatch(meant, message)
        if mismatch == nil {
          if isRecording { return .found(inbox.remove(at: index)) }
          inbox.removeFirst(index + 1)
          return .found(message)
        }
        // In a recording other messages may come first; elsewhere only state may, and the word that a page is
        // not waited for any more: whether it or the page's answer comes first is nobody's promise.
        let isWithdrawal = message["method"] == "$/cancelRequest"
        if isRecording && (isWithdrawal || message["id"] != meant["id"]) { continue }
        if !isStrict && (isWithdrawal || Self.isState(message)) { continue }
        return .failed(mismatch?.description ?? "")
      }
      return .waiting
    }
    switch look {
    case .found(let message): try keep(names, from: message, wanted: .object(wanted))
    case .failed(let difference):
      throw StepFailure(
        "another message came", [difference, "expected \(meant.text())"])
    case .waiting:
      let gone = await inbox.isOver ? "the core has ended" : "nothing like it came"
      throw StepFailure(gone, ["expected \(meant.text())"])
    }
  }

  private static func isState(_ message: JSONValue) -> Bool {
    message["method"] == "models/snapshot" || message["method"] == "$/progress"
  }

  private func keep(_ names: [String: String], from message: JSONValue, wanted: JSONValue) throws {
    if message["method"] == "effects/perform", let params = message["params"],
      let url = params["args"]?["url"]?.stringValue
    {
      state.withLock { $0.page = (url, params["args"]?["callback"]?["via"] == "core") }
    }
    if transcript.isRecording { learn(wanted["result"], message["result"]) }
    for (name, pointer) in names {
      guard let value = message[pointer: pointer] else {
        throw StepFailure("there is nothing at \(pointer) to call \(name)", [message.text()])
      }
      state.withLock { $0.values[name] = value }
    }
  }

  private func wait(
    _ model: TranscriptStep.ModelChoice, _ wanted: JSONObject, _ within: Int?,
    _ names: [String: String]
  ) async throws {
    let pattern = pattern()
    let look = await inbox.wait(limit(within, otherwise: Self.usualWait)) {
      inbox -> Inbox.Look<JSONValue> in
      guard let state = inbox.mirror.state(model),
        pattern.mismatch(.object(wanted), state) == nil
      else { return .waiting }
      return .found(state)
    }
    guard case .found(let found) = look else {
      let held = await inbox.mirror.state(model)
      throw StepFailure(
        "\(model.model) did not come to look like this",
        [
          pattern.mismatch(.object(wanted), held)?.description ?? "",
          "it is \(held?.text() ?? "not subscribed to")",
        ])
    }
    for (name, pointer) in names {
      guard let value = found[pointer: pointer] else {
        throw StepFailure("there is nothing at \(pointer) to call \(name)", [found.text()])
      }
      state.withLock { $0.values[name] = value }
    }
  }

  private func golden(
    _ model: TranscriptStep.ModelChoice, _ file: String, _ within: Int?
  ) async throws {
    if options.updatesGoldens {
      guard let state = await inbox.mirror.state(model) else {
        throw StepFailure("\(model.model) is not subscribed to")
      }
      return try goldens.update(file, state)
    }
    let wanted = try goldens.pattern(file)
    let isSubset = options.goldensAreSubsets
    let look = await inbox.wait(limit(within, otherwise: Self.usualWait)) {
      inbox -> Inbox.Look<Bool> in
      guard let state = inbox.mirror.state(model),
        GoldenFiles.differences(wanted, state, isSubset: isSubset).isEmpty
      else { return .waiting }
      return .found(true)
    }
    guard case .found = look else {
      let held = await inbox.mirror.state(model)
      throw StepFailure(
        "\(model.model) is not as golden/\(file) says (- file, + core)",
        held.map { GoldenFiles.differences(wanted, $0, isSubset: isSubset) } ?? [
          "it is not subscribed to"
        ])
    }
  }

  private func never(_ wanted: JSONObject, _ milliseconds: Int) async throws {
    let pattern = pattern()
    let look = await inbox.wait(.milliseconds(milliseconds)) { inbox -> Inbox.Look<JSONValue> in
      inbox.pending.first { pattern.mismatch(.object(wanted), $0) == nil }.map { .found($0) }
        ?? .waiting
    }
    if case .found(let message) = look {
      throw StepFailure("this came, which must not", [message.text()])
    }
  }
}

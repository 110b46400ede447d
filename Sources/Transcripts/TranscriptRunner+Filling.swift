import StrictJSON
import SystemClients

extension TranscriptRunner {
  /// A message with everything in it that stands for something else: `$var:`, `$secret:`,
  /// `$private:`, `$use`, and `$$` for a dollar.
  func filled(_ value: JSONValue) async throws -> JSONValue {
    switch value {
    case .object(let object):
      if let name = object["$use"]?.stringValue {
        guard let preset = Presets.value(name) else {
          throw StepFailure("there is no preset “\(name)”")
        }
        var changes = object
        changes["$use"] = nil
        return MergePatch.apply(try await filled(.object(changes)), to: preset)
      }
      var members: [(String, JSONValue)] = []
      for (name, member) in object.members { members.append((name, try await filled(member))) }
      return .object(JSONObject(members))
    case .array(let elements):
      var filledElements: [JSONValue] = []
      for element in elements { filledElements.append(try await filled(element)) }
      return .array(filledElements)
    case .string(let text): return try await filled(text)
    default: return value
    }
  }

  private func filled(_ text: String) async throws -> JSONValue {
    if text.hasPrefix("$$") { return .string(String(text.dropFirst())) }
    if text.hasPrefix("$var:") {
      let name = String(text.dropFirst(5))
      guard let value = state.withLock({ $0.values[name] }) else {
        throw StepFailure("nothing is called \(name) yet")
      }
      return value
    }
    if text.hasPrefix("$secret:") { return .string(try await secret(String(text.dropFirst(8)))) }
    if text.hasPrefix("$private:") {
      return .string(try await person.photo(String(text.dropFirst(9))))
    }
    return transcript.isRecording ? renamed(.string(text)) : .string(text)
  }

  private func secret(_ name: String) async throws -> String {
    guard let wish = ScriptedPerson.Wish(rawValue: name) else {
      throw StepFailure("the sandbox knows no secret “\(name)”")
    }
    guard let page = state.withLock(\.page) else {
      throw StepFailure("no sign-in page was presented, so there is no callback")
    }
    return try await callback(wish, page.url)
  }

  /// What the browser comes back with, which no report will show.
  func callback(_ wish: ScriptedPerson.Wish, _ page: String) async throws(StepFailure) -> String {
    let (handle, isSigningUp) = state.withLock { ($0.handle, $0.isSigningUp) }
    let callback = try await person.callback(
      wish, page: page, handle: isSigningUp ? nil : handle)
    trail.hide(callback, as: wish.rawValue)
    return callback
  }

  // MARK: Recordings

  /// A recorded value as this run calls it.
  func renamed(_ value: JSONValue) -> JSONValue {
    let names = state.withLock(\.renamed)
    return names.isEmpty ? value : Self.renamed(value, names)
  }

  private static func renamed(
    _ value: JSONValue, _ names: [JSONValue: JSONValue]
  ) -> JSONValue {
    if let name = names[value] { return name }
    switch value {
    case .object(let object):
      return .object(JSONObject(object.members.map { ($0.key, renamed($0.value, names)) }))
    case .array(let elements): return .array(elements.map { renamed($0, names) })
    default: return value
    }
  }

  /// What an answer calls things, beside what the recorded one called them.
  func learn(_ recorded: JSONValue?, _ actual: JSONValue?) {
    for (name, old) in recorded?.objectValue?.members ?? [] where old.stringValue != nil {
      guard let new = actual?[name], new != old, new.stringValue != nil else { continue }
      state.withLock { $0.renamed[old] = new }
    }
  }

  /// Before a recording speaks again, every model gets the time to come to where the recording saw it.
  ///
  /// What was seen on the way may come together otherwise in every run, or be over by now: only where
  /// everything ends is it insisted on.
  func catchUp(isLast: Bool = false) async throws {
    let recorded = state.withLock { $0.recorded.states }
    let settled = recorded.filter { isLast || $0.value["status"] != "busy" }
    let wanted = settled.mapValues { state in
      JSONValue.object(
        JSONObject(
          ["status", "phase", "can"].compactMap { name in state[name].map { (name, $0) } }))
    }
    guard !wanted.isEmpty else { return }
    let look = await inbox.wait(.seconds(3)) { inbox -> Inbox.Look<Bool> in
      let held = inbox.mirror.states
      let isThere = wanted.allSatisfy { Pattern().mismatch($0.value, held[$0.key]) == nil }
      return isThere ? .found(true) : .waiting
    }
    if case .found = look { return }
    guard isLast else { return }
    let held = await inbox.mirror.states
    let differing = wanted.compactMap { key, state in
      Pattern().mismatch(state, held[key]).map { "\(key)\($0.description)" }
    }
    throw StepFailure("the models did not come to where the recording saw them", differing.sorted())
  }
}

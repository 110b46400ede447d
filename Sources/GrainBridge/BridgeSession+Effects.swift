import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

/// An effect the shell has been asked for and has not answered.
struct OpenEffect {
  let params: JSONObject
  let resume: CheckedContinuation<RPCAnswer, Never>?
}

extension BridgeSession {
  /// The shell as models ask it.
  func shellDoor(_ abilities: ShellAbilities) -> ShellDoor {
    ShellDoor(abilities: abilities) { [weak self] page in
      guard let self else { return .dismissed }
      return await self.present(page)
    }
  }

  private func present(_ page: AuthPresentation) async -> PresentationOutcome {
    if models?.login.shell.abilities.opensPages == true {
      return outcome(
        of: await perform(
          "url.open", operation: page.operation,
          args: ["url": .string(page.url), "purpose": "signIn"]))
    }
    var callback: JSONObject = ["via": "core"]
    if let place = page.callback {
      callback = ["via": "shell", "scheme": .string(place.scheme)]
      if let host = place.host { callback["host"] = .string(host) }
      callback["path"] = .string(place.path)
    }
    return outcome(
      of: await perform(
        "auth.present", operation: page.operation,
        args: [
          "url": .string(page.url), "callback": .object(callback),
          "presentation": .string(page.presentation), "ephemeral": true,
        ]))
  }

  private func outcome(of answer: RPCAnswer) -> PresentationOutcome {
    switch answer {
    case .result(let result):
      switch result["outcome"]?.stringValue {
      case "presented", "opened": return .presented
      case "callbackDelivered": return .callbackDelivered
      case "dismissed": return .dismissed
      default: return .failed(Problem(.effectFailed))
      }
    case .error(let error):
      let kind = error.data?["kind"]?.stringValue.flatMap(ErrorKind.init) ?? .effectFailed
      return .failed(Problem(kind))
    case .malformed: return .failed(Problem(.effectFailed))
    case .connectionEnded: return .dismissed
    }
  }

  /// Asks the shell for an effect; state first. Cancelling the task withdraws it.
  private func perform(
    _ effect: String, operation: String, args: JSONObject
  ) async -> RPCAnswer {
    commit()
    var params: JSONObject = [
      "effect": .string(effect), "version": 1, "operation": .string(operation),
    ]
    if let cause = cause(of: operation) { params["causedBy"] = cause.json }
    params["args"] = .object(args)
    guard !Task.isCancelled,
      let id = connection.request("effects/perform", params, order: .afterState)
    else { return .connectionEnded }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        effects[id] = OpenEffect(params: params, resume: continuation)
        if Task.isCancelled { withdraw(id) }
      }
    } onCancel: {
      Task { @MainActor in self.withdraw(id) }
    }
  }

  /// Takes an effect back; whoever waits goes on as if the person had closed it.
  func withdraw(_ id: RequestID) {
    guard let effect = effects[id], let resume = effect.resume else { return }
    // The shell still answers once; until then the effect counts as open.
    effects[id] = OpenEffect(params: effect.params, resume: nil)
    connection.notify("$/cancelRequest", ["id": id.json])
    resume.resume(returning: .result(["outcome": "dismissed"]))
  }

  /// The shell's answer, expected or late.
  func effectAnswered(_ id: RequestID, _ answer: RPCAnswer) {
    effects.removeValue(forKey: id)?.resume?.resume(returning: answer)
  }

  /// What a reloaded window asks for (bridge-protocol §6).
  var pendingEffects: JSONValue {
    let open = effects.filter { $0.value.resume != nil }
      .sorted {
        $0.key.text.count == $1.key.text.count
          ? $0.key.text < $1.key.text : $0.key.text.count < $1.key.text.count
      }
    return .array(open.map { ["id": $0.key.json, "params": .object($0.value.params)] })
  }
}

extension RequestID {
  /// The id as text, for order.
  fileprivate var text: String {
    switch self {
    case .number(let number): String(number)
    case .string(let text): text
    }
  }
}

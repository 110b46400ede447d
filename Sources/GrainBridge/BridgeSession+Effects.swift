import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

extension BridgeSession {
  /// The shell as models ask it.
  func shellDoor(_ abilities: ShellAbilities) -> ShellDoor {
    ShellDoor(abilities: abilities) { [weak self] page in
      guard let self else { return .dismissed }
      return PresentationOutcome(await self.effects.perform(self.order(page, abilities)))
    }
  }

  private func order(_ page: AuthPresentation, _ abilities: ShellAbilities) -> EffectDesk.Order {
    if abilities.opensPages {
      return order(
        "url.open", page.operation, args: ["url": .string(page.url), "purpose": "signIn"])
    }
    var callback: JSONObject = ["via": "core"]
    if let place = page.callback {
      callback = ["via": "shell", "scheme": .string(place.scheme)]
      if let host = place.host { callback["host"] = .string(host) }
      callback["path"] = .string(place.path)
    }
    return order(
      "auth.present", page.operation,
      args: [
        "url": .string(page.url), "callback": .object(callback),
        "presentation": .string(page.presentation), "ephemeral": true,
      ])
  }

  private func order(
    _ effect: String, _ operation: String, args: JSONObject
  ) -> EffectDesk.Order {
    var params: JSONObject = [
      "effect": .string(effect), "version": 1, "operation": .string(operation),
    ]
    if let cause = operations[operation]?.startedBy { params["causedBy"] = cause.json }
    params["args"] = .object(args)
    return EffectDesk.Order(effect: effect, params: params)
  }
}

extension PresentationOutcome {
  /// What a shell's answer to `auth.present` or `url.open` means for a sign-in.
  fileprivate init(_ answer: RPCAnswer) {
    switch answer {
    case .result(let result):
      switch result["outcome"]?.stringValue {
      case "presented", "opened": self = .presented
      case "callbackDelivered": self = .callbackDelivered
      case "dismissed": self = .dismissed
      default: self = .failed(Problem(.effectFailed))
      }
    case .error(let error): self = .failed(Problem(Self.kind(of: error)))
    case .malformed: self = .failed(Problem(.effectFailed))
    case .connectionEnded: self = .dismissed
    }
  }

  /// One of the errors an effect may have, by name or by code; anything else has failed somehow.
  private static func kind(of error: RPCErrorObject) -> ErrorKind {
    let known: [ErrorKind] = [.effectUnsupported, .effectFailed, .effectDenied, .effectBusy]
    let name = error.data?["kind"]?.stringValue
    return known.first { $0.rawValue == name } ?? known.first { $0.code == error.code }
      ?? .effectFailed
  }
}

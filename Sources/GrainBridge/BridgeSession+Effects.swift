import GrainModels
import GrainSnapshots
import JSONRPC
import StrictJSON

extension BridgeSession {
  /// The shell as models ask it.
  func shellDoor(_ abilities: ShellAbilities) -> ShellDoor {
    ShellDoor(
      abilities: abilities,
      present: { [weak self] page in
        guard let self else { return .dismissed }
        var order = self.order(page, abilities)
        order.goodUntil = page.opensUntil
        guard let answer = await self.effects.perform(order) else { return .overdue }
        return PresentationOutcome(answer)
      },
      unlockKeyring: { [weak self] operation, reason in
        guard let self else { return .dismissed }
        let order = self.order("keyring.unlock", operation, args: ["reason": .string(reason.key)])
        guard let answer = await self.effects.perform(order) else { return .dismissed }
        return UnlockOutcome(answer)
      },
      registerScheme: { [weak self] operation, scheme in
        guard let self else { return false }
        let order = self.order(
          "scheme.register", operation,
          args: ["scheme": .string(scheme), "displayName": .string(Self.displayName)])
        guard case .result(let result) = await self.effects.perform(order) else { return false }
        return ["registered", "alreadyRegistered", "dismissed"].contains(result["outcome"])
      })
  }

  /// What the desktop calls the program that takes our addresses.
  private static let displayName = "Grain"

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
    let isResumed = models?.operations.isResumed(operation) == true
    if !isResumed, let cause = operations[operation]?.startedBy {
      params["causedBy"] = cause.json
    } else {
      // Nobody asked: the core goes on with what is stored (bridge-protocol §6).
      params["origin"] = "resume"
    }
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
  fileprivate static func kind(of error: RPCErrorObject) -> ErrorKind {
    let known: [ErrorKind] = [.effectUnsupported, .effectFailed, .effectDenied, .effectBusy]
    let name = error.data?["kind"]?.stringValue
    return known.first { $0.rawValue == name } ?? known.first { $0.code == error.code }
      ?? .effectFailed
  }
}

extension UnlockOutcome {
  /// What a shell's answer to `keyring.unlock` means.
  fileprivate init(_ answer: RPCAnswer) {
    switch answer {
    case .result(let result):
      switch result["outcome"]?.stringValue {
      case "unlocked": self = .unlocked
      case "dismissed": self = .dismissed
      case "unavailable": self = .unavailable
      default: self = .failed(Problem(.effectFailed))
      }
    case .error(let error): self = .failed(Problem(PresentationOutcome.kind(of: error)))
    case .malformed: self = .failed(Problem(.effectFailed))
    case .connectionEnded: self = .dismissed
    }
  }
}

import OpenSSLCrypto
import StrictJSON

/// What a shell holds: the state of every subscription, merges applied, digests checked.
struct StateMirror {
  private struct Held {
    let model: String
    var revision: Int
    var state: JSONValue
  }

  private var held: [String: Held] = [:]
  private var order: [String] = []
  /// What the core did that no shell can work with.
  private(set) var fault: String?

  /// Applies a snapshot, or forgets what was closed.
  mutating func take(_ message: JSONValue) {
    guard let params = message["params"], let key = params["subscription"]?.stringValue else {
      return
    }
    switch message["method"]?.stringValue {
    case "models/snapshot": apply(key, params)
    case "models/closed":
      held[key] = nil
      order.removeAll { $0 == key }
    default: break
    }
  }

  /// The state of a model: of that subscription, or of the newest that shows it.
  func state(_ choice: TranscriptStep.ModelChoice) -> JSONValue? {
    let key = order.last { key in
      held[key]?.model == choice.model && key == choice.subscription ?? key
    }
    return key.flatMap { held[$0]?.state }
  }

  /// The applied states by subscription.
  var states: [String: JSONValue] { held.mapValues(\.state) }

  /// Forgets everything: a new core begins anew.
  mutating func reset() {
    held = [:]
    order = []
  }

  private mutating func apply(_ key: String, _ params: JSONValue) {
    guard let revision = params["revision"]?.intValue, let model = params["model"]?.stringValue
    else { return note("a snapshot of \(key) without revision or model") }
    let state: JSONValue
    if let whole = params["state"] {
      state = whole
    } else if let patch = params["merge"] {
      guard let before = held[key], before.revision == params["base"]?.intValue else {
        return note("a patch of \(key) on a revision that is not held")
      }
      state = MergePatch.apply(patch, to: before.state)
    } else {
      return note("a snapshot of \(key) with neither state nor patch")
    }
    if let before = held[key], params["base"] != nil, before.revision >= revision {
      note("revision \(revision) of \(key) after \(before.revision)")
    }
    if let digest = params["digest"]?.stringValue, digest != Self.digest(state) {
      note("the state of \(key) at revision \(revision) has another digest than its message says")
    }
    if held[key] == nil { order.append(key) }
    held[key] = Held(model: model, revision: revision, state: state)
  }

  private mutating func note(_ fault: String) {
    if self.fault == nil { self.fault = fault }
  }

  private static func digest(_ state: JSONValue) -> String {
    Digest.sha256(state.serialized(sortedKeys: true))
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

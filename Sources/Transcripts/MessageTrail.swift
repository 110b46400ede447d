import StrictJSON
import SystemClients

/// The last messages of a session, for whoever has to find out what went wrong: without secrets, and
/// cut to a readable length.
final class MessageTrail: Sendable {
  private struct State {
    var lines: [String] = []
    var secrets: [(text: String, name: String)] = []
  }

  private static let kept = 10
  private static let longest = 400
  private let state = Locked(State())

  /// From now on this text is written as `$secret:name`.
  func hide(_ text: String, as name: String) {
    state.withLock { $0.secrets.append((text, "$secret:\(name)")) }
  }

  /// Adds a message and which way it went.
  func add(_ direction: String, _ message: JSONValue) {
    // Cut before the lock: a state may be large.
    let text = Self.redacted(message).text()
    state.withLock { state in
      state.lines.append("\(direction) \(text)")
      state.lines.removeFirst(max(0, state.lines.count - Self.kept))
    }
  }

  /// The last messages, oldest first.
  var lines: [String] {
    state.withLock { state in
      state.lines.map { Self.cut(Self.hidden($0, state.secrets)) }
    }
  }

  /// A text without the secrets that are known.
  func clean(_ text: String) -> String {
    let secrets = state.withLock(\.secrets)
    return Self.hidden(text, secrets)
  }

  private static func hidden(
    _ text: String, _ secrets: [(text: String, name: String)]
  ) -> String {
    secrets.reduce(text) { $0.replacing($1.text, with: $1.name) }
  }

  private static func cut(_ line: String) -> String {
    line.count <= longest ? line : "\(line.prefix(longest))…"
  }

  /// The members that may hold a secret, and the addresses of sign-in pages.
  private static func redacted(_ value: JSONValue, in name: String = "") -> JSONValue {
    switch value {
    case .object(let object):
      .object(JSONObject(object.members.map { ($0.key, redacted($0.value, in: $0.key)) }))
    case .array(let elements): .array(elements.map { redacted($0, in: name) })
    case .string(let text):
      switch name {
      case "callbackUrl": "$secret:callbackUrl"
      // A progress token is an operation's id, no secret.
      case "token" where !text.hasPrefix("op-"): "$secret:token"
      case "url" where text.contains("request_uri"): "$private:url"
      default: value
      }
    default: value
    }
  }
}

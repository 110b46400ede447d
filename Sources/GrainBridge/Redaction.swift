import JSONRPC
import StrictJSON

/// Replaces what recordings must not hold: what the schemas mark `x-grain-sensitive`
/// (bridge-protocol §10).
struct Redaction: Sendable {
  /// Whether what is private but no secret, such as a path, stays.
  let keepsPrivate: Bool
  /// Whether a shell has made the messages: names in them may be anything then.
  let isForeign: Bool

  private static let secrets: Set<String> = ["callbackUrl", "token"]

  /// Intents that bring a secret: its name, and the members beside it.
  private static let secretIntents: [String: (secret: String, others: Set<String>)] = [
    "login.callback": ("callbackUrl", []),
    "login.submitToken": ("token", ["server"]),
    "devices.setPush": ("token", ["account", "transport"]),
  ]

  /// A message, without its `jsonrpc` member, as a recording may hold it.
  func redacted(_ message: JSONObject) -> JSONObject {
    var message = message
    // A progress token is an operation's id, no secret.
    if message["method"] == "$/progress" { return message }
    // A method nobody knows, made of what a shell should have put into a member.
    if let method = message["method"]?.stringValue, let stand = standIn(for: method) {
      message["method"] = .string(stand)
    }
    if let intent = message["method"]?.stringValue.flatMap({ Self.secretIntents[$0] }),
      let params = message["params"]
    {
      // A secret under a name of the shell's own making is one all the same.
      message["params"] = Self.hidden(params, as: intent.secret, butFor: intent.others)
    }
    return object(message, in: "")
  }

  private func standIn(for method: String) -> String? {
    if Self.bringsCode(method) { return Self.callback }
    return isForeign && !PlainName.fitsMethod(method) ? Self.name : nil
  }

  private static let callback = "$secret:callbackUrl"
  private static let name = "$secret:name"

  /// Whether a text looks like the address a sign-in comes back with: wherever a shell puts one by mistake,
  /// it carries a code.
  private static func bringsCode(_ text: String) -> Bool {
    text.contains("code=") || text.contains("state=")
  }

  private static func hidden(
    _ value: JSONValue, as name: String, butFor others: Set<String> = []
  ) -> JSONValue {
    switch value {
    case .string: .string("$secret:\(name)")
    case .object(let object):
      .object(
        JSONObject(
          object.members.map { key, value in
            (key, others.contains(key) ? value : hidden(value, as: name))
          }))
    case .array(let elements): .array(elements.map { hidden($0, as: name) })
    default: value
    }
  }

  private func object(_ object: JSONObject, in parent: String) -> JSONObject {
    JSONObject(
      object.members.map { name, value in
        (standIn(forMember: name) ?? name, member(name, of: parent, value))
      })
  }

  private func standIn(forMember name: String) -> String? {
    if Self.bringsCode(name) { return Self.callback }
    return isForeign && !PlainName.fits(name) ? Self.name : nil
  }

  private func member(_ name: String, of parent: String, _ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text): .string(redacted(name, of: parent, text))
    case .object(let inner): .object(object(inner, in: name))
    case .array(let elements): .array(elements.map { member(name, of: name, $0) })
    default: value
    }
  }

  private func redacted(_ name: String, of parent: String, _ text: String) -> String {
    if Self.secrets.contains(name) { return "$secret:\(name)" }
    if Self.bringsCode(text) { return Self.callback }
    if keepsPrivate { return text }
    return switch name {
    // A callback has a `path` too, a route everybody knows; a chosen file's is somebody's.
    case "path" where parent == "files": "$private:path"
    // An authorization request: a client id and a one-time request.
    case "url" where parent == "args": "$private:url"
    case "uri" where text.hasPrefix("file:"): "$private:uri"
    default: text
    }
  }
}

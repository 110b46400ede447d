import JSONRPC
package import StrictJSON
import Synchronization

/// One message as a transcript keeps it: a step of bridge-protocol §13, redacted.
package struct RecordedMessage: Equatable, Sendable {
  /// `send` (shell → core), `expect` (core → shell), or `answer` (the shell's reply to an effect).
  package let step: String
  /// The message without its `jsonrpc` member.
  package let message: JSONObject

  package init(step: String, message: JSONObject) {
    self.step = step
    self.message = message
  }
}

/// Turns the bytes of a session into steps of a transcript, with every sensitive member replaced.
final class Recorder: Sendable {
  private let record: @Sendable (RecordedMessage) -> Void

  init(_ record: @escaping @Sendable (RecordedMessage) -> Void) {
    self.record = record
  }

  func take(_ traffic: RPCTraffic) {
    let (bytes, isReceived) =
      switch traffic {
      case .received(let bytes): (bytes, true)
      case .sent(let bytes): (bytes, false)
      }
    guard var message = Self.parsed(bytes) else { return }
    message["jsonrpc"] = nil
    let step = !isReceived ? "expect" : message["method"] == nil ? "answer" : "send"
    record(RecordedMessage(step: step, message: Redaction.redacted(message)))
  }

  private static func parsed(_ bytes: [UInt8]) -> JSONObject? {
    do {
      return try JSONParser.parse(bytes, limits: .document).objectValue
    } catch {
      // A line that is no message is part of no transcript; the refusal that answers it is.
      return nil
    }
  }
}

/// Replaces what recordings must not hold: what the schemas mark `x-grain-sensitive`.
enum Redaction {
  static func redacted(_ message: JSONObject) -> JSONObject {
    // A progress token is an operation's id, no secret.
    if message["method"] == "$/progress" { return message }
    return object(message, in: "")
  }

  private static func object(_ object: JSONObject, in parent: String) -> JSONObject {
    JSONObject(object.members.map { name, value in (name, member(name, of: parent, value)) })
  }

  private static func member(_ name: String, of parent: String, _ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text): redacted(name, of: parent, text)
    case .object(let inner): .object(object(inner, in: name))
    case .array(let elements): .array(elements.map { member(name, of: name, $0) })
    default: value
    }
  }

  private static func redacted(_ name: String, of parent: String, _ text: String) -> JSONValue {
    switch name {
    case "callbackUrl", "token": .string("$secret:\(name)")
    // A callback has a `path` too, a route everybody knows; a chosen file's is somebody's.
    case "path" where parent == "files": "$private:path"
    // An authorization request: a client id and a one-time request.
    case "url" where parent == "args": "$private:url"
    case "uri" where text.hasPrefix("file:"): "$private:uri"
    default: .string(text)
    }
  }
}

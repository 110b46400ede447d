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
  /// Members that are sensitive wherever they stand, and what stands for them.
  private static let names = [
    "callbackUrl": "$secret:callbackUrl", "token": "$secret:token", "path": "$private:path",
  ]

  static func redacted(_ message: JSONObject) -> JSONObject {
    // A progress token is an operation's id, no secret.
    if message["method"] == "$/progress" { return message }
    return object(message)
  }

  private static func object(_ object: JSONObject) -> JSONObject {
    JSONObject(object.members.map { name, value in (name, member(name, value)) })
  }

  private static func member(_ name: String, _ value: JSONValue) -> JSONValue {
    if let text = value.stringValue {
      // A callback's `path` is a route everybody knows; a file's is somebody's.
      if name == "path", !text.hasPrefix("/") || text == "/oauth/callback" { return value }
      if let stand = names[name] { return .string(stand) }
      if name == "url" { return "$private:url" }
      if name == "uri", text.hasPrefix("file:") { return "$private:uri" }
      return value
    }
    if let inner = value.objectValue { return .object(object(inner)) }
    if let array = value.arrayValue { return .array(array.map { member(name, $0) }) }
    return value
  }
}

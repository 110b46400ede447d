import JSONRPC
package import StrictJSON

/// One message as a transcript keeps it: a step of bridge-protocol §13, redacted.
package struct RecordedMessage: Equatable, Sendable {
  /// `send` (shell → core), `expect` (core → shell), or `answer` (the shell's reply to an effect).
  package let step: String
  /// The message without its `jsonrpc` member.
  package let message: JSONObject

  /// A step of a transcript.
  package init(step: String, message: JSONObject) {
    self.step = step
    self.message = message
  }
}

/// Turns the bytes of a session into steps of a transcript, with every sensitive member replaced.
final class Recorder: Sendable {
  private let record: @Sendable (RecordedMessage) -> Void
  private let received: Redaction
  private let sent: Redaction

  init(_ record: @escaping @Sendable (RecordedMessage) -> Void, keepsPrivate: Bool) {
    self.record = record
    received = Redaction(keepsPrivate: keepsPrivate, isForeign: true)
    sent = Redaction(keepsPrivate: keepsPrivate, isForeign: false)
  }

  func take(_ traffic: RPCTraffic) {
    let (bytes, isReceived, redaction) =
      switch traffic {
      case .received(let bytes): (bytes, true, received)
      case .sent(let bytes): (bytes, false, sent)
      }
    guard var message = Self.parsed(bytes) else { return }
    message["jsonrpc"] = nil
    let step = !isReceived ? "expect" : message["method"] == nil ? "answer" : "send"
    record(RecordedMessage(step: step, message: redaction.redacted(message)))
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

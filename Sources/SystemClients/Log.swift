import Foundation

/// Where finished log lines go.
package struct LogSink: Sendable {
  /// Takes one line (UTF-8 JSON, no line feed) and returns at once.
  package var accept: @Sendable ([UInt8]) -> Void

  /// A sink made of a closure.
  package init(accept: @escaping @Sendable ([UInt8]) -> Void) {
    self.accept = accept
  }
}

/// Writes log lines: one JSON object each, a fixed message plus key–value fields
/// (bridge protocol §11).
///
/// Target and message are compile-time constants, so no secret can slip in by interpolation.
package struct Log: Sendable {
  /// The longest line, in bytes, without its line feed.
  package static let maximumLineBytes = 8192

  private let clock: SystemClock
  private let sink: LogSink
  private let thresholds: LogThresholds
  private var operation: String?
  private var request: String?

  /// A log that stamps lines with the clock and hands them to the sink if the thresholds allow it.
  package init(clock: SystemClock, sink: LogSink, thresholds: LogThresholds = LogThresholds()) {
    self.clock = clock
    self.sink = sink
    self.thresholds = thresholds
  }

  /// A log that writes nothing.
  package static let silent = Log(clock: .live, sink: LogSink { _ in }, thresholds: .init(.fault))

  /// The same log; its lines carry the identifiers of an operation and of a request.
  package func tagged(operation: String? = nil, request: String? = nil) -> Log {
    var log = self
    log.operation = operation ?? self.operation
    log.request = request ?? self.request
    return log
  }

  /// Writes one line. `fields` is not evaluated when the level is not wanted.
  ///
  /// Fields are written sorted by name. A line that would pass `maximumLineBytes` has its longest
  /// values cut and says so in a field `cut`.
  package func write(
    _ level: LogLevel, _ target: StaticString, _ message: StaticString,
    _ fields: @autoclosure () -> [String: String] = [:]
  ) {
    guard thresholds.allow(level, target: target.description) else { return }
    let fields = fields()
    func line(_ fields: [String: String]) -> [UInt8] {
      LogLine.encode(
        time: clock.now(), level: level, target: target.description, message: message.description,
        operation: operation, request: request, fields: fields)
    }
    var bytes = line(fields)
    var allowance = 2048
    while bytes.count > Self.maximumLineBytes, allowance > 0 {
      var shorter = fields.mapValues { LogLine.prefix(of: $0, bytes: allowance) }
      shorter["cut"] = "true"
      bytes = line(shorter)
      allowance /= 4
    }
    if bytes.count > Self.maximumLineBytes { bytes = line(["cut": "true"]) }
    sink.accept(bytes)
  }
}

/// The text form of a log line.
enum LogLine {
  static func encode(
    time: Date, level: LogLevel, target: String, message: String, operation: String? = nil,
    request: String? = nil, fields: [String: String]
  ) -> [UInt8] {
    let members = fields.sorted { $0.key < $1.key }
      .map { "\(quoted($0.key)):\(quoted($0.value))" }
    return encode(
      time: time, level: level, target: target, message: message, operation: operation,
      request: request, encodedFields: "{\(members.joined(separator: ","))}")
  }

  static func encode(
    time: Date, level: LogLevel, target: String, message: String, operation: String? = nil,
    request: String? = nil, encodedFields: String
  ) -> [UInt8] {
    // The style cuts digits off: without the nudge 0.123 s, stored as 0.12299…, would read 122.
    let nudged = time.addingTimeInterval(0.000_01)
    let stamp = nudged.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    var text = #"{"ts":"\#(stamp)","level":"\#(level.rawValue)","#
    text += #""target":\#(quoted(target)),"msg":\#(quoted(message))"#
    // The identifiers come from the shell: short ones only, so that a line stays a line.
    if let operation { text += #","op":\#(quoted(prefix(of: operation, bytes: 128)))"# }
    if let request { text += #","req":\#(quoted(prefix(of: request, bytes: 128)))"# }
    text += #","fields":\#(encodedFields)}"#
    return Array(text.utf8)
  }

  /// The beginning of a text that fits, cut between characters and marked with an ellipsis.
  static func prefix(of text: String, bytes limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var used = 0
    let kept = text.unicodeScalars.prefix { scalar in
      used += UTF8.width(scalar)
      return used <= limit
    }
    return String(kept) + "…"
  }

  /// A JSON string; control characters and the separators U+2028 and U+2029 are escaped.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

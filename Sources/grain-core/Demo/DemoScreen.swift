import Foundation
import StrictJSON

/// What a demo shows: lines and a bar for a person, or one JSON object a line for a program.
final class DemoScreen: Sendable {
  private let isJSON: Bool
  private let hasBar: Bool
  private let lock = NSLock()

  init(isJSON: Bool) {
    self.isJSON = isJSON
    hasBar = !isJSON && isatty(STDOUT_FILENO) == 1
  }

  /// A step is done.
  func done(_ step: String, _ detail: String) {
    if isJSON {
      line(["step": .string(step), "detail": .string(detail)])
    } else {
      write("\(hasBar ? "\r\u{1B}[K" : "")  ✓ \(Self.padded(step)) \(detail)\n")
    }
  }

  /// A step is under way; `percent` of it is done.
  func progress(_ step: String, percent: Int) {
    if isJSON {
      line(["progress": .string(step), "percent": JSONValue(percent)])
    } else if hasBar {
      let filled = max(0, min(24, percent * 24 / 100))
      let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
      write("\r\u{1B}[K  … \(Self.padded(step)) \(bar) \(percent) %")
    }
  }

  /// The whole story failed.
  func failed(_ failure: DemoFailure) {
    if isJSON {
      line([
        "ok": false, "failed": .string(failure.what), "advice": .string(failure.advice),
      ])
    } else {
      write("\(hasBar ? "\r\u{1B}[K" : "")  ✗ \(failure.what)\n    \(failure.advice)\n")
    }
  }

  /// A line that is no step.
  func say(_ text: String) {
    if !isJSON { write("\(text)\n") }
  }

  /// The last line of a program's reading.
  func summary(_ summary: JSONObject) {
    if isJSON { line(summary) }
  }

  private func line(_ object: JSONObject) {
    write(JSONValue.object(object).text() + "\n")
  }

  private func write(_ text: String) {
    lock.lock()
    defer { lock.unlock() }
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  private static func padded(_ step: String) -> String {
    step.padding(toLength: max(step.count, 12), withPad: " ", startingAt: 0)
  }
}

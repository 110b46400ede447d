import Foundation
import GrainBridge
import StrictJSON
import SystemClients

/// A session written down as a script, one step a line (bridge-protocol §13).
final class TranscriptFile: Sendable {
  private let handle: FileHandle
  private let started = ContinuousClock.now
  private let lock = NSLock()

  /// Makes the file, readable by its owner alone.
  ///
  /// - Returns: `nil` when it cannot be written.
  init?(_ path: String, title: String, arguments: [String]) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    write([
      "transcript": 1, "title": .string(title), "schemas": "v1",
      "core": ["args": .array(arguments.map { .string($0) })],
    ])
  }

  /// Adds one message as a step.
  func add(_ message: RecordedMessage) {
    let elapsed = started.duration(to: .now).components
    let milliseconds =
      Int(elapsed.seconds) * 1000 + Int(elapsed.attoseconds / 1_000_000_000_000_000)
    write([message.step: .object(message.message), "t": JSONValue(milliseconds)])
  }

  private func write(_ line: JSONObject) {
    var bytes = line.serialized()
    bytes.append(0x0A)
    lock.lock()
    defer { lock.unlock() }
    // A transcript that cannot be written must not stop the session it describes.
    try? handle.write(contentsOf: Data(bytes))
  }
}

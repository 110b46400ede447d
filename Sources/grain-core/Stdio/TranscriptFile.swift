import GrainBridge
import StrictJSON
import SystemClients

/// A session written down as a script, one step a line (bridge-protocol §13).
///
/// It is written beside the session, never in its way: where nobody empties the pipe, or the disk is full,
/// messages are left out, and a `note` step says how many.
final class TranscriptFile: Sendable {
  private let file: LineFile
  private let started = ContinuousClock.now

  /// Makes the file, readable by its owner alone.
  ///
  /// - Parameters:
  ///   - path: a file, or a FIFO somebody reads.
  ///   - title: of the script.
  ///   - arguments: what a run of it has to start the core with.
  ///   - notice: told where messages begin to be left out, and how many were.
  /// - Throws: why it cannot be written.
  init(
    _ path: String, title: String, arguments: [String],
    notice: @escaping @Sendable (LineFile.Notice) -> Void
  ) throws(FileError) {
    file = try LineFile(
      path,
      gap: { count in
        let note: JSONObject = ["note": .string("\(count) messages are missing here")]
        return note.serialized()
      }, notice: notice)
    file.add(
      ([
        "transcript": 1, "title": .string(title), "schemas": "v1",
        "core": ["args": .array(arguments.map { .string($0) })],
      ] as JSONObject).serialized())
  }

  /// Adds one message as a step.
  func add(_ message: RecordedMessage) {
    let elapsed = started.duration(to: .now).components
    let milliseconds =
      Int(elapsed.seconds) * 1000 + Int(elapsed.attoseconds / 1_000_000_000_000_000)
    let step: JSONObject = [
      message.step: .object(message.message), "t": JSONValue(milliseconds),
    ]
    file.add(step.serialized())
  }

  /// Waits until everything is written, for as long as an end may wait for it.
  ///
  /// - Returns: whether everything is.
  func close() -> Bool { file.close(within: .milliseconds(500)) }
}

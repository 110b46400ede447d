import StrictJSON

/// A script for a core: what a shell says, and what it must hear and see (bridge-protocol §13).
///
/// One step a line. Written by hand, or by `grain-core --record`; a recording has times on its lines.
package struct Transcript: Sendable {
  /// What it is about, in a sentence.
  package let title: String
  /// The arguments of the core besides `--stdio`.
  package let arguments: [String]
  /// What the core must offer, such as `feature:login.createAccount`.
  package let requirements: [String]
  /// Whether it was recorded: what differs between any two runs is then passed over.
  package let isRecording: Bool
  /// What is done and expected, in order.
  package let steps: [Line]
  /// Where it was read from, for messages.
  package let path: String

  /// A step and where it stands.
  package struct Line: Sendable {
    /// Counted from one.
    package let number: Int
    /// What to do.
    package let step: TranscriptStep
  }

  /// Whether it starts a core twice, which then needs a folder that outlives the first.
  package var restarts: Bool {
    steps.contains { if case .restart = $0.step { true } else { false } }
  }

  /// Reads a script.
  ///
  /// - Parameters:
  ///   - bytes: its lines; blank ones are skipped.
  ///   - path: named in errors.
  /// - Throws: what is wrong with it, by its line.
  package init(_ bytes: [UInt8], path: String) throws(TranscriptFault) {
    self.path = path
    var header: JSONObject?
    var steps: [Line] = []
    var isRecording = false
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      let place = TranscriptFault.Place(path: path, line: index + 1)
      guard line.contains(where: { !" \t\r".utf8.contains($0) }) else { continue }
      let object = try Self.object(Array(line), at: place)
      if header == nil {
        header = try Self.header(object, at: place)
        continue
      }
      if object["t"] != nil { isRecording = true }
      steps.append(Line(number: index + 1, step: try TranscriptStep(object, at: place)))
    }
    guard let header else {
      throw TranscriptFault(.init(path: path, line: 1), "there is nothing in this file")
    }
    title = header["title"]?.stringValue ?? ""
    arguments = header["core"]?["args"]?.arrayValue?.compactMap(\.stringValue) ?? []
    requirements = header["requires"]?.arrayValue?.compactMap(\.stringValue) ?? []
    self.isRecording = isRecording
    self.steps = steps
  }

  private static func object(
    _ line: [UInt8], at place: TranscriptFault.Place
  ) throws(TranscriptFault) -> JSONObject {
    let value: JSONValue
    do throws(JSONParseError) {
      value = try JSONParser.parse(line, limits: .document)
    } catch {
      throw TranscriptFault(place, "this is not JSON: \(error)")
    }
    guard let object = value.objectValue else {
      throw TranscriptFault(place, "a step is an object")
    }
    return object
  }

  private static func header(
    _ object: JSONObject, at place: TranscriptFault.Place
  ) throws(TranscriptFault) -> JSONObject {
    guard object["transcript"]?.intValue == 1 else {
      throw TranscriptFault(
        place, #"the first line must be the header, with "transcript":1"#)
    }
    guard object["schemas"] == nil || object["schemas"] == "v1" else {
      throw TranscriptFault(place, #"only "schemas":"v1" is known here"#)
    }
    let known: Set<String> = ["transcript", "title", "schemas", "core", "requires"]
    if let other = object.keys.first(where: { !known.contains($0) }) {
      throw TranscriptFault(place, "“\(other)” is not known in a header")
    }
    return object
  }
}

/// A script that cannot be run as it stands.
package struct TranscriptFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// A line of a file.
  package struct Place: Equatable, Sendable, CustomStringConvertible {
    let path: String
    let line: Int

    package var description: String { "\(path):\(line)" }
  }

  let place: Place
  let message: String

  init(_ place: Place, _ message: String) {
    self.place = place
    self.message = message
  }

  package var description: String { "\(place): \(message)" }
}

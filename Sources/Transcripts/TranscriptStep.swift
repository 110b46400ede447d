package import StrictJSON

/// One line of a script.
package enum TranscriptStep: Sendable {
  /// A message of the shell's, patterns filled in.
  case send(JSONObject)
  /// The next message of the core's; with `isStrict` not even state may come before it.
  case expect(JSONObject, isStrict: Bool, within: Int?, keeping: [String: String])
  /// The applied state of a model comes to look like this.
  case wait(ModelChoice, JSONObject, within: Int?, keeping: [String: String])
  /// The applied state of a model equals a file.
  case golden(ModelChoice, file: String, within: Int?)
  /// The answer to an effect.
  case answer(JSONObject)
  /// No such message for that many milliseconds.
  case never(JSONObject, milliseconds: Int)
  /// Virtual time passes.
  case advance(milliseconds: Int)
  /// Something goes wrong, or stops going wrong.
  case fault(String, isOn: Bool, milliseconds: Int?)
  /// Bytes as they are.
  case raw([UInt8])
  /// The core ends, by the end of its input or by a signal, and starts again on the same data.
  case restart(signal: String?)
  /// The core ends in this way and with this status.
  case end(By, exitCode: Int, within: Int?)
  /// Only a window can do this: `ui` or `shot`.
  case needsWindow(String)
  /// For readers.
  case note

  /// How a core is told to end.
  package enum By: String, Sendable {
    /// `shutdown`, then `exit`.
    case shutdown
    /// `exit` alone.
    case exit
    /// The end of its input.
    case eof
    /// Signals.
    case term = "TERM"
    case hangUp = "HUP"
    case kill = "KILL"
    /// It ends by itself.
    case itself
  }

  /// Which model is looked at.
  package struct ModelChoice: Sendable {
    /// By name, such as `login`.
    let model: String
    /// By subscription, where several show models of that name.
    let subscription: String?
  }
}

extension TranscriptStep {
  private static let names: Set<String> = [
    "send", "expect", "wait", "golden", "answer", "never", "advance", "fault", "raw", "restart",
    "ui", "shot", "note", "end",
  ]

  /// Reads one step.
  init(_ object: JSONObject, at place: TranscriptFault.Place) throws(TranscriptFault) {
    let found = object.keys.filter(Self.names.contains)
    guard let name = found.first, found.count == 1, let value = object[name] else {
      throw TranscriptFault(
        place, "a step is one of \(Self.names.sorted().joined(separator: ", "))")
    }
    var reader = StepReader(object, name, place)
    self = try Self.read(name, value, &reader)
    try reader.end()
  }

  private static func read(
    _ name: String, _ value: JSONValue, _ reader: inout StepReader
  ) throws(TranscriptFault) -> TranscriptStep {
    switch name {
    case "send": return .send(try reader.object(value))
    case "answer": return .answer(try reader.object(value))
    case "expect":
      return .expect(
        try reader.pattern(value), isStrict: try reader.flag("strict"),
        within: try reader.milliseconds("within"), keeping: try reader.names("as"))
    case "wait":
      let place = try reader.object(value)
      return .wait(
        try reader.model(place), try reader.pattern(place["where"] ?? [:]),
        within: try reader.milliseconds("within"), keeping: try reader.names("as"))
    case "golden":
      let place = try reader.object(value)
      guard let file = place["file"]?.stringValue, !file.contains("/") else {
        throw reader.fault("“file” is a name without a path")
      }
      return .golden(
        try reader.model(place), file: file, within: try reader.milliseconds("within"))
    case "never":
      return .never(
        try reader.pattern(value), milliseconds: try reader.milliseconds("for") ?? 200)
    case "advance": return .advance(milliseconds: try reader.number(value))
    case "fault":
      guard let fault = value.stringValue else { throw reader.fault("a fault has a name") }
      return .fault(
        fault, isOn: try reader.flag("on", otherwise: true),
        milliseconds: try reader.milliseconds("ms"))
    case "raw": return .raw(try RawBytes.read(value, reader))
    case "restart": return .restart(signal: value["signal"]?.stringValue)
    case "end": return try end(value, &reader)
    case "note": return .note
    default: return .needsWindow(name)
    }
  }

  private static func end(
    _ value: JSONValue, _ reader: inout StepReader
  ) throws(TranscriptFault) -> TranscriptStep {
    let name = value["by"]?.stringValue ?? By.shutdown.rawValue
    guard let by = By(rawValue: name) else {
      throw reader.fault(
        "“\(name)” ends no core; use shutdown, exit, eof, TERM, HUP, KILL or itself")
    }
    return .end(
      by, exitCode: value["exitCode"]?.intValue ?? 0, within: try reader.milliseconds("within"))
  }
}

/// Takes a step apart and refuses what nobody took.
struct StepReader {
  private let object: JSONObject
  private let place: TranscriptFault.Place
  private var taken: Set<String>

  init(_ object: JSONObject, _ name: String, _ place: TranscriptFault.Place) {
    self.object = object
    self.place = place
    taken = [name, "t", "note"]
  }

  func fault(_ message: String) -> TranscriptFault { TranscriptFault(place, message) }

  func object(_ value: JSONValue) throws(TranscriptFault) -> JSONObject {
    guard let object = value.objectValue else { throw fault("this takes an object") }
    return object
  }

  func pattern(_ value: JSONValue) throws(TranscriptFault) -> JSONObject {
    let object = try object(value)
    if let mistake = Pattern.mistake(in: value) { throw fault(mistake) }
    return object
  }

  func number(_ value: JSONValue) throws(TranscriptFault) -> Int {
    guard let number = value.intValue, number >= 0 else {
      throw fault("this takes a number of milliseconds")
    }
    return number
  }

  mutating func milliseconds(_ name: String) throws(TranscriptFault) -> Int? {
    taken.insert(name)
    guard let value = object[name] else { return nil }
    return try number(value)
  }

  mutating func flag(
    _ name: String, otherwise: Bool = false
  ) throws(TranscriptFault) -> Bool {
    taken.insert(name)
    guard let value = object[name] else { return otherwise }
    guard let flag = value.boolValue else { throw fault("“\(name)” is true or false") }
    return flag
  }

  /// Names for places in what comes: pointers by name.
  mutating func names(_ name: String) throws(TranscriptFault) -> [String: String] {
    taken.insert(name)
    var names: [String: String] = [:]
    for (key, value) in object[name]?.objectValue?.members ?? [] {
      guard let pointer = value.stringValue, pointer.hasPrefix("/") || pointer.isEmpty else {
        throw fault("“\(name)” gives names to JSON pointers")
      }
      names[key] = pointer
    }
    return names
  }

  func model(_ object: JSONObject) throws(TranscriptFault) -> TranscriptStep.ModelChoice {
    guard let model = object["model"]?.stringValue else { throw fault("“model” is missing") }
    return TranscriptStep.ModelChoice(
      model: model, subscription: object["subscription"]?.stringValue)
  }

  func end() throws(TranscriptFault) {
    if let other = object.keys.first(where: { !taken.contains($0) }) {
      throw fault("“\(other)” is not known in this step")
    }
  }
}

/// Bytes as a script writes them: text, `{"hex":…}` for what is no text, `{"text":…, "times":…}` for
/// much of the same, or a list of these.
private enum RawBytes {
  static func read(_ value: JSONValue, _ reader: StepReader) throws(TranscriptFault) -> [UInt8] {
    if let text = value.stringValue { return Array(text.utf8) }
    if let parts = value.arrayValue {
      var bytes: [UInt8] = []
      for part in parts { bytes += try read(part, reader) }
      return bytes
    }
    let times = value["times"]?.intValue ?? 1
    guard (0...10_000_000).contains(times) else { throw reader.fault("“times” is out of range") }
    if let text = value["text"]?.stringValue {
      return Array([[UInt8]](repeating: Array(text.utf8), count: times).joined())
    }
    let digits = (value["hex"]?.stringValue ?? "").filter { $0 != " " }
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { offset in
      UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
    }
    guard !bytes.isEmpty, bytes.count * 2 == digits.count else {
      throw reader.fault(#"bytes are a text, {"text":…}, {"hex":…} or a list of these"#)
    }
    return Array([[UInt8]](repeating: bytes, count: times).joined())
  }
}

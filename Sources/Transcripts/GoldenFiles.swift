import Foundation
import StrictJSON
import SystemClients

/// The states a script expects word by word, beside it under `golden/`.
///
/// They are patterns too, matched exactly: where a run decides a text, such as a port, there is a
/// matcher, and an update keeps it.
struct GoldenFiles {
  private let folder: String

  /// The golden files of a script.
  init(besides path: String) {
    folder = URL(filePath: path).deletingLastPathComponent().appending(path: "golden").path
  }

  /// What a file says a state must be.
  func pattern(_ file: String) throws(StepFailure) -> JSONValue {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try PrivateFiles.read("\(folder)/\(file)", limit: 1 << 20)
    } catch {
      throw StepFailure("golden/\(file) cannot be read; --update writes it")
    }
    do throws(JSONParseError) {
      return try JSONParser.parse(bytes, limits: .document)
    } catch {
      throw StepFailure("golden/\(file) is not JSON: \(error)")
    }
  }

  /// Everything in which a state differs from a file's pattern.
  ///
  /// - Parameters:
  ///   - pattern: the file's.
  ///   - state: the state that is shown.
  ///   - isSubset: whether a state may have members that the file does not name.
  /// - Returns: lines for people; none when it is the same.
  static func differences(
    _ pattern: JSONValue, _ state: JSONValue, isSubset: Bool = false
  ) -> [String] {
    differences(pattern, state, isSubset, at: "")
  }

  private static func differences(
    _ pattern: JSONValue, _ state: JSONValue, _ isSubset: Bool, at place: String
  ) -> [String] {
    guard case .object(let wanted) = pattern, case .object(let found) = state else {
      var exact = Pattern()
      exact.isExact = !isSubset
      return exact.mismatch(pattern, state, at: place).map {
        ["- \($0.place): \($0.expected)", "+ \($0.place): \($0.found ?? "nothing")"]
      } ?? []
    }
    var lines: [String] = []
    for (name, pattern) in wanted.members {
      let here = "\(place)/\(name)"
      if let value = found[name] {
        lines += differences(pattern, value, isSubset, at: here)
      } else if pattern != "$absent" {
        lines.append("- \(here): \(pattern.text())")
      }
    }
    for (name, value) in found.members where wanted[name] == nil && !isSubset {
      lines.append("+ \(place)/\(name): \(value.text())")
    }
    return lines
  }

  /// Writes a state as the file from now on.
  func update(_ file: String, _ state: JSONValue) throws(StepFailure) {
    // No file yet, or none that is JSON: there is nothing to keep of it.
    let old = try? pattern(file)
    let text = Self.pretty(Self.merged(old, state)) + "\n"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(file)"))
    } catch {
      throw StepFailure("golden/\(file) cannot be written: \(error)")
    }
  }

  /// A state as a pattern, with the matchers of the old one where they still match.
  private static func merged(_ old: JSONValue?, _ state: JSONValue) -> JSONValue {
    if let old, old.stringValue?.hasPrefix("$") == true, Pattern().mismatch(old, state) == nil {
      return old
    }
    switch state {
    case .object(let object):
      return .object(
        JSONObject(object.members.map { ($0.key, merged(old?[$0.key], $0.value)) }))
    case .array(let elements):
      let known = old?.arrayValue ?? []
      return .array(
        elements.enumerated().map { index, element in
          merged(known.indices.contains(index) ? known[index] : nil, element)
        })
    case .string(let text):
      if text.hasPrefix("$") { return .string("$\(text)") }
      return .string(open(text))
    default: return state
    }
  }

  /// A text, or a pattern where it says which port or folder a run was given.
  private static func open(_ text: String) -> String {
    func escaped(_ text: Substring) -> String {
      String(text).replacing(/[.\\+*?\[^\]$(){}=!<>|:#\/\-]/) { "\\\($0.output)" }
    }
    if text.hasPrefix("file:") {
      let kept = text.firstRange(of: "/drafts/").map { text[$0.lowerBound...] } ?? ""
      return "$re:^file\\:.*\(escaped(kept))$"
    }
    guard let port = text.firstMatch(of: /127\.0\.0\.1:[0-9]+/) else { return text }
    let (before, after) = (text[..<port.range.lowerBound], text[port.range.upperBound...])
    return "$re:^\(escaped(before))127\\.0\\.0\\.1:[0-9]+\(escaped(after))$"
  }

  private static func pretty(_ value: JSONValue, _ indent: String = "") -> String {
    let inner = indent + "  "
    switch value {
    case .object(let object) where !object.isEmpty:
      let lines = object.members.map {
        "\(inner)\(JSONValue.string($0.key).text()): \(pretty($0.value, inner))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
    case .array(let elements) where !elements.isEmpty:
      let lines = elements.map { "\(inner)\(pretty($0, inner))" }
      return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
    default: return value.text()
    }
  }
}

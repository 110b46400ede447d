import StrictJSON

/// What a message or a state is held against: objects by subset, arrays and scalars exactly, and
/// texts that begin with `$` as matchers (bridge-protocol §13).
struct Pattern {
  /// Where something differs.
  struct Mismatch: Equatable {
    /// A JSON pointer.
    let place: String
    /// What was meant there.
    let expected: String
    /// What was there; `nil` for nothing.
    let found: String?

    var description: String {
      "\(place.isEmpty ? "(all of it)" : place): expected \(expected), came \(found ?? "nothing")"
    }
  }

  /// What `$var:` names stand for.
  var values: [String: JSONValue] = [:]
  /// Whether objects have to have exactly the members named.
  var isExact = false
  /// Members that are passed over wherever they stand: in a recording, what no two runs share.
  var ignored: Set<String> = []

  /// The first difference; `nil` when it matches.
  func mismatch(_ pattern: JSONValue, _ value: JSONValue?, at place: String = "") -> Mismatch? {
    // Methods that begin with `$/` are names like any other.
    if case .string(let text) = pattern, text.hasPrefix("$"), !text.hasPrefix("$/") {
      return matcher(text, value, place)
    }
    guard let value else { return Mismatch(place: place, expected: pattern.text(), found: nil) }
    switch (pattern, value) {
    case (.object(let wanted), _) where wanted.count == 1 && wanted["$exact"] != nil:
      var exact = self
      exact.isExact = true
      return exact.mismatch(wanted["$exact"] ?? [:], value, at: place)
    case (.object(let wanted), .array(let found)) where wanted.keys == ["$contains"]:
      for element in wanted["$contains"]?.arrayValue ?? []
      where !found.contains(where: { mismatch(element, $0) == nil }) {
        return Mismatch(
          place: place, expected: "an element \(element.text())", found: value.text())
      }
      return nil
    case (.object(let wanted), .object(let found)): return object(wanted, found, place)
    case (.array(let wanted), .array(let found)) where wanted.count == found.count:
      for (index, (pattern, value)) in zip(wanted, found).enumerated() {
        if let mismatch = mismatch(pattern, value, at: "\(place)/\(index)") { return mismatch }
      }
      return nil
    default:
      if pattern == value { return nil }
      return Mismatch(place: place, expected: pattern.text(), found: value.text())
    }
  }

  private func object(_ wanted: JSONObject, _ found: JSONObject, _ place: String) -> Mismatch? {
    for (name, pattern) in wanted.members where !ignored.contains(name) {
      let escaped = name.replacing("~", with: "~0").replacing("/", with: "~1")
      if let mismatch = mismatch(pattern, found[name], at: "\(place)/\(escaped)") {
        return mismatch
      }
    }
    guard isExact,
      let other = found.keys.first(where: { wanted[$0] == nil && !ignored.contains($0) })
    else { return nil }
    return Mismatch(
      place: "\(place)/\(other)", expected: "no such member", found: found[other]?.text())
  }

  // MARK: Matchers

  private static let plain: Set<String> = [
    "$any", "$string", "$int", "$bool", "$uri", "$did", "$time", "$absent",
  ]
  private static let prefixes = ["$re:", "$gte:", "$var:", "$secret:", "$private:"]

  /// What is wrong with a pattern before anything is held against it.
  static func mistake(in pattern: JSONValue) -> String? {
    switch pattern {
    case .string(let text):
      guard text.hasPrefix("$"), !text.hasPrefix("$$"), !text.hasPrefix("$/") else { return nil }
      if text.hasPrefix("$re:") {
        // Only whether it can be read matters here.
        return (try? Regex(text.dropFirst(4).description)) == nil ? "\(text) is no pattern" : nil
      }
      if text.hasPrefix("$gte:"), JSONNumber(literal: String(text.dropFirst(5))) == nil {
        return "\(text) names no number"
      }
      let isKnown = plain.contains(text) || prefixes.contains { text.hasPrefix($0) }
      return isKnown ? nil : "\(text) is no matcher; a text that begins so is written $\(text)"
    case .array(let elements): return elements.lazy.compactMap { mistake(in: $0) }.first
    case .object(let object):
      if let other = object.keys.first(where: { $0.hasPrefix("$") }),
        !["$contains", "$exact"].contains(other) || object.count != 1
      {
        return "\(other) is no matcher of objects"
      }
      return object.members.lazy.compactMap { mistake(in: $0.value) }.first
    default: return nil
    }
  }

  private func matcher(_ text: String, _ value: JSONValue?, _ place: String) -> Mismatch? {
    if text.hasPrefix("$$") {
      let literal = JSONValue.string(String(text.dropFirst()))
      return value == literal
        ? nil : Mismatch(place: place, expected: literal.text(), found: value?.text())
    }
    if text.hasPrefix("$var:") {
      let name = String(text.dropFirst(5))
      guard let known = values[name] else {
        return Mismatch(
          place: place, expected: "the value of \(name), which has none", found: value?.text())
      }
      return value == known
        ? nil : Mismatch(place: place, expected: known.text(), found: value?.text())
    }
    return Self.matches(text, value)
      ? nil : Mismatch(place: place, expected: text, found: value?.text())
  }

  private static func matches(_ matcher: String, _ value: JSONValue?) -> Bool {
    guard let value else { return matcher == "$absent" }
    let text = value.stringValue
    switch matcher {
    case "$any": return true
    case "$absent": return false
    case "$string": return text != nil
    case "$int": return value.intValue != nil
    case "$bool": return value.boolValue != nil
    case "$uri": return text?.wholeMatch(of: /[a-z][a-z0-9+.\-]*:\S+/) != nil
    case "$did": return text?.wholeMatch(of: /did:[a-z]+:[A-Za-z0-9._:%\-]+/) != nil
    case "$time":
      return text?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil
    default: break
    }
    if matcher.hasPrefix("$re:") {
      // A pattern that cannot be read was refused with its line.
      guard let text, let regex = try? Regex(String(matcher.dropFirst(4))) else { return false }
      return text.contains(regex)
    }
    if matcher.hasPrefix("$gte:") {
      guard let least = Double(matcher.dropFirst(5)), let number = value.doubleValue else {
        return false
      }
      return number >= least
    }
    // What is secret or private is not compared, only that there is something.
    return text?.isEmpty == false
  }
}

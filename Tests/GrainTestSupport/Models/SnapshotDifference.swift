import StrictJSON

/// How one state differs from another, member by member, for people to read.
package struct SnapshotDifference: CustomStringConvertible {
  private var lines: [String] = []

  /// Compares what was expected with what was found.
  ///
  /// - Throws: what the encoder throws, for values that have no JSON form.
  package init(expected: some Encodable, found: some Encodable) throws {
    let encoder = JSONValueEncoder()
    compare(try encoder.encode(expected), try encoder.encode(found), at: "")
  }

  /// Whether there is none.
  package var isEmpty: Bool { lines.isEmpty }

  /// One line a member: its place, what was expected, what was found.
  package var description: String { lines.joined(separator: "\n") }

  private mutating func compare(_ expected: JSONValue?, _ found: JSONValue?, at place: String) {
    if expected == found { return }
    guard case .object(let wanted) = expected, case .object(let got) = found else {
      lines.append("  \(place): expected \(text(expected)), found \(text(found))")
      return
    }
    var names = wanted.keys
    for name in got.keys where wanted[name] == nil { names.append(name) }
    for name in names { compare(wanted[name], got[name], at: "\(place)/\(name)") }
  }

  private func text(_ value: JSONValue?) -> String { value?.text() ?? "nothing" }
}

/// What differs between two texts, as people read it.
enum LineDifference {
  private static let mostLines = 60
  private static let context = 2

  /// The lines that were and the lines that should be, each group with the lines around it.
  ///
  /// - Parameters:
  ///   - path: the file, for the head of the difference.
  ///   - old: the text as it is.
  ///   - new: the text as it should be.
  /// - Returns: at most sixty lines, and how many were left out.
  static func text(of path: String, old: String, new: String) -> String {
    var rows: [(mark: Character, line: Substring)] = []
    let before = old.split(separator: "\n", omittingEmptySubsequences: false)
    let after = new.split(separator: "\n", omittingEmptySubsequences: false)
    let difference = after.difference(from: before)
    let removed = Set(difference.removals.map(\.offset))
    let inserted = Set(difference.insertions.map(\.offset))
    var place = 0
    for (offset, line) in before.enumerated() {
      if removed.contains(offset) {
        rows.append(("-", line))
        continue
      }
      while inserted.contains(place) {
        rows.append(("+", after[place]))
        place += 1
      }
      rows.append((" ", line))
      place += 1
    }
    rows += after[min(place, after.count)...].map { ("+", $0) }
    let changed = rows.indices.filter { rows[$0].mark != " " }
    let shown = Set(changed.flatMap { ($0 - context)...($0 + context) })
    var lines = ["--- \(path)", "+++ generated"]
    var last = -1
    for index in rows.indices where shown.contains(index) {
      if index != last + 1 { lines.append("@@") }
      lines.append("\(rows[index].mark)\(rows[index].line)")
      last = index
    }
    if lines.count > mostLines {
      lines = lines.prefix(mostLines) + ["… \(lines.count - mostLines) more lines"]
    }
    return lines.joined(separator: "\n")
  }
}

extension CollectionDifference.Change {
  /// Where in its own collection the element stands.
  fileprivate var offset: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}

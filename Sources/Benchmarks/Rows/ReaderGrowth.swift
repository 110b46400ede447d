/// What readers of different pace are sent, and what the core holds for them: more and more changes, each
/// for so many subscriptions that a few of them fill a pipe.
enum ReaderGrowth {
  private static let changes = [4, 16, 60]
  private static let subscriptions = 64

  /// How a shell reads.
  private enum Reader: String, CaseIterable {
    /// Everything at once, as it comes.
    case fast
    /// One line after each change, the rest at the end.
    case slow
    /// Nothing until the last change.
    case stopped
  }

  static let row = Row(
    name: "grow-readers", summary: "4, 16, 60 changes sent to a reader that is fast, slow, stopped"
  ) { bench in
    var findings: [any Finding] = []
    for reader in Reader.allCases {
      let samples = try await Interleaving.measure(
        runs: bench.runs, changes.map { count in { try await one(bench, reader, count) } })
      let columns = [
        (0, "bytes sent", "B"), (1, "memory more", "MiB"), (2, "processor time", "ms"),
      ]
      for (place, what, unit) in columns {
        findings.append(
          Growth(
            row: "grow-readers", what: "\(what), \(reader.rawValue) reader", unit: unit,
            sizes: "changes", points: zip(changes, samples).map { ($0, $1[place]) },
            // Whoever reads late is sent the newest state, not every state there was.
            bound: place == 0 && reader == .stopped ? .atMost(0.5) : nil))
      }
    }
    return findings
  }

  private static func one(
    _ bench: Bench, _ reader: Reader, _ count: Int
  ) async throws -> [Double] {
    let draft = try await OpenDraft(photographs: 20, subscriptions: subscriptions, bench)
    let before = try draft.core.facts.resident()
    let began = try draft.core.facts.processorSeconds()
    var bytes = 0
    var words = ""
    for number in 1...count {
      words = try draft.edit()
      switch reader {
      case .fast: bytes += try draft.readUntilShown(words)
      case .slow where number < count: bytes += try draft.core.lines.line().count + 1
      case .slow, .stopped: break
      }
    }
    if reader != .fast {
      try await draft.core.facts.waitForRest()
      bytes += try draft.readUntilShown(words)
    }
    let grown = try draft.core.facts.resident() - before
    let spent = try draft.core.facts.processorSeconds() - began
    try draft.core.lines.finish()
    return [Double(bytes), max(0, grown), spent * 1_000]
  }
}

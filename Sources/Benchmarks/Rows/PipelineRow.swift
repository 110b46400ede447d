/// Requests sent without waiting for the answers of earlier ones, 64 on their way at a time: as many as
/// our core takes before it says that it is overloaded.
enum PipelineRow {
  private static let count = 6_400
  private static let window = 64

  static let row = Row(
    name: "pipeline", summary: "pipelined requests a second, 64 on their way"
  ) { bench in
    let core = try CoreTalk(bench, dataFolder: try await StoredAccounts.folder(10, bench))
    try core.initialize()
    try await core.facts.waitForRest()
    let queued = try await compare(bench, core, "effects/pending", "requests that take their turn")
    let pings = try await compare(bench, core, "ping", "pings")
    try core.lines.finish()
    return queued + pings
  }

  private static func compare(
    _ bench: Bench, _ core: CoreTalk, _ method: String, _ what: String
  ) async throws -> [any Finding] {
    try await PeerRates.compare(
      bench, row: "pipeline", what: "pipelined \(what) (\(method))", core: core, ourMethod: method,
      bound: .atLeast(0.5)
    ) { talk, request in
      var (sent, answered, room) = (0, 0, window)
      while answered < count {
        var batch: [UInt8] = []
        for _ in 0..<min(room, count - sent) {
          sent += 1
          batch += request(sent)
        }
        if !batch.isEmpty { try talk.send(batch) }
        room = try talk.skipLines()
        answered += room
      }
      return count
    }
  }
}

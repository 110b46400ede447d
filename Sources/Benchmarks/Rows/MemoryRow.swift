/// Memory of a core that has nothing to do, 10 accounts stored.
enum MemoryRow {
  static let row = Row(name: "memory", summary: "memory at rest, 10 accounts stored") { bench in
    let folder = try await StoredAccounts.folder(10, bench)
    var things: [() async throws -> [Double]] = [{ [try await core(bench, folder)] }]
    var missing: [Comparison.Other] = []
    switch bench.peer {
    case .missing(let reason):
      missing.append(.init(name: "deltachat-rpc-server", outcome: .missing(reason)))
    case .found(let path):
      let accounts = try PeerProgram.fill(path, accounts: 10, bench)
      things.append { [try await peer(bench, path, accounts)] }
    }
    let samples = try await Interleaving.measure(runs: bench.runs, things).map { $0[0] }
    let others = samples.dropFirst().map { theirs in
      Comparison.Other(name: "deltachat-rpc-server", outcome: .measured(theirs))
    }
    return [
      Comparison(
        row: "memory", what: "resident at rest, 10 accounts, libraries included", unit: "MiB",
        ours: samples[0], bounds: [.atMost(40)], worstCounts: true, others: others + missing)
    ]
  }

  /// Resident at rest, in MiB.
  static func core(_ bench: Bench, _ folder: String) async throws -> Double {
    let core = try CoreTalk(bench, dataFolder: folder)
    try core.initialize()
    try await core.facts.waitForRest()
    let resident = try core.facts.resident()
    try core.lines.finish()
    return resident
  }

  private static func peer(
    _ bench: Bench, _ path: String, _ accounts: String
  ) async throws -> Double {
    let peer = try PeerProgram.start(path, accounts: accounts, bench)
    try peer.send(RequestLine.positional(1, PeerProgram.cheapest))
    _ = try peer.line()
    let facts = ProcessFacts(processID: peer.program.processID)
    try await facts.waitForRest()
    let resident = try facts.resident()
    try peer.finish()
    return resident
  }
}

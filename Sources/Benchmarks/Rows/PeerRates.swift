/// Requests a second, of ours and of the peer, on programs that have been running for a while.
enum PeerRates {
  /// Sends and reads some requests; gives back how many were answered.
  typealias Work = (_ talk: LineTalk, _ request: (Int) -> [UInt8]) throws -> Int

  /// Lets both do the same work in turn.
  ///
  /// Ours is initialized, and asked `ourMethod` without params; `bound` is of our rate by theirs.
  static func compare(
    _ bench: Bench, row: String, what: String, core: CoreTalk, ourMethod: String, bound: Bound,
    work: @escaping Work
  ) async throws -> [any Finding] {
    func rate(_ talk: LineTalk, _ requests: [[UInt8]]) throws -> Double {
      var answered = 0
      let time = try Stopwatch.milliseconds {
        answered = try work(talk) { requests[$0 % requests.count] }
      }
      return Double(answered) * 1_000 / time
    }
    // Ids repeat after thousands of requests, when their first use is long over.
    let ours = (0..<10_000).map { RequestLine.named($0 + 1_000, ourMethod) }
    var things: [() async throws -> [Double]] = [{ [try rate(core.lines, ours)] }]
    var missing: [Comparison.Other] = []
    var peer: LineTalk?
    switch bench.peer {
    case .missing(let reason):
      missing.append(.init(name: "deltachat-rpc-server", outcome: .missing(reason)))
    case .found(let path):
      let accounts = try PeerProgram.fill(path, accounts: 10, bench)
      let started = try PeerProgram.start(path, accounts: accounts, bench)
      let theirs = (0..<10_000).map { RequestLine.positional($0 + 1_000, PeerProgram.cheapest) }
      things.append { [try rate(started, theirs)] }
      peer = started
    }
    let samples = try await Interleaving.measure(runs: bench.runs, things).map { $0[0] }
    try peer?.finish()
    let others = samples.dropFirst().map { theirs in
      Comparison.Other(
        name: "deltachat-rpc-server", outcome: .measured(theirs), bound: bound)
    }
    return [
      Comparison(
        row: row, what: what, unit: "a second", ours: samples[0], others: others + missing,
        remark: "the peer is asked its cheapest request, \(PeerProgram.cheapest)")
    ]
  }
}

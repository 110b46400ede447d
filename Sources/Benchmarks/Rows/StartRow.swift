import StrictJSON

/// From the start of the process to the answer of `initialize`, 10 accounts stored.
enum StartRow {
  static let row = Row(
    name: "start", summary: "process start to the answer of initialize, 10 accounts stored"
  ) { bench in
    let folder = try await StoredAccounts.folder(10, bench)
    var things: [() async throws -> [Double]] = [{ [try core(bench, folder)] }]
    var names: [(name: String, bound: Bound?)] = []
    var missing: [Comparison.Other] = []
    do {
      let empty = try await EmptyProgram.make(bench)
      things.append { [try emptyProgram(bench, empty)] }
      names.append(("an empty Foundation program", .atMost(4)))
    } catch {
      missing.append(
        Comparison.Other(
          name: "an empty Foundation program", outcome: .missing("\(error)"), bound: nil))
    }
    switch bench.peer {
    case .missing(let reason):
      missing.append(.init(name: "deltachat-rpc-server", outcome: .missing(reason)))
    case .found(let path):
      let accounts = try PeerProgram.fill(path, accounts: 10, bench)
      things.append { [try peer(bench, path, accounts)] }
      names.append(("deltachat-rpc-server", nil))
    }
    let samples = try await Interleaving.measure(runs: bench.runs, things).map { $0[0] }
    let others = zip(names, samples.dropFirst()).map { name, theirs in
      Comparison.Other(name: name.name, outcome: .measured(theirs), bound: name.bound)
    }
    return [
      Comparison(
        row: "start", what: "process start to the answer of initialize, 10 accounts", unit: "ms",
        ours: samples[0], bounds: [.atMost(25)], others: others + missing)
    ]
  }

  /// One start of ours, in milliseconds.
  static func core(_ bench: Bench, _ folder: String) throws -> Double {
    _ = try StoredAccounts.configuration(bench)
    let hello = RequestLine.named(1, "initialize", CoreTalk.hello)
    var talk: CoreTalk?
    var answer: [UInt8] = []
    let time = try Stopwatch.milliseconds {
      let core = try CoreTalk(bench, dataFolder: folder)
      talk = core
      try core.lines.send(hello)
      answer = try core.lines.line()
    }
    guard try JSONParser.parse(answer)["result"]?["session"] != nil else {
      throw BenchError("initialize was refused: \(String(decoding: answer, as: UTF8.self))")
    }
    try talk?.lines.finish()
    return time
  }

  private static func emptyProgram(_ bench: Bench, _ path: String) throws -> Double {
    var talk: LineTalk?
    let time = try Stopwatch.milliseconds {
      let empty = LineTalk(try ChildProgram(path, [], environment: bench.environment()))
      talk = empty
      _ = try empty.line()
    }
    try talk?.finish()
    return time
  }

  private static func peer(_ bench: Bench, _ path: String, _ accounts: String) throws -> Double {
    let request = RequestLine.positional(1, PeerProgram.cheapest)
    var talk: LineTalk?
    let time = try Stopwatch.milliseconds {
      let peer = try PeerProgram.start(path, accounts: accounts, bench)
      talk = peer
      try peer.send(request)
      _ = try peer.line()
    }
    try talk?.finish()
    return time
  }
}

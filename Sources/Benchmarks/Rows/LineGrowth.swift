import StrictJSON

/// What long lines cost the core in processor time, piece by piece in and out: in proportion to their length,
/// or somewhere a line is copied once for each of its pieces (FB-C8).
enum LineGrowth {
  private static let kilobytes = [250, 500, 1_000]
  private static let accounts = [250, 500, 1_000]
  /// What is written and read at a time.
  private static let step = 1_000
  /// So much in all for each size, since a single line is over before a clock has moved.
  private static let bytesARun = 8_000_000
  private static let answersARun = 20

  static let row = Row(
    name: "grow-lines",
    summary: "requests of 250, 500, 1 000 kB, answers of 250, 500, 1 000 accounts, in steps of 1 kB"
  ) { bench in
    var folders: [String] = []
    for count in accounts { folders.append(try await StoredAccounts.folder(count, bench)) }
    let requests = try await Interleaving.measure(
      runs: bench.runs, kilobytes.map { size in { try await request(bench, size) } })
    let answers = try await Interleaving.measure(
      runs: bench.runs, folders.map { folder in { try await answer(bench, folder) } })
    return [
      Growth(
        row: "grow-lines", what: "processor time of a request", unit: "ms", sizes: "kB",
        points: zip(kilobytes, requests).map { ($0, $1[0]) }, bound: .atMost(1.15)),
      Growth(
        row: "grow-lines", what: "processor time of an answer", unit: "ms", sizes: "accounts",
        points: zip(accounts, answers).map { ($0, $1[0]) }, bound: .atMost(1.15)),
    ]
  }

  /// Requests of so many kilobytes, each refused for a member nobody knows once it is read whole.
  private static func request(_ bench: Bench, _ kilobytes: Int) async throws -> [Double] {
    let core = try CoreTalk(bench, dataFolder: bench.path("lines"))
    let text = JSONValue.string(String(repeating: "a", count: 996))
    let line = RequestLine.named(
      1, "ping", ["text": .array(Array(repeating: text, count: kilobytes - 1))])
    let count = max(1, bytesARun / line.count)
    func exchange() throws {
      try core.lines.send(line, step: step)
      let answer = try JSONParser.parse(try core.lines.line(), limits: .document)
      guard answer["error"]?["code"] == -32602 else {
        throw BenchError("a long request was answered otherwise: \(answer.text())")
      }
    }
    try exchange()
    let before = try core.facts.processorSeconds()
    for _ in 0..<count { try exchange() }
    let used = try core.facts.processorSeconds() - before
    try core.lines.finish()
    return [used * 1_000 / Double(count)]
  }

  private static func answer(_ bench: Bench, _ folder: String) async throws -> [Double] {
    let core = try CoreTalk(bench, dataFolder: folder)
    try core.initialize()
    try await core.facts.waitForRest()
    core.lines.readStep = step
    try core.call("models/get", ["model": "accounts"])
    let before = try core.facts.processorSeconds()
    for _ in 0..<answersARun { try core.call("models/get", ["model": "accounts"]) }
    let used = try core.facts.processorSeconds() - before
    try core.lines.finish()
    return [used * 1_000 / Double(answersARun)]
  }
}

import StrictJSON

/// How a core grows with the accounts it keeps.
enum AccountGrowth {
  private static let sizes = [1, 10, 100, 1_000]

  static let row = Row(
    name: "grow-accounts", summary: "start, list and memory with 1, 10, 100, 1 000 accounts"
  ) { bench in
    var folders: [String] = []
    for size in sizes { folders.append(try await StoredAccounts.folder(size, bench)) }
    let samples = try await Interleaving.measure(
      runs: bench.runs, folders.map { folder in { try await one(bench, folder) } })
    func growth(_ place: Int, _ what: String, _ unit: String) -> Growth {
      Growth(
        row: "grow-accounts", what: what, unit: unit, sizes: "accounts",
        points: zip(sizes, samples).map { ($0, $1[place]) })
    }
    return [
      growth(0, "process start to the answer of initialize", "ms"),
      growth(1, "subscription to the list shown", "ms"),
      growth(2, "bytes of the list", "B"),
      growth(3, "resident at rest", "MiB"),
    ]
  }

  private static func one(_ bench: Bench, _ folder: String) async throws -> [Double] {
    let start = try StartRow.core(bench, folder)
    let core = try CoreTalk(bench, dataFolder: folder)
    try core.initialize()
    var bytes = 0
    let list = try Stopwatch.milliseconds {
      _ = try core.send(
        "models/subscribe", ["subscription": "a", "model": "accounts", "delivery": "merge"])
      bytes = try core.readSnapshots(1)
    }
    try await core.facts.waitForRest()
    let resident = try core.facts.resident()
    try core.lines.finish()
    return [start, list, Double(bytes), resident]
  }
}

/// How a change grows with the subscriptions that show it.
enum SubscriptionGrowth {
  private static let sizes = [1, 16, 64]

  static let row = Row(
    name: "grow-subscriptions", summary: "one photo's change shown by 1, 16, 64 subscriptions"
  ) { bench in
    let samples = try await Interleaving.measure(
      runs: bench.runs, sizes.map { size in { try await one(bench, size) } })
    func growth(_ place: Int, _ what: String, _ unit: String) -> Growth {
      Growth(
        row: "grow-subscriptions", what: what, unit: unit, sizes: "subscriptions",
        points: zip(sizes, samples).map { ($0, $1[place]) })
    }
    return [
      growth(0, "one photo's change to the last snapshot, 20 photographs", "ms"),
      growth(1, "bytes of the change", "B"),
      growth(2, "resident at rest after it", "MiB"),
    ]
  }

  private static func one(_ bench: Bench, _ size: Int) async throws -> [Double] {
    let draft = try await OpenDraft(photographs: 20, subscriptions: size, bench)
    let changes = try (0..<5).map { _ in try draft.change() }
    try await draft.core.facts.waitForRest()
    let resident = try draft.core.facts.resident()
    try draft.core.lines.finish()
    return [
      Samples(changes.map(\.milliseconds)).median,
      Samples(changes.map { Double($0.bytes) }).median, resident,
    ]
  }
}

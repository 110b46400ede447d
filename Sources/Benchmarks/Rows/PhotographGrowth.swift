/// How a draft grows with its photographs.
enum PhotographGrowth {
  private static let sizes = [10, 100, 1_000]

  static let row = Row(
    name: "grow-photographs", summary: "opening and changing a draft of 10, 100, 1 000 photographs"
  ) { bench in
    let samples = try await Interleaving.measure(
      runs: bench.runs, sizes.map { size in { try await one(bench, size) } })
    func growth(_ place: Int, _ what: String, _ unit: String) -> Growth {
      Growth(
        row: "grow-photographs", what: what, unit: unit, sizes: "photographs",
        points: zip(sizes, samples).map { ($0, $1[place]) })
    }
    return [
      growth(0, "subscription to the draft shown", "ms"),
      growth(1, "bytes of the draft", "B"),
      growth(2, "one photo's change to its snapshot", "ms"),
      growth(3, "bytes of the change", "B"),
      growth(4, "resident at rest after it", "MiB"),
    ]
  }

  private static func one(_ bench: Bench, _ size: Int) async throws -> [Double] {
    let draft = try await OpenDraft(photographs: size, subscriptions: 1, bench)
    let changes = try (0..<5).map { _ in try draft.change() }
    try await draft.core.facts.waitForRest()
    let resident = try draft.core.facts.resident()
    try draft.core.lines.finish()
    let time = Samples(changes.map(\.milliseconds)).median
    return [
      draft.opening.milliseconds, Double(draft.opening.bytes), time,
      Samples(changes.map { Double($0.bytes) }).median, resident,
    ]
  }
}

/// What one photograph's change costs on the wire, whatever the number of photographs.
enum PhotoChangeRow {
  private static let changes = 3

  static let row = Row(
    name: "photo-change", summary: "bytes of one photo's change in a draft of 10, 100, 1 000"
  ) { bench in
    var points: [(size: Int, samples: Samples)] = []
    for photographs in [10, 100, 1_000] {
      let draft = try await OpenDraft(photographs: photographs, subscriptions: 1, bench)
      let bytes = try (0..<changes).map { _ in Double(try draft.change().bytes) }
      try draft.core.lines.finish()
      points.append((photographs, Samples(bytes)))
    }
    return [
      Growth(
        row: "photo-change", what: "bytes on the wire for one photo's change, verdict and snapshot",
        unit: "B", sizes: "photographs", points: points, bound: .atMost(0.01))
    ]
  }
}

/// Runs of several things in turn, A B A B, so that a machine that grows slower or faster meanwhile
/// treats them alike.
enum Interleaving {
  /// Measures each thing so many times, after one round that is not counted.
  ///
  /// - Parameters:
  ///   - runs: rounds that count.
  ///   - things: each gives its figures of one run; always as many.
  /// - Returns: for each thing, for each of its figures, all runs.
  /// - Throws: what a thing throws.
  static func measure(
    runs: Int, _ things: [() async throws -> [Double]]
  ) async throws -> [[Samples]] {
    var figures = things.map { _ in [[Double]]() }
    for round in 0...runs {
      for (index, thing) in things.enumerated() {
        let run = try await thing()
        if round > 0 { figures[index].append(run) }
      }
    }
    return figures.map { runs in
      (0..<(runs.first?.count ?? 0)).map { place in Samples(runs.map { $0[place] }) }
    }
  }
}

import Testing

@testable import Benchmarks

@Suite("Figures of repeated runs")
struct SamplesTests {
  @Test("the median is the middle run, or the mean of the two in the middle")
  func median() {
    #expect(Samples([5, 1, 9]).median == 5)
    #expect(Samples([8, 1, 2, 100]).median == 5)
    #expect(Samples([7]).median == 7)
    let samples = Samples([3, 1, 2])
    #expect(samples.min == 1)
    #expect(samples.max == 3)
  }

  @Test("what grows in proportion has exponent 1, with the square 2, not at all 0")
  func exponent() throws {
    let sizes = [1, 10, 100, 1_000]
    let proportional = try #require(GrowthExponent.fitting(sizes.map { ($0, Double($0) * 3) }))
    let square = try #require(GrowthExponent.fitting(sizes.map { ($0, Double($0 * $0)) }))
    let constant = try #require(GrowthExponent.fitting(sizes.map { ($0, 42) }))
    #expect(abs(proportional - 1) < 1e-9)
    #expect(abs(square - 2) < 1e-9)
    #expect(abs(constant) < 1e-9)
  }

  @Test("one size, or a figure that is zero, has no growth")
  func noExponent() {
    #expect(GrowthExponent.fitting([(10, 5)]) == nil)
    #expect(GrowthExponent.fitting([(10, 5), (10, 6)]) == nil)
    #expect(GrowthExponent.fitting([(1, 0), (10, 6)]) == nil)
  }

  @Test("a bound is judged by the median, of memory by the worst run; a ratio by both medians")
  func bounds() {
    var comparison = Comparison(
      row: "r", what: "w", unit: "ms", ours: Samples([1, 2, 30]), bounds: [.atMost(25)],
      others: [
        .init(name: "x", outcome: .measured(Samples([1])), bound: .atMost(2)),
        .init(name: "y", outcome: .measured(Samples([4])), bound: .atLeast(1)),
        .init(name: "z", outcome: .missing("gone"), bound: .atLeast(1)),
      ])
    #expect(comparison.missed == ["r: w: ≥ 1 × y"])
    comparison.worstCounts = true
    #expect(comparison.missed == ["r: w: ≤ 25 ms", "r: w: ≥ 1 × y"])
  }

  @Test(
    "numbers are written with the digits that count",
    arguments: [
      (12_345.6, "12 346"), (123.4, "123"), (12.34, "12.3"), (1.234, "1.23"), (8, "8"),
      (0.5, "0.50"),
    ])
  func figureText(value: Double, text: String) {
    #expect(FigureText.text(value) == text)
  }
}

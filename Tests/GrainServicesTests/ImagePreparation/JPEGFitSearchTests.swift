import Testing

@testable import GrainServices

@Suite("The search for the best JPEG within a byte limit")
struct JPEGFitSearchTests {
  private typealias Search = JPEGFitSearch

  /// Plays the encoder: the sizes come from `encode`.
  private func run(
    limit: Int, width: Int = 2000, height: Int = 1500, encode: (Search.Attempt) -> Int
  ) -> (result: Search.Attempt?, attempts: [Search.Attempt]) {
    var search = Search(limit: limit, size: .init(width: width, height: height))
    var attempts = [search.first]
    while attempts.count < 100 {
      switch search.encoded(bytes: encode(attempts[attempts.count - 1])) {
      case .encode(let next): attempts.append(next)
      case .use(let best): return (best, attempts)
      case .giveUp: return (nil, attempts)
      }
    }
    return (nil, attempts)
  }

  @Test("the highest quality that fits is found in at most ten attempts", arguments: 1...100)
  func highest(quality: Int) {
    let (result, attempts) = run(limit: quality * 1000) { $0.quality * 1000 }
    #expect(result == Search.Attempt(quality: quality))
    #expect(attempts.count <= 10)
    #expect(Set(attempts.map(\.quality)).count == attempts.count)
  }

  @Test("a size of exactly the limit fits, one byte more does not (FB-D6)")
  func exactly() {
    #expect(run(limit: 900_000) { _ in 900_000 }.result?.quality == 100)
    #expect(run(limit: 900_000) { $0.quality < 50 ? 900_000 : 900_001 }.result?.quality == 49)
  }

  @Test("where no quality fits, both sides shrink by the root of limit to size, at quality 80")
  func shrinks() {
    // 400 at the lowest quality; at 80 a picture of half the side has a fifth of the bytes.
    let (result, attempts) = run(limit: 100) { attempt in
      guard let size = attempt.size else { return 400 }
      return size.width <= 500 ? 80 : 400
    }
    let shrunk = attempts.filter { $0.size != nil }
    #expect(shrunk.map(\.size?.width) == [1000, 500])
    #expect(shrunk.map(\.size?.height) == [750, 375])
    #expect(shrunk.allSatisfy { $0.quality == 80 })
    #expect(result == shrunk.last)
  }

  @Test("a size just above the limit still comes to an end")
  func closeCall() {
    let (result, _) = run(limit: 1000) { attempt in
      guard let size = attempt.size else { return 1001 }
      return 1001 * size.width * size.height / (2000 * 1500)
    }
    #expect(result?.size?.width == 1960)
  }

  @Test("an absurd limit ends in giving up, not in an endless search")
  func absurd() {
    let (result, attempts) = run(limit: 10) { _ in 1000 }
    #expect(result == nil)
    #expect(attempts.count <= 30)
  }
}

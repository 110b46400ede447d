import Testing

@testable import Benchmarks

@Suite("What Benchmarks is told")
struct BenchmarkArgumentsTests {
  private let known = ["start", "ping", "memory"]

  private func read(_ words: String...) throws(BenchmarkArguments.UsageError) -> BenchmarkArguments
  {
    try BenchmarkArguments(words, known: known)
  }

  @Test("without a name every row is measured; named ones in the order of the catalogue")
  func rows() throws {
    #expect(try read().rows == known)
    #expect(try read("memory", "start", "memory").rows == ["start", "memory"])
  }

  @Test("options are understood before and after names")
  func options() throws {
    let arguments = try read("--json", "ping", "--runs", "3", "--peer", "/p", "--core", "/c")
    #expect(arguments.json)
    #expect(arguments.rows == ["ping"])
    #expect(arguments.runs == 3)
    #expect(arguments.peer == "/p")
    #expect(arguments.core == "/c")
    #expect(try read("--help").wantsHelp)
    #expect(try read().runs == 5)
  }

  @Test("an unknown name is refused with the names there are")
  func unknownName() {
    #expect(
      throws: BenchmarkArguments.UsageError(
        message: "there is no row “pong”; there are start, ping, memory")
    ) { try read("pong") }
  }

  @Test(
    "an unknown option, a missing value and a number that is none are refused",
    arguments: [["--fast"], ["--runs"], ["--runs", "0"], ["--runs", "many"], ["--peer"]])
  func refused(words: [String]) {
    #expect(throws: BenchmarkArguments.UsageError.self) {
      try BenchmarkArguments(words, known: known)
    }
  }
}

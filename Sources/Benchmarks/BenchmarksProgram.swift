import Foundation
import StrictJSON
import SystemClients

/// The program: measures the rows that were asked for, one after the other.
@main
enum BenchmarksProgram {
  private static let wrongUsage: Int32 = 64

  static func main() async {
    ignoreWriteSignals()
    let arguments: BenchmarkArguments
    do throws(BenchmarkArguments.UsageError) {
      arguments = try BenchmarkArguments(
        ProgramArguments.own, known: Row.all.map(\.name))
    } catch {
      complain("Benchmarks: \(error.message)")
      exit(wrongUsage)
    }
    if arguments.wantsHelp {
      print(help)
      exit(0)
    }
    do {
      let bench = try Bench(arguments)
      let isComplete = await measure(arguments, bench)
      try bench.clear()
      exit(isComplete ? 0 : 1)
    } catch {
      complain("Benchmarks: \(error)")
      exit(1)
    }
  }

  /// Measures every row that was asked for; one that fails does not keep the others from it.
  private static func measure(_ arguments: BenchmarkArguments, _ bench: Bench) async -> Bool {
    #if DEBUG
      complain(
        "This is a debug build: its figures say nothing. Use swift run -c release Benchmarks.")
    #endif
    var missed: [String] = []
    var isComplete = true
    for row in Row.all where arguments.rows.contains(row.name) {
      do {
        for finding in try await row.measure(bench) {
          print(arguments.json ? JSONValue.object(finding.json).text() : "\(finding.text)\n")
          fflush(nil)
          missed += finding.missed
        }
      } catch {
        isComplete = false
        complain("\(row.name): \(error)")
      }
    }
    if !arguments.json, !missed.isEmpty {
      print("Missed:\n" + missed.map { "  \($0)" }.joined(separator: "\n"))
    }
    return isComplete
  }

  private static var help: String {
    let width = (Row.all.map(\.name.count).max() ?? 0) + 2
    let rows = Row.all.map { row in
      "  \(FigureText.padded(row.name, to: width))\(row.summary)"
    }
    return """
      Benchmarks [NAME…] [--json] [--runs N] [--peer PATH] [--core PATH]

      Measures grain-core side by side with others, run by run in turn, and says which bounds hold.
      Every figure is the median of the runs, with the least and the most behind it.

      \(rows.joined(separator: "\n"))

        --json        one object a line
        --runs N      runs of each row that count (5)
        --peer PATH   deltachat-rpc-server; else PATH and .venv/bin are searched
        --core PATH   the grain-core to measure; else the one built beside this program

      Exit codes: 0 measured, whatever the bounds say; 1 a row could not be measured; 64 wrong usage.
      """
  }

  private static func complain(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}

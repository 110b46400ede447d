import Foundation
import GrainTestSupport
import Testing

@Suite("Requirements and their tests")
struct RequirementIndexTests {
  /// What is built so far: sign-in and calls at the account's own server, the pipe to the shell, and what
  /// others met there and on this system.
  static let areas: [(prefix: String, numbers: ClosedRange<Int>)] = [
    ("G", 1...119), ("FB-A", 1...35), ("FB-C", 1...19), ("FB-E", 1...9),
    ("FB-F", 1...9),
  ]

  /// Every Swift file below `Tests` but this one, and the README's decisions.
  private static func text() throws -> String {
    let root = SharedData.repositoryRoot
    let tests = root.appending(path: "Tests")
    let files = try #require(
      FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    var text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    for case let file as URL in files
    where file.pathExtension == "swift" && file.lastPathComponent != "RequirementIndexTests.swift" {
      text += try String(contentsOf: file, encoding: .utf8)
    }
    return text
  }

  /// `G6–G23` and `G43-G49` name every number between.
  private static func numbers(_ prefix: String, in text: String) throws -> Set<Int> {
    var named: Set<Int> = []
    let pattern = try Regex<(Substring, Substring, Substring?)>(
      #"\b\#(prefix)([0-9]+)(?:[–-]\#(prefix)([0-9]+))?(?![0-9])"#)
    for match in text.matches(of: pattern) {
      guard let first = Int(match.output.1) else { continue }
      let last = match.output.2.flatMap { Int($0) } ?? first
      if first <= last { named.formUnion(first...last) }
    }
    return named
  }

  @Test("each number is named by a test, or answered in the README", arguments: areas)
  func everyNumber(area: (prefix: String, numbers: ClosedRange<Int>)) throws {
    let named = try Self.numbers(area.prefix, in: try Self.text())
    let missing = area.numbers.filter { !named.contains($0) }
    #expect(missing.isEmpty, "\(area.prefix): \(missing)")
  }
}

import Foundation
import GrainTestSupport
import Testing

@Suite("Requirements and their tests")
struct RequirementIndexTests {
  /// Sign-in and calls at the account's own server, the two other providers, the guide on authentication,
  /// the pipe to the shell, and what others met there and on this system.
  static let areas: [(prefix: String, numbers: ClosedRange<Int>)] = [
    ("G", 1...119), ("P", 1...48), ("X", 1...25), ("A", 1...48), ("FB-A", 1...35),
    ("FB-B", 1...8), ("FB-C", 1...19), ("FB-E", 1...9), ("FB-F", 1...9), ("FB-G", 1...6),
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
    // `FB-A5` is not A5: what stands before a number is read along.
    let pattern = try Regex<(Substring, Substring?, Substring, Substring?)>(
      #"\b(FB-)?\#(prefix)([0-9]+)(?:[–-]\#(prefix)([0-9]+))?(?![0-9])"#)
    for match in text.matches(of: pattern) where match.output.1 == nil {
      guard let first = Int(match.output.2) else { continue }
      let last = match.output.3.flatMap { Int($0) } ?? first
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

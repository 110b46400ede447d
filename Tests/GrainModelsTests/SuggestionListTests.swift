import ATSyntax
import GrainServices
import Testing

@testable import GrainModels

@Suite("The keyboard among suggestions")
struct SuggestionListTests {
  private func list(_ count: Int) throws -> SuggestionList {
    let letters = ["a", "b", "c"].prefix(count)
    return SuggestionList(
      try letters.map { letter in
        HandleSuggestion(
          did: try DID("did:plc:" + String(repeating: letter, count: 24)),
          handle: try Handle("\(letter).test"))
      })
  }

  @Test("down walks through and wraps, up from the first clears")
  func walks() throws {
    var list = try list(3)
    var seen: [String?] = []
    for move: SuggestionList.Move in [.next, .next, .next, .next, .previous, .previous, .none] {
      list.move(move)
      seen.append(list.chosen?.handle.rawValue)
    }
    #expect(seen == ["a.test", "b.test", "c.test", "a.test", nil, "c.test", nil])
  }

  @Test("in an empty list nothing is ever highlighted", arguments: SuggestionList.Move.allCases)
  func empty(move: SuggestionList.Move) throws {
    var list = SuggestionList()
    list.move(move)
    #expect(list.chosen == nil)
  }
}

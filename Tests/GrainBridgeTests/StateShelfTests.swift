import JSONRPC
import StrictJSON
import SystemClients
import Testing

@testable import GrainBridge

@Suite("The shelf of states (§4.3)")
struct StateShelfTests {
  private func committed(_ revision: Int, _ text: String = "x") -> StateShelf.Committed {
    StateShelf.Committed(
      model: "login", schema: "v1/models/login.json", revision: revision,
      state: ["handle": .string(text)])
  }

  private func params(_ message: EncodedMessage?) throws -> JSONValue? {
    try message.map { try JSONParser.parse($0.bytes, limits: .document)["params"] ?? .null }
  }

  @Test("a snapshot names the newest 64 requests it comes from, oldest first, and each once")
  func newestCauses() throws {
    let shelf = StateShelf(digest: nil) { _ in }
    #expect(shelf.subscribe("s", to: "login", .full))
    for number in 1...100 {
      _ = shelf.commit(
        ["login": committed(number)], causes: ["login": [.number(number), .number(number)]])
    }
    let frame = shelf.capture(["s"])
    let causes = try params(frame())?["causedBy"]?.arrayValue
    #expect(causes == (37...100).map { JSONValue($0) })
    _ = shelf.commit(["login": committed(101)], causes: [:])
    #expect(try params(shelf.capture(["s"])())?["causedBy"] == [])
  }

  @Test("frames are counted as they are delivered; where nothing changed there is none")
  func frames() throws {
    let shelf = StateShelf(digest: nil) { _ in }
    _ = shelf.commit(["login": committed(1)], causes: [:])
    #expect(shelf.subscribe("s", to: "login", .full))
    #expect(try params(shelf.capture(["s"])())?["frame"] == 1)
    #expect(shelf.capture(["s", "unknown"])() == nil)
    for revision in 2...9 { _ = shelf.commit(["login": committed(revision)], causes: [:]) }
    #expect(try params(shelf.capture(["s"])())?["frame"] == 2)
  }

  @Test("only the subscription that is too large goes, not a later one of its name")
  func oversized() throws {
    let found = Locked<[StateShelf.Oversized]>([])
    let shelf = StateShelf(digest: nil) { oversized in
      found.withLock { $0.append(oversized) }
    }
    shelf.messageLimit = 1_000
    _ = shelf.commit(["login": committed(1, String(repeating: "a", count: 2_000))], causes: [:])
    #expect(shelf.subscribe("s", to: "login", .full))
    #expect(shelf.capture(["s"])() == nil)
    let oversized = try #require(found.withLock(\.first))
    #expect(shelf.drop(oversized))
    #expect(!shelf.drop(oversized))
    #expect(shelf.subscribe("s", to: "login", .full))
    #expect(!shelf.drop(oversized))
    #expect(shelf.subscriptionCount == 1)
  }

  @Test("`more` is said where another snapshot of the frame does follow, and nowhere else")
  func more() throws {
    let shelf = StateShelf(digest: nil) { _ in }
    shelf.messageLimit = 1_000
    let large = committed(1, String(repeating: "a", count: 2_000))
    _ = shelf.commit(["a": committed(1), "b": large, "c": committed(1), "d": large], causes: [:])
    for key in ["a", "b", "c", "d"] { #expect(shelf.subscribe(key, to: key, .full)) }
    let frame = shelf.capture(["a", "b", "c", "d"])
    let first = try params(frame())
    #expect(first?["subscription"] == "a")
    #expect(first?["more"] == true)
    let second = try params(frame())
    #expect(second?["subscription"] == "c")
    #expect(second?["more"] == nil)
    #expect(frame() == nil)
  }
}

import ATSyntax
import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Long lines, read by a host in steps of 1 kB (FB-C8)", .timeLimit(.minutes(3)))
struct LongLineTests {
  private static let step = 1_000

  @Test("200 kB of a description go in and come back whole, in a snapshot and in an answer")
  func bothWays() async throws {
    let shell = try await Shell.begin { $0.readStep = Self.step }
    shell.galleries.add("d", of: .alice)
    try await shell.subscribe("s", to: "galleryPublish", draft: "d", delivery: "full")
    let text = JSONValue.string(String(repeating: "😀", count: 50_000))
    let verdict = try await shell.call("gallery.setDetails", ["draft": "d", "description": text])
    #expect(verdict[pointer: "/result/accepted"] == true)
    try await shell.wait("s") { $0["description"] == text }
    let answer = try await shell.call(
      "models/get", ["model": "galleryPublish", "args": ["draft": "d"]])
    #expect(answer[pointer: "/result/state/description"] == text)
    #expect(answer.serialized().count > 200_000)
  }

  @Test("a list of a thousand accounts comes whole, as snapshot and as answer")
  func manyAccounts() async throws {
    let shell = try await Shell.begin {
      $0.readStep = Self.step
      for number in 1..<1_000 { $0.accounts.accounts.append(.numbered(number)) }
    }
    try await shell.subscribe("s", to: "accounts")
    #expect(shell.state("s")?["accountOrder"]?.arrayValue?.count == 1_000)
    let answer = try await shell.call("models/get", ["model": "accounts"])
    #expect(answer[pointer: "/result/state"] == shell.state("s"))
    #expect(answer.serialized().count > 200_000)
  }

  @Test("5 MB are too much for one request; what comes right behind is served")
  func tooLarge() async throws {
    let shell = try await Shell.begin { $0.readStep = Self.step }
    shell.galleries.add("d", of: .alice)
    let text = String(repeating: "a", count: 5_000_000)
    let id = JSONValue("next")
    let next: JSONValue = [
      "jsonrpc": "2.0", "id": id, "method": "gallery.setDetails",
      "params": ["draft": "d", "title": "Lake"],
    ]
    shell.send(
      #"{"jsonrpc":"2.0","id":"large","method":"gallery.setDetails","params":{"draft":"d","#
        + #""description":"\#(text)"}}"# + "\n")
    shell.send(next)
    let refusal = try await shell.next()
    #expect(refusal["id"] == .null)
    #expect(refusal[pointer: "/error/data/kind"] == "frame.tooLarge")
    #expect(try await shell.answer(to: id)[pointer: "/result/accepted"] == true)
    #expect(shell.galleries.draft("d")?.title == "Lake")
    #expect(shell.galleries.draft("d")?.description == "")
  }
}

extension AccountRecord {
  /// One of many accounts.
  static func numbered(_ number: Int) -> AccountRecord {
    do {
      return AccountRecord(
        did: try DID("did:web:account-\(number).test"), handle: nil,
        displayName: "One of a thousand, number \(number)")
    } catch {
      preconditionFailure("no DID")
    }
  }
}

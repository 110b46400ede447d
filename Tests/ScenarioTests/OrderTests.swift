import GrainTestSupport
import ShellClient
import StrictJSON
import Testing

@Suite("What a shell sees, and when", .serialized)
struct OrderTests {
  @Test("an account and its drafts change in one frame, and an end comes after them (O5, O8, A30)")
  func oneFrame() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      var names: [String: JSONValue] = [:]
      for handle in ["alice.test", "bob.test"] {
        names[try await shell.signIn(handle)] = .string(handle)
        _ = try await shell.emptyDraft(title: handle)
      }
      let dids = names.keys.sorted()
      for did in dids + dids where try await shell.read("accounts")["active"]?.stringValue != did {
        let verdict = try await shell.call("accounts.switch", ["account": .string(did)])
        #expect(try await shell.ending(of: verdict).description == "succeeded")
      }
      for did in dids { try await shell.signOut(did) }
      try await core.end()

      let replay = Replay(shell.traffic.values)
      #expect(replay.faults == [])
      var ends: [String] = []
      for moment in replay.moments {
        guard let accounts = moment.states["accounts"], let drafts = moment.states["drafts"] else {
          continue
        }
        let active = accounts["active"]?.stringValue
        let titles = drafts["draft"]?.objectValue?.members.compactMap { $0.value["title"] } ?? []
        #expect(titles.allSatisfy { $0 == "" || $0 == active.flatMap { names[$0] } })
        // Nobody's drafts can be made, and somebody's always.
        #expect((drafts["can"] == []) == (active == nil))
        guard let ending = moment.ending else { continue }
        ends.append(ending)
        #expect(accounts["operation"] == nil)
        switch ending {
        case "login.submitHandle": #expect(accounts["session"] == "signedIn")
        case "accounts.switch": #expect(titles.count == 1)
        case "accounts.signOut":
          let left = 2 - ends.count { $0 == ending }
          #expect(accounts["accountOrder"]?.arrayValue?.count == left)
        default: break
        }
      }
      #expect(ends.filter { $0 == "accounts.switch" }.count >= 3)
      #expect(ends.filter { $0 == "accounts.signOut" }.count == 2)
    }
  }

  @Test("what is stored is shown whole in the first answer after a restart (A43)")
  func firstAnswer() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      try await first.shell.signIn()
      let draft = try await first.shell.emptyDraft(title: "Kept")
      try await first.end()
      let second = try await world.silentCore()
      try await second.shell.call("initialize", Shell.hello())
      #expect(try await second.shell.read("accounts")["session"] == "signedIn")
      #expect(try await second.shell.read("drafts")["draft"]?[draft]?["title"] == "Kept")
      #expect(try await second.shell.read("login")["phase"] == "signedIn")
      try await second.end()
    }
  }
}

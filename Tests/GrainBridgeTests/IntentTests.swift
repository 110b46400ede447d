import GrainBridge
import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Intents and their verdicts (§5)", .timeLimit(.minutes(3)))
struct IntentTests {
  @Test("a verdict names the first revisions with the change, and what only this intent answers")
  func accepted() async throws {
    let shell = try await Shell.begin()
    let made = try await shell.call("gallery.createDraft")
    let draft = try #require(made[pointer: "/result/draft"])
    #expect(
      made["result"] == [
        "accepted": true, "revisions": ["drafts": 2, "galleryPublish": 1], "draft": draft,
      ])
    let typed = try await shell.call("gallery.setDetails", ["draft": draft, "title": "Lake"])
    #expect(
      typed["result"] == ["accepted": true, "revisions": ["drafts": 3, "galleryPublish": 2]])
    let shown = try await shell.call("shell.setVisibility", ["visible": false])
    #expect(shown["result"] == ["accepted": true, "revisions": [:]])
  }

  @Test("a rejected intent leaves the state as it is and says what, and in which phase")
  func rejected() async throws {
    let shell = try await Shell.begin()
    try await shell.subscribe("l", to: "login")
    let refusal = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    #expect(refusal[pointer: "/error/code"] == 1001)
    #expect(
      refusal[pointer: "/error/data/details"]
        == ["intent": "login.submitHandle", "phase": "signedIn"])
    _ = try await shell.call("login.start")
    _ = try await shell.next("models/snapshot")
    let field = try await shell.call("login.submitHandle", ["handle": "not a handle"])
    #expect(field[pointer: "/error/code"] == 2001)
    #expect(field[pointer: "/error/data/field"] == "/handle")
    #expect(try await shell.finish() == [])
  }

  @Test("an equal intent joins what is running; another one is not possible then (1001)")
  func joining() async throws {
    let shell = try await Shell.begin { $0.accounts = .both }
    _ = try await shell.call("login.start")
    let first = try await shell.call("login.submitHandle", ["handle": "carol.test"])
    let operation = try #require(first[pointer: "/result/operation"])
    #expect(first[pointer: "/result/joined"] == nil)
    let again = try await shell.call("login.submitHandle", ["handle": "carol.test"])
    #expect(again[pointer: "/result/joined"] == true)
    #expect(again[pointer: "/result/operation"] == operation)
    let other = try await shell.call("login.submitHandle", ["handle": "dave.test"])
    #expect(other[pointer: "/error/code"] == 1001)
    await shell.accounts.gate.shut()
    let account: JSONObject = ["account": "did:web:bob.test"]
    let change = try await shell.call("accounts.switch", account)
    let same = try await shell.call("accounts.switch", account)
    #expect(same[pointer: "/result/joined"] == true)
    #expect(same[pointer: "/result/operation"] == change[pointer: "/result/operation"])
    await shell.accounts.gate.open()
    _ = try await shell.next("operations/ended")
    #expect(shell.signIn.attempts.count == 1)
  }

  @Test("a conditional intent runs only at the revision the person saw (-32801)")
  func conditional() async throws {
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice)
    func edit(_ revisions: JSONValue) async throws -> JSONValue {
      try await shell.call(
        "gallery.setDetails",
        ["draft": "d", "title": "x", "_meta": ["ifRevision": revisions]])
    }
    #expect(try await edit(["galleryPublish": 1])["result"] != nil)
    let stale = try await edit(["galleryPublish": 1])
    #expect(stale[pointer: "/error/code"] == -32801)
    #expect(stale[pointer: "/error/data/details/revision"] == 2)
    #expect(try await edit(["galleryPublish": 2, "login": 1])["result"] != nil)
    #expect(try await edit(["login": 2])[pointer: "/error/code"] == -32801)
    let unknown = try await edit(["feed": 2])
    #expect(unknown[pointer: "/error/data/field"] == "/_meta/ifRevision/feed")
    let unnamed = try await shell.call(
      "login.start", ["_meta": ["ifRevision": ["galleryPublish": 1]]])
    #expect(unnamed[pointer: "/error/data/field"] == "/_meta/ifRevision/galleryPublish")
    #expect(shell.galleries.draft("d")?.title == "x")
  }

  @Test("an intent sent as a notification is not executed, and the log says so (FB-C12)")
  func notification() async throws {
    let shell = try await Shell.begin()
    shell.notify("login.start")
    shell.notify("gallery.createDraft", ["bad": 1])
    let login = try await shell.call("models/get", ["model": "login"])
    #expect(login[pointer: "/result/state/phase"] == "signedIn")
    #expect(
      shell.logged.values == [
        #"error intent sent as a notification ["login.start"]"#,
        #"error intent sent as a notification ["gallery.createDraft"]"#,
      ])
  }

  @Test(
    "an unknown request is refused, an unknown notification is not answered",
    arguments: ["no.such", "models/none", "$/test/advance", "$/setTrace", "exit", "login"])
  func unknown(method: String) async throws {
    let shell = try await Shell.begin()
    #expect(try await shell.call(method)[pointer: "/error/code"] == -32601)
    if method != "exit" { shell.notify(method) }
    #expect(try await shell.finish() == [])
  }

  @Test("params that are null or left out are none; an array is refused (FB-C13)")
  func noParams() async throws {
    let shell = try await Shell.begin()
    for (id, rest) in [
      ("a", #""method":"login.start","params":null"#), ("b", #""method":"login.cancel""#),
    ] {
      shell.send(line: #"{"jsonrpc":"2.0","id":"\#(id)",\#(rest)}"#)
      let answer = try await shell.answer(to: .string(id))
      #expect(answer[pointer: "/result/accepted"] == true)
    }
    shell.send(line: #"{"jsonrpc":"2.0","id":"c","method":"login.start","params":[]}"#)
    let refusal = try await shell.answer(to: "c")
    #expect(refusal[pointer: "/error/code"] == -32602)
  }
}

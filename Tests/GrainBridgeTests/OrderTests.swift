import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("The order of things (§8)", .timeLimit(.minutes(3)))
struct OrderTests {
  @Test("messages are taken in their order, one whole before the next (O1, O2)")
  func order() async throws {
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice)
    try await shell.subscribe("s", to: "galleryPublish", draft: "d")
    let titles = (1...60).map { JSONValue.string("title \($0)") }
    let ids = shell.requests(
      titles.map { ("gallery.setDetails", ["draft": "d", "title": $0]) })
    var revisions: [JSONValue?] = []
    for id in ids {
      revisions.append(
        try await shell.answer(to: id)[pointer: "/result/revisions/galleryPublish"])
    }
    #expect(revisions == (2...61).map { JSONValue($0) })
    try await shell.wait("s") { $0["title"] == "title 60" }
  }

  @Test("a cancelled request that waited is answered as cancelled, in its turn (O2, O7)")
  func cancelled() async throws {
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice)
    await shell.galleries.saving.shut()
    let title: JSONObject = ["draft": "d", "title": "first"]
    let ids = shell.requests([
      ("gallery.setDetails", title), ("login.start", [:]), ("login.setHandle", ["handle": "a"]),
    ])
    await shell.galleries.saving.arrivals()
    for id in [ids[0], ids[1], ids[1], 99] { shell.notify("$/cancelRequest", ["id": id]) }
    _ = try await shell.call("ping")  // the reader has seen the cancels
    await shell.galleries.saving.open()
    var answers: [JSONValue] = []
    for id in ids { answers.append(try await shell.answer(to: id)) }
    #expect(answers[0]["result"] != nil)
    #expect(answers[1][pointer: "/error/data/kind"] == "request.cancelled")
    #expect(answers[2][pointer: "/error/data/kind"] == "intent.notAvailable")
    #expect(shell.galleries.draft("d")?.title == "first")
  }

  @Test(
    "nothing of an intent's change is seen before its verdict, and the first to be seen names it (O4)"
  )
  func verdictFirst() async throws {
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice)
    for model in ["drafts", "accounts"] { try await shell.subscribe(model, to: model) }
    try await shell.subscribe("s", to: "galleryPublish", draft: "d")
    await shell.galleries.reading.shut()
    let id = shell.request("gallery.setDetails", ["draft": "d", "title": "Lake"])
    await shell.galleries.reading.arrivals()  // saved; the list is being read
    _ = try await shell.call("ping")
    await shell.galleries.reading.open()
    let verdict = try await shell.next()
    #expect(verdict["id"] == id)
    #expect(verdict[pointer: "/result/revisions"] == ["drafts": 2, "galleryPublish": 2])
    for _ in 0..<2 {
      let snapshot = try await shell.next("models/snapshot")
      #expect(snapshot[pointer: "/params/causedBy"] == .array([id]))
      #expect(snapshot[pointer: "/params/revision"] == 2)
    }
    #expect(shell.state("s")?["title"] == "Lake")
    #expect(shell.state("drafts")?["draft"]?["d"]?["title"] == "Lake")
  }

  @Test("snapshots name the requests they come from, oldest first, those that joined too")
  func causes() async throws {
    let shell = try await Shell.begin { $0.accounts = .nobody }
    for model in ["login", "accounts"] { try await shell.subscribe(model, to: model) }
    let start = shell.request("login.start")
    #expect(try await shell.next("models/snapshot")[pointer: "/params/causedBy"] == .array([start]))
    let submit = shell.request("login.submitHandle", ["handle": "alice.test"])
    let resolving = try await shell.next("models/snapshot")
    #expect(resolving[pointer: "/params/causedBy"] == .array([submit]))
    await shell.signIn.step(.waitingForBrowser(.page))
    let waiting = try await shell.next("models/snapshot")
    #expect(waiting[pointer: "/params/causedBy"] == .array([submit]))
    let effect = try await shell.next("effects/perform")
    #expect(effect[pointer: "/params/causedBy"] == submit)
    let callback = shell.request("login.callback", ["callbackUrl": "com.example.grain:/callback"])
    _ = try await shell.answer(to: callback)
    shell.answer(effect, "callbackDelivered")
    await shell.signIn.step(.exchanging)
    let exchanging = try await shell.next("models/snapshot")
    #expect(exchanging[pointer: "/params/causedBy"] == .array([submit, callback]))
    shell.accounts.change { $0 = .alice }
    await shell.signIn.end(.success(.alice))
    let end = try await shell.next("operations/ended")
    #expect(end[pointer: "/params/causedBy"] == submit)
    #expect(end[pointer: "/params/revisions/login"]?.intValue == shell.revision("login"))
    shell.accounts.change { $0.accounts[0].displayName = "Alice" }
    let later = try await shell.next("models/snapshot")
    #expect(later[pointer: "/params/causedBy"] == [])
  }

  @Test("what others did while an intent waited for its turn is not its doing")
  func unrelated() async throws {
    let shell = try await Shell.begin()
    try await shell.subscribe("login", to: "login")
    try await shell.subscribe("accounts", to: "accounts")
    shell.accounts.change { $0.accounts[0].displayName = "Alice" }
    try await shell.wait("accounts") {
      $0[pointer: "/account/did:web:alice.test/displayName"] != nil
    }
    let id = shell.request("login.start")
    let verdict = try await shell.answer(to: id)
    #expect(verdict[pointer: "/result/revisions"] == ["login": 2])
  }

  @Test("a move in the account list is in the state its verdict names")
  func move() async throws {
    let shell = try await Shell.begin { $0.accounts = .both }
    try await shell.subscribe("a", to: "accounts")
    let id = shell.request("accounts.move", ["account": "did:web:alice.test"])
    #expect(try await shell.answer(to: id)[pointer: "/result/revisions"] == ["accounts": 2])
    let snapshot = try await shell.next("models/snapshot")
    #expect(snapshot[pointer: "/params/causedBy"] == .array([id]))
    #expect(snapshot[pointer: "/params/revision"] == 2)
    #expect(shell.state("a")?["accountOrder"] == ["did:web:bob.test", "did:web:alice.test"])
  }

  @Test("the state that explains an effect or an end comes first, whatever the pace (O5)")
  func stateFirst() async throws {
    let shell = try await Shell.begin { $0.accounts = .nobody }
    try await shell.subscribe("slow", to: "login", rate: 1)
    _ = try await shell.call("login.start")
    let verdict = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    await shell.signIn.step(.waitingForBrowser(.page))
    let effect = try await shell.next("effects/perform")
    #expect(shell.state("slow")?["phase"] == "waitingForBrowser")
    #expect(shell.state("slow")?["status"] == "waiting")
    #expect(shell.state("slow")?["operation"] == effect[pointer: "/params/operation"])
    await shell.signIn.end(.failure(.expired))
    let end = try await shell.next("operations/ended")
    #expect(end[pointer: "/params/operation"] == verdict[pointer: "/result/operation"])
    #expect(shell.state("slow")?["phase"] == "failed")
    #expect(shell.state("slow")?["problem"] == end[pointer: "/params/problem"])
    #expect(shell.state("slow")?["operation"] == nil)
  }

  @Test("when all is quiet the last snapshot is the state (O6)")
  func lastOne() async throws {
    let shell = try await Shell.begin()
    try await shell.subscribe("fast", to: "login")
    try await shell.subscribe("slow", to: "login", delivery: "full", rate: 1)
    _ = try await shell.call("login.start")
    for number in 1...50 {
      shell.request("login.setHandle", ["handle": .string("\(number)")])
    }
    _ = try await shell.finish()
    for key in ["fast", "slow"] { #expect(shell.state(key)?["handle"] == "50") }
  }

  @Test("a burst of requests keeps nobody else from the main actor (FB-C16)")
  func fairness() async throws {
    let shell = try await Shell.begin { $0.accounts = .nobody }
    _ = try await shell.call("login.start")
    let get: (String, JSONObject) = ("models/get", ["model": "login"])
    let ids = shell.requests(
      [("login.submitHandle", ["handle": "alice.test"])] + Array(repeating: get, count: 40)
        + [("login.cancel", [:])])
    #expect(try await shell.answer(to: ids[0])["result"] != nil)
    let end = try await shell.next("operations/ended")
    #expect(end[pointer: "/params/outcome"] == "cancelled")
    #expect(shell.signIn.attempts.count == 1)
  }
}

import ATSyntax
import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Operations (§5.1)", .timeLimit(.minutes(3)))
struct OperationTests {
  private func ready(_ draft: inout Draft) {
    draft.title = "Lake"
    for id in ["p1", "p2"] {
      draft.photos[id] = DraftPhoto(id: id, source: "/photos/\(id).jpg")
      draft.photoOrder.append(id)
    }
  }

  /// A session in which a draft is being sent.
  private func publishing() async throws -> (Shell, operation: JSONValue) {
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice, ready)
    try await shell.subscribe("s", to: "galleryPublish", draft: "d")
    let verdict = try await shell.call("gallery.publish", ["draft": "d"])
    await shell.galleries.begun("d")
    return (shell, try #require(verdict[pointer: "/result/operation"]))
  }

  @Test("an operation is named by its verdict and by the state, and ends once")
  func life() async throws {
    let (shell, operation) = try await publishing()
    try await shell.wait("s") { $0["operation"] == operation }
    #expect(shell.state("s")?["can"] == ["gallery.cancelPublish"])
    await shell.galleries.progress(
      "d", .uploading(done: 1, of: 2, sentBytes: 100, totalBytes: 200))
    try await shell.wait("s") { $0["percent"] == 75 }
    let uri = try ATURI("at://did:web:alice.test/social.grain.gallery/3lk2abc")
    await shell.galleries.end("d", .success(uri))
    let end = try await shell.next("operations/ended")["params"]
    #expect(end?["operation"] == operation)
    #expect(end?["intent"] == "gallery.publish")
    #expect(end?["outcome"] == "succeeded")
    #expect(shell.state("s")?["phase"] == "published")
    #expect(shell.state("s")?["publishedUri"] == .string(uri.rawValue))
    #expect(shell.state("s")?["operation"] == nil)
    #expect(end?[pointer: "/revisions/galleryPublish"]?.intValue == shell.revision("s"))
    let closed = try await shell.next("models/closed")["params"]
    #expect(closed == ["subscription": "s", "reason": "gone"])
    // Who had no subscription still learns where the gallery is.
    let gallery: JSONObject = ["model": "galleryPublish", "args": ["draft": "d"]]
    let last = try await shell.call("models/get", gallery)
    #expect(last[pointer: "/result/state/publishedUri"] == .string(uri.rawValue))
    let late = try await shell.call("operations/cancel", ["operation": operation])
    #expect(late["result"] == ["cancelling": false])
    #expect(try await shell.finish() == [])
  }

  @Test("the end names the revision that shows it, also when that was committed before")
  func revisions() async throws {
    let (shell, _) = try await publishing()
    await shell.galleries.end("d", .failure(.upload(number: 1, id: "p1", .remote(.offline))))
    let end = try await shell.next("operations/ended")["params"]
    #expect(end?["outcome"] == "failed")
    #expect(end?[pointer: "/problem/kind"] == "network.offline")
    #expect(end?[pointer: "/revisions/galleryPublish"]?.intValue == shell.revision("s"))
    #expect(shell.state("s")?["problem"] == end?["problem"])
  }

  @Test(
    "a publish can be cancelled in every phase before its end",
    arguments: [
      nil, .preparing(done: 1, of: 2),
      .uploading(done: 0, of: 2, sentBytes: 10, totalBytes: 200), .committing,
    ] as [PublishProgress?])
  func cancelPublish(phase: PublishProgress?) async throws {
    let (shell, operation) = try await publishing()
    if let phase { await shell.galleries.progress("d", phase) }
    let answer = try await shell.call("operations/cancel", ["operation": operation])
    #expect(answer["result"] == ["cancelling": true])
    let end = try await shell.next("operations/ended")["params"]
    #expect(end?["outcome"] == "cancelled")
    #expect(end?["problem"] == nil)
    #expect(shell.state("s")?["phase"] == "editing")
    #expect(shell.state("s")?["percent"] == nil)
    #expect(shell.galleries.draft("d")?.title == "Lake")
  }

  @Test("a publish cancelled before it began does not begin")
  func cancelAtOnce() async throws {
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice, ready)
    for _ in 0..<20 {
      let ids = shell.requests([
        ("gallery.publish", ["draft": "d"]), ("gallery.cancelPublish", ["draft": "d"]),
      ])
      #expect(try await shell.answer(to: ids[1])["result"] != nil)
      let end = try await shell.next("operations/ended")
      #expect(end[pointer: "/params/outcome"] == "cancelled")
    }
  }

  @Test("adding photographs can be cancelled between two of them")
  func cancelAdding() async throws {
    let shell = try await Shell.begin()
    shell.galleries.add("d", of: .alice)
    try await shell.subscribe("s", to: "galleryPublish", draft: "d")
    await shell.galleries.preparing.shut()
    let verdict = try await shell.call(
      "gallery.addPhotos", ["draft": "d", "files": [["path": "/a.jpg"], ["path": "/b.jpg"]]])
    let operation = try #require(verdict[pointer: "/result/operation"])
    await shell.galleries.preparing.arrivals()
    try await shell.wait("s") { $0[pointer: "/photoOrder"]?.arrayValue?.count == 2 }
    let answer = try await shell.call("operations/cancel", ["operation": operation])
    #expect(answer["result"] == ["cancelling": true])
    await shell.galleries.preparing.open()
    let end = try await shell.next("operations/ended")
    #expect(end[pointer: "/params/outcome"] == "cancelled")
    #expect(shell.state("s")?["status"] == "idle")
  }

  @Test(
    "a sign-in can be cancelled at every step",
    arguments: [
      nil, .resolving, .contacting(host: "pds.test"), .waitingForBrowser(.page), .exchanging,
    ] as [SignInStep?], ["operations/cancel", "login.cancel"])
  func cancelSignIn(step: SignInStep?, method: String) async throws {
    let shell = try await Shell.begin { $0.accounts = .nobody }
    try await shell.subscribe("l", to: "login")
    _ = try await shell.call("login.start")
    let verdict = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    let operation = try #require(verdict[pointer: "/result/operation"])
    if let step { await shell.signIn.step(step) }
    let params: JSONObject = method == "login.cancel" ? [:] : ["operation": operation]
    #expect(try await shell.call(method, params)["result"] != nil)
    let end = try await shell.next("operations/ended")["params"]
    #expect(end?["outcome"] == "cancelled")
    #expect(end?["operation"] == operation)
    #expect(shell.state("l")?["phase"] == "signedOut")
    #expect(shell.state("l")?["problem"] == nil)
  }

  @Test(
    "an operation nobody has begun cannot be cancelled (-32008)",
    arguments: [
      "op-9", "op-2", "op-0", "op--1", "op-01", "op-1 ", "op-", "1", "op-99999999999999999999",
    ])
  func unknown(operation: String) async throws {
    let (shell, begun) = try await publishing()
    #expect(begun == "op-1")
    let refusal = try await shell.call("operations/cancel", ["operation": .string(operation)])
    #expect(refusal[pointer: "/error/code"] == -32008)
    #expect(refusal[pointer: "/error/data/field"] == "/operation")
  }

  @Test(
    "what other models show of a sign-in before its end names its request, and the end names them")
  func seenEarlier() async throws {
    let shell = try await Shell.begin { $0.accounts = .nobody }
    for model in ["login", "accounts", "drafts"] { try await shell.subscribe(model, to: model) }
    _ = try await shell.call("login.start")
    let id = shell.request("login.submitHandle", ["handle": "alice.test"])
    await shell.signIn.step(.exchanging)
    shell.accounts.change { $0.session = .authenticating(over: nil) }
    let early = try await shell.first { $0[pointer: "/params/model"] == "accounts" }
    #expect(early[pointer: "/params/causedBy"] == .array([id]))
    shell.accounts.change { $0 = .alice }
    try await shell.wait("accounts") { $0["active"] == "did:web:alice.test" }
    await shell.signIn.end(.failure(.expired))
    let end = try await shell.next("operations/ended")
    for model in ["login", "accounts", "drafts"] {
      #expect(
        end[pointer: "/params/revisions/\(model)"]?.intValue == shell.revision(model), "\(model)")
    }
  }

  @Test("with several galleries open, the end names the one its intent named, and blames no other")
  func severalGalleries() async throws {
    let (shell, operation) = try await publishing()
    for other in ["e", "f"] {
      shell.galleries.add(other, of: .alice, ready)
      try await shell.subscribe(other, to: "galleryPublish", draft: other)
    }
    try await shell.subscribe("list", to: "drafts")
    for title in ["A", "B", "C"] {
      for other in ["e", "f"] {
        let id = shell.request(
          "gallery.setDetails", ["draft": .string(other), "title": .string(title)])
        let verdict = try await shell.answer(to: id)
        try await shell.wait(other) { $0["title"]?.stringValue == title }
        #expect(
          verdict[pointer: "/result/revisions/galleryPublish"]?.intValue == shell.revision(other))
      }
    }
    await shell.galleries.end("d", .failure(.upload(number: 1, id: "p1", .remote(.offline))))
    let end = try await shell.next("operations/ended")["params"]
    #expect(end?["operation"] == operation)
    #expect(end?[pointer: "/revisions/galleryPublish"]?.intValue == shell.revision("s"))
    #expect(shell.revision("s") != shell.revision("e"))
  }

  @Test("an edit beside a running publish names the edit alone")
  func editBeside() async throws {
    let (shell, _) = try await publishing()
    shell.galleries.add("e", of: .alice, ready)
    try await shell.subscribe("list", to: "drafts")
    let id = shell.request("gallery.setDetails", ["draft": "e", "title": "Beside"])
    let snapshot = try await shell.first { $0[pointer: "/params/subscription"] == "list" }
    #expect(snapshot[pointer: "/params/causedBy"] == .array([id]))
  }

  @Test(
    "an operation on accounts that is cancelled ends once, whatever it was doing (§14.12)",
    arguments: [
      ("accounts.switch", ["account": "did:web:bob.test"]),
      ("accounts.signOut", ["account": "did:web:bob.test"]),
      ("accounts.signOut", ["account": "did:web:alice.test"]),
      ("accounts.delete", ["account": "did:web:bob.test", "confirm": "did:web:bob.test"]),
      ("login.createAccount", [:]),
    ] as [(String, JSONObject)], [false, true])
  func cancelAccounts(intent: (String, JSONObject), isUnderWay: Bool) async throws {
    let shell = try await Shell.begin { $0.accounts = .both }
    await shell.accounts.gate.shut()
    let verdict = try await shell.call(intent.0, intent.1)
    let operation = try #require(verdict[pointer: "/result/operation"])
    if isUnderWay {
      if intent.0 == "accounts.switch" || intent.0 == "accounts.signOut" {
        await shell.accounts.gate.arrivals()
      } else {
        await shell.signIn.step(.waitingForBrowser(.page))
        _ = try await shell.next("effects/perform")
      }
    }
    let answer = try await shell.call("operations/cancel", ["operation": operation])
    #expect(answer["result"] == ["cancelling": true])
    await shell.accounts.gate.open()
    let end = try await shell.next("operations/ended")["params"]
    #expect(end?["operation"] == operation)
    #expect(["cancelled", "succeeded"].contains(end?["outcome"]?.stringValue))
    let late = try await shell.call("operations/cancel", ["operation": operation])
    #expect(late["result"] == ["cancelling": false])
    #expect(try await shell.finish().allSatisfy { $0["method"] != "operations/ended" })
  }

  @Test("a failed switch is told by the state and by the end")
  func failure() async throws {
    let shell = try await Shell.begin { $0.accounts = .both }
    try await shell.subscribe("a", to: "accounts")
    shell.accounts.failNext(.sessionExpired)
    _ = try await shell.call("accounts.switch", ["account": "did:web:bob.test"])
    let end = try await shell.next("operations/ended")["params"]
    #expect(end?[pointer: "/problem/kind"] == "account.sessionExpired")
    #expect(shell.state("a")?["problem"] == end?["problem"])
    #expect(shell.state("a")?["active"] == "did:web:alice.test")
  }

  // MARK: Progress

  @Test("progress comes at most ten times a second, never falls, and stops with the end")
  func progress() async throws {
    let (shell, operation) = try await publishing()
    let clock = ContinuousClock()
    let begin = clock.now
    for sent in 1...400 {
      await shell.galleries.progress(
        "d", .uploading(done: 0, of: 2, sentBytes: Int64(sent), totalBytes: 400))
    }
    await shell.galleries.end("d", .failure(.cancelled))
    let read = try await shell.until { $0["method"] == "operations/ended" }
    let seconds = begin.duration(to: clock.now) / .seconds(1)
    let values = read.filter { $0["method"] == "$/progress" }.compactMap { $0["params"] }
    #expect(!values.isEmpty)
    #expect(Double(values.count) <= seconds * 10 + 1)
    #expect(values.allSatisfy { $0["token"] == operation })
    #expect(values.first?[pointer: "/value/unit"] == "bytes")
    #expect(values.first?[pointer: "/value/total"] == 400)
    #expect(try await shell.finish().allSatisfy { $0["method"] != "$/progress" })
  }

  @Test("a shell that did not ask for progress gets none")
  func noProgress() async throws {
    var hello = JSONObject.hello
    hello["capabilities"] = ["progress": false]
    let shell = try await Shell.begin(hello)
    shell.galleries.add("d", of: .alice, ready)
    _ = try await shell.call("gallery.publish", ["draft": "d"])
    await shell.galleries.progress(
      "d", .uploading(done: 0, of: 2, sentBytes: 10, totalBytes: 400))
    await shell.galleries.end("d", .failure(.cancelled))
    let read = try await shell.until { $0["method"] == "operations/ended" }
    #expect(read.allSatisfy { $0["method"] != "$/progress" })
  }
}

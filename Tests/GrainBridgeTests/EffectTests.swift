import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Effects (§6)", .timeLimit(.minutes(3)))
struct EffectTests {
  /// A session in which a sign-in waits for the browser, and the effect that shows the page.
  private func waiting() async throws -> (Shell, effect: JSONValue) {
    let shell = try await Shell.begin { $0.accounts = .nobody }
    try await shell.subscribe("l", to: "login")
    _ = try await shell.call("login.start")
    return (shell, try await submit(shell))
  }

  private func submit(_ shell: Shell) async throws -> JSONValue {
    _ = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    await shell.signIn.step(.waitingForBrowser(.page))
    return try await shell.next("effects/perform")
  }

  @Test("an effect says all the shell needs, the scheme too (G4), and stays until it is answered")
  func pending() async throws {
    let (shell, effect) = try await waiting()
    #expect(effect["id"] == "c-1")
    #expect(
      effect["params"] == [
        "effect": "auth.present", "version": 1, "operation": "op-1", "causedBy": 4,
        "args": [
          "url": .string(BrowserRequest.page.url),
          "callback": ["via": "shell", "scheme": "com.example.grain", "path": "/callback"],
          "presentation": "webview", "ephemeral": true,
        ],
      ])
    let pending = try await shell.call("effects/pending")
    #expect(
      pending["result"] == ["pending": [["id": "c-1", "params": effect["params"] ?? .null]]])
    shell.answer(effect, "presented")
    #expect(try await shell.call("effects/pending")["result"] == ["pending": []])
    #expect(shell.state("l")?["phase"] == "waitingForBrowser")
    shell.answer(effect, "dismissed")  // a second answer is none
    let login = try await shell.call("models/get", ["model": "login"])
    #expect(login[pointer: "/result/state/phase"] == "waitingForBrowser")
  }

  @Test("a page whose answer we hear ourselves tells the shell only to open it")
  func viaCore() async throws {
    let shell = try await Shell.begin { $0.accounts = .nobody }
    _ = try await shell.call("login.start")
    _ = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    let page = BrowserRequest(url: "https://pds.test/a", host: "pds.test", callback: .core)
    await shell.signIn.step(.waitingForBrowser(page))
    let effect = try await shell.next("effects/perform")
    #expect(effect[pointer: "/params/args/callback"] == ["via": "core"])
  }

  @Test("a page the person closes ends the sign-in without a fuss")
  func dismissed() async throws {
    let (shell, effect) = try await waiting()
    shell.answer(effect, "dismissed")
    let end = try await shell.next("operations/ended")
    #expect(end[pointer: "/params/outcome"] == "cancelled")
    #expect(shell.state("l")?["phase"] == "signedOut")
    #expect(shell.state("l")?["problem"] == nil)
  }

  @Test(
    "an effect that fails fails the sign-in in its own words, and in no others",
    arguments: [
      (#""error":{"code":6001,"message":"no","data":{"kind":"effect.unsupported"}}"#, 6001),
      (#""error":{"code":6002,"message":"no","data":{"kind":"effect.failed"}}"#, 6002),
      (#""error":{"code":6003,"message":"no","data":{"kind":"effect.denied"}}"#, 6003),
      (#""error":{"code":6004,"message":"no","data":{"kind":"effect.busy"}}"#, 6004),
      (#""error":{"code":6003,"message":"no"}"#, 6003),
      (#""error":{"code":5001,"message":"no","data":{"kind":"store.locked"}}"#, 6002),
      (#""error":{"code":-32601,"message":"no"}"#, 6002),
      (#""error":"no""#, 6002), (#""result":null"#, 6002),
      (#""result":{"outcome":"exploded"}"#, 6002), (#""result":{}"#, 6002),
    ] as [(String, JSONValue)])
  func failing(answer: String, code: JSONValue) async throws {
    let (shell, _) = try await waiting()
    shell.send(line: #"{"jsonrpc":"2.0","id":"c-1",\#(answer)}"#)
    let end = try await shell.next("operations/ended")
    #expect(end[pointer: "/params/outcome"] == "failed")
    #expect(end[pointer: "/params/problem/code"] == code)
    #expect(shell.state("l")?["phase"] == "failed")
    #expect(shell.state("l")?["problem"] == end[pointer: "/params/problem"])
  }

  @Test("who cancels the sign-in has its page closed; a late answer is fine")
  func withdrawal() async throws {
    let (shell, effect) = try await waiting()
    shell.request("login.cancel")
    let read = try await shell.until { $0["method"] == "operations/ended" }
    #expect(read.last?[pointer: "/params/outcome"] == "cancelled")
    var withdrawn = read.first { $0["method"] == "$/cancelRequest" }
    if withdrawn == nil { withdrawn = try await shell.next("$/cancelRequest") }
    #expect(withdrawn?["params"] == ["id": effect["id"] ?? .null])
    #expect(try await shell.call("effects/pending")["result"] == ["pending": []])
    shell.answer(effect, "dismissed")
    _ = try await shell.call("login.start")
    #expect(try await submit(shell)["id"] == "c-2")
  }

  @Test("while a withdrawn page may still be open, no other is asked for")
  func oneModal() async throws {
    let (shell, effect) = try await waiting()
    _ = try await shell.call("login.cancel")
    _ = try await shell.next("$/cancelRequest")
    _ = try await shell.call("login.start")
    _ = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    await shell.signIn.step(.waitingForBrowser(.page))
    try await shell.wait("l") { $0["phase"] == "waitingForBrowser" }
    #expect(try await shell.call("effects/pending")["result"] == ["pending": []])
    shell.answer(effect, "dismissed")
    #expect(try await shell.next("effects/perform")["id"] == "c-2")
  }

  @Test("a shell that never answers a withdrawn effect is given two seconds")
  func noAnswer() async throws {
    let (shell, effect) = try await waiting()
    _ = try await shell.call("login.cancel")
    _ = try await shell.next("$/cancelRequest")
    _ = try await shell.call("login.start")
    _ = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    await shell.signIn.step(.waitingForBrowser(.page))
    await shell.clock.sleepers(atLeast: 1)
    await shell.clock.advance(by: .milliseconds(1_999))
    #expect(try await shell.call("effects/pending")["result"] == ["pending": []])
    await shell.clock.advance(by: .milliseconds(1))
    #expect(try await shell.next("effects/perform")["id"] == "c-2")
    shell.answer(effect, "presented")  // too late to mean anything
    let login = try await shell.call("models/get", ["model": "login"])
    #expect(login[pointer: "/result/state/phase"] == "waitingForBrowser")
  }

  @Test("a callback that belongs to nobody is refused and not echoed (2006)")
  func callback() async throws {
    let (shell, _) = try await waiting()
    shell.signIn.answerCallbacks(.unknown)
    let refusal = try await shell.call(
      "login.callback", ["callbackUrl": "com.example.grain:/callback?code=GRAINCANARY"])
    #expect(refusal[pointer: "/error/code"] == 2006)
    #expect(!refusal.text().contains("GRAINCANARY"))
    #expect(shell.signIn.delivered.count == 1)
  }
}

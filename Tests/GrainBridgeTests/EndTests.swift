import GrainBridge
import GrainServices
import GrainTestSupport
import JSONRPC
import StrictJSON
import Testing

@Suite("The end of a session (§3.3)", .timeLimit(.minutes(3)))
struct EndTests {
  /// A session with a sign-in that waits for its browser.
  private func waiting(
    _ change: (inout Shell.Setup) -> Void = { _ in }
  ) async throws -> Shell {
    let shell = try await Shell.begin {
      $0.accounts = .nobody
      change(&$0)
    }
    try await shell.subscribe("l", to: "login", rate: 1)
    _ = try await shell.call("login.start")
    _ = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    await shell.signIn.step(.waitingForBrowser(.page))
    _ = try await shell.next("effects/perform")
    return shell
  }

  @Test("shutdown stops the work, takes effects back, shows the last state, then answers")
  func shutdown() async throws {
    let shell = try await waiting()
    let id = shell.request("shutdown")
    let read = try await shell.until { $0["id"] == id && $0["method"] == nil }
    #expect(read.last?["result"] == [:])
    #expect(read.contains { $0["method"] == "$/cancelRequest" })
    let end = try #require(read.first { $0["method"] == "operations/ended" })
    #expect(end[pointer: "/params/outcome"] == "cancelled")
    #expect(shell.state("l")?["phase"] == "signedOut")
    for method in ["login.start", "models/subscribe", "no.such"] {
      #expect(try await shell.call(method)[pointer: "/error/code"] == -32004)
    }
    // Reading and taking back goes on; only new work is refused (bridge-protocol §3.3).
    let last = try await shell.call("models/get", ["model": "login"])
    #expect(last[pointer: "/result/state/phase"] == "signedOut")
    #expect(try await shell.call("effects/pending")["result"] == ["pending": []])
    #expect(try await shell.call("shutdown")["result"] == [:])
    shell.notify("exit")
    #expect(try await shell.rest() == [])
    #expect(await shell.reason == .stopped)
  }

  @Test("a shell that says shutdown and never exit is left after two seconds")
  func noExit() async throws {
    let shell = try await Shell.begin()
    _ = try await shell.call("shutdown")
    await shell.clock.sleepers(atLeast: 1)
    await shell.clock.advance(by: .seconds(2))
    #expect(try await shell.rest() == [])
    #expect(await shell.reason == .stopped)
  }

  @Test("exit without shutdown is an end like any other, and what comes after it is not read")
  func exit() async throws {
    let shell = try await waiting()
    shell.notify("exit")
    let read = try await shell.rest()
    #expect(read.contains { $0["method"] == "operations/ended" })
    #expect(shell.state("l")?["phase"] == "signedOut")
    #expect(await shell.reason == .stopped)
  }

  @Test("at the end of input all that was read is answered, and the last state is written")
  func endOfInput() async throws {
    let shell = try await Shell.connect()
    let ids = shell.requests(
      [
        ("initialize", .hello),
        ("models/subscribe", ["subscription": "s", "model": "login", "maxRateHz": 1]),
        ("login.start", [:]),
      ] + (0..<20).map { ("login.setHandle", ["handle": .string("\($0)")]) })
    let read = try await shell.finish()
    #expect(ids.allSatisfy { id in read.contains { $0["id"] == id && $0["result"] != nil } })
    #expect(shell.state("s")?["handle"] == "19")
    #expect(await shell.reason == .endOfInput)
  }

  @Test("the last line needs no line break (FB-C18)")
  func lastLine() async throws {
    let shell = try await Shell.begin()
    let start: JSONValue = ["jsonrpc": "2.0", "id": 2, "method": "login.start", "params": [:]]
    shell.send(start.text())
    shell.hangUp()
    _ = await shell.reason
    let last = shell.recorded.values.last
    #expect(last?.message["result"]?["accepted"] == true)
  }

  @Test("stop() ends a session like the end of input")
  func stopped() async throws {
    let shell = try await waiting()
    shell.bridge.stop()
    let read = try await shell.rest()
    #expect(read.contains { $0["method"] == "operations/ended" })
    #expect(await shell.reason == .stopped)
  }

  @Test("when nobody reads any more the work is put down, and nothing is written")
  func outputClosed() async throws {
    let closing = Turnstile(open: false)
    let shell = try await Shell.connect {
      $0.reads = false
      $0.closing = closing
    }
    shell.request("initialize", .hello)
    await closing.arrivals()
    await closing.open()
    #expect(await shell.reason == .outputClosed)
  }

  @Test("work that does not stop is left behind after two seconds")
  func stuckWork() async throws {
    let shell = try await Shell.begin { $0.accounts = .nobody }
    shell.signIn.ignoreCancellation()
    _ = try await shell.call("login.start")
    _ = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    await shell.signIn.begun()
    shell.hangUp()
    await shell.clock.sleepers(atLeast: 1)
    await shell.clock.advance(by: .seconds(2))
    _ = try await shell.rest()
    #expect(await shell.reason == .endOfInput)
    await shell.signIn.end(.failure(.cancelled))
  }

  @Test("work that does not stop does not keep shutdown from its answer")
  func stuckShutdown() async throws {
    let shell = try await Shell.begin { $0.accounts = .nobody }
    shell.signIn.ignoreCancellation()
    _ = try await shell.call("login.start")
    _ = try await shell.call("login.submitHandle", ["handle": "alice.test"])
    await shell.signIn.begun()
    let id = shell.request("shutdown")
    await shell.clock.sleepers(atLeast: 1)
    await shell.clock.advance(by: .seconds(2))
    #expect(try await shell.answer(to: id)["result"] == [:])
    await shell.signIn.end(.failure(.cancelled))
    shell.notify("exit")
    _ = try await shell.rest()
  }

  @Test("a core that never opens does not outlive its shell by more than two seconds")
  func stuckOpening() async throws {
    let opening = Turnstile(open: false)
    let shell = try await Shell.connect { $0.opening = opening }
    shell.request("initialize", .hello)
    await opening.arrivals()
    shell.hangUp()
    await shell.clock.sleepers(atLeast: 1)
    await shell.clock.advance(by: .seconds(2))
    #expect(try await shell.rest() == [])
    #expect(await shell.reason == .endOfInput)
    await opening.open()
  }

  @Test("a core that never closes does not keep the process")
  func stuckClosing() async throws {
    let closing = Turnstile(open: false)
    let shell = try await Shell.begin { $0.closing = closing }
    #expect(try await shell.finish() == [])
    await closing.arrivals()
    await shell.clock.sleepers(atLeast: 1)
    await shell.clock.advance(by: .seconds(20))
    #expect(await shell.reason == .endOfInput)
    await closing.open()
  }

  @Test("exit followed by the end of input at once ends cleanly, every time (FB-C14)")
  func races() async throws {
    for round in 0..<60 {
      let shell = try await Shell.connect { $0.accounts = .nobody }
      shell.request("initialize", .hello)
      shell.request("login.start")
      shell.request("login.submitHandle", ["handle": "alice.test"])
      if round.isMultiple(of: 2) { shell.notify("exit") }
      if round.isMultiple(of: 3) { shell.bridge.stop() }
      _ = try await shell.finish()
      let reason = await shell.reason
      #expect(reason == .stopped || reason == .endOfInput)
    }
  }
}

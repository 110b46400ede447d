import Foundation
import StrictJSON
import Testing

@testable import ShellClient

@Suite("A shell in Swift")
struct ShellClientTests {
  /// A core that is nothing but the far ends of two pipes: the test says what it would.
  private final class FakeCore: Sendable {
    let shell: ShellClient
    private let peer: ShellConnection

    init(effects: @escaping ShellClient.EffectHandler = { _ in .result([:]) }) {
      let (down, up) = (Pipe(), Pipe())
      shell = ShellClient(
        connection: ShellConnection(
          input: dup(up.fileHandleForReading.fileDescriptor),
          output: dup(down.fileHandleForWriting.fileDescriptor)), effects: effects)
      peer = ShellConnection(
        input: dup(down.fileHandleForReading.fileDescriptor),
        output: dup(up.fileHandleForWriting.fileDescriptor))
    }

    func write(_ message: JSONValue) throws { try peer.send(message) }

    /// The next message of the shell.
    func read() async throws -> JSONValue {
      for await message in peer.messages { return message }
      throw ShellError.ended
    }

    func hangUp() { peer.closeOutput() }
  }

  private func snapshot(
    _ revision: Int, _ member: (String, JSONValue), base: Int? = nil
  ) -> JSONValue {
    var params: JSONObject = ["subscription": "s", "revision": JSONValue(revision)]
    if let base { params["base"] = JSONValue(base) }
    params[member.0] = member.1
    return ["jsonrpc": "2.0", "method": "models/snapshot", "params": .object(params)]
  }

  @Test("answers find their requests, whatever their order")
  func correlation() async throws {
    let core = FakeCore()
    await core.shell.start()
    let first = Task { try await core.shell.call("a") }
    let firstRequest = try await core.read()
    let second = Task { try await core.shell.call("b") }
    let secondRequest = try await core.read()
    try core.write(["jsonrpc": "2.0", "id": secondRequest["id"] ?? .null, "result": ["n": 2]])
    try core.write(["jsonrpc": "2.0", "id": firstRequest["id"] ?? .null, "result": ["n": 1]])
    #expect(try await first.value["n"] == 1)
    #expect(try await second.value["n"] == 2)
  }

  @Test("a refusal carries the kind for programs and the words for people")
  func refusal() async throws {
    let core = FakeCore()
    await core.shell.start()
    let answer = Task { try await core.shell.call("a") }
    let request = try await core.read()
    try core.write([
      "jsonrpc": "2.0", "id": request["id"] ?? .null,
      "error": [
        "code": 1001, "message": "no",
        "data": ["kind": "intent.notAvailable", "message": ["fallback": "Not now."]],
      ],
    ])
    await #expect(
      throws: ShellError.refused(code: 1001, kind: "intent.notAvailable", words: "Not now.")
    ) { _ = try await answer.value }
  }

  @Test("patches are applied to the state they were made for, and to no other")
  func merging() async throws {
    let core = FakeCore()
    await core.shell.start()
    try core.write(snapshot(1, ("state", ["phase": "editing", "title": "a"])))
    try core.write(snapshot(2, ("merge", ["title": "b"]), base: 1))
    let merged = try await core.shell.wait("s") { $0["title"] == "b" }
    #expect(merged == ["phase": "editing", "title": "b"])
    // A patch for a revision this shell does not hold is ignored, and the whole state asked for, once
    // (bridge-protocol §4.3).
    try core.write(snapshot(9, ("merge", ["title": "x"]), base: 8))
    try core.write(snapshot(10, ("merge", ["title": "y"]), base: 9))
    let request = try await core.read()
    #expect(request["method"] == "models/resync")
    #expect(request["params"] == ["subscription": "s"])
    try core.write(snapshot(3, ("merge", ["phase": "published"]), base: 2))
    #expect(
      try await core.shell.wait("s") { $0["phase"] == "published" }
        == ["phase": "published", "title": "b"])
  }

  @Test("an effect is answered under its own id")
  func effects() async throws {
    let core = FakeCore { params in
      params["effect"] == "url.open"
        ? .result(["outcome": "opened"]) : .error(code: 6001, kind: "effect.unsupported")
    }
    await core.shell.start()
    try core.write([
      "jsonrpc": "2.0", "id": "c-1", "method": "effects/perform",
      "params": ["effect": "url.open"],
    ])
    let answer = try await core.read()
    #expect(answer["id"] == "c-1")
    #expect(answer["result"]?["outcome"] == "opened")
  }

  @Test("a refused request for the whole state is made again with the next gap")
  func resyncRefused() async throws {
    let core = FakeCore()
    await core.shell.start()
    try core.write(snapshot(1, ("state", ["n": 1])))
    for round in 0..<2 {
      try core.write(snapshot(9 + round, ("merge", ["n": 9]), base: 8 + round))
      let request = try await core.read()
      #expect(request["method"] == "models/resync")
      if round == 0 {
        try core.write([
          "jsonrpc": "2.0", "id": request["id"] ?? .null,
          "error": ["code": -32005, "message": "no", "data": ["kind": "protocol.overloaded"]],
        ])
        // Answered, and the answer taken: two requests of the shell's own are.
        let call = Task { try await core.shell.call("ping") }
        let ping = try await core.read()
        try core.write(["jsonrpc": "2.0", "id": ping["id"] ?? .null, "result": [:]])
        _ = try await call.value
        for _ in 0..<100 { await Task.yield() }
      } else {
        try core.write(snapshot(12, ("state", ["n": 12])))
      }
    }
    #expect(try await core.shell.wait("s") { $0["n"] == 12 } == ["n": 12])
  }

  @Test(
    "a subscription that the core closes ends its waits; its last state stays, a new one begins anew"
  )
  func closed() async throws {
    let core = FakeCore()
    await core.shell.start()
    try core.write(snapshot(1, ("state", ["phase": "published"])))
    let waiting = Task { try await core.shell.wait("s") { $0["phase"] == "editing" } }
    try await core.shell.wait("s") { $0["phase"] == "published" }
    try core.write([
      "jsonrpc": "2.0", "method": "models/closed",
      "params": ["subscription": "s", "reason": "gone"],
    ])
    await #expect(throws: ShellError.closed(reason: "gone")) { _ = try await waiting.value }
    #expect(await core.shell.closing("s") == "gone")
    #expect(await core.shell.state("s") == ["phase": "published"])
    let again = Task { try await core.shell.call("models/subscribe", ["subscription": "s"]) }
    let request = try await core.read()
    try core.write(["jsonrpc": "2.0", "id": request["id"] ?? .null, "result": [:]])
    _ = try await again.value
    #expect(await core.shell.closing("s") == nil)
    #expect(await core.shell.state("s") == nil)
    try core.write(snapshot(1, ("state", ["phase": "editing"])))
    try await core.shell.wait("s") { $0["phase"] == "editing" }
  }

  @Test("both descriptors are closed once: by the shell, by the end of the core, in any order")
  func descriptors() async throws {
    let (down, up) = (Pipe(), Pipe())
    let output = dup(down.fileHandleForWriting.fileDescriptor)
    let connection = ShellConnection(
      input: dup(up.fileHandleForReading.fileDescriptor), output: output)
    try down.fileHandleForWriting.close()
    try up.fileHandleForWriting.close()
    for await _ in connection.messages {}
    // The far end hears of it, whoever was first.
    #expect(down.fileHandleForReading.readDataToEndOfFile().isEmpty)
    #expect(throws: ShellError.ended) { try connection.send(["jsonrpc": "2.0"]) }
    // The number is another file's now, and stays open.
    let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
    connection.closeOutput()
    connection.closeOutput()
    #expect(fcntl(other, F_GETFD) >= 0)
    close(other)
  }

  @Test("when the core ends, everybody who waits learns it")
  func coreEnds() async throws {
    let core = FakeCore()
    await core.shell.start()
    let waiting = Task { try await core.shell.wait("s") { _ in true } }
    let ending = Task { try await core.shell.ending(of: "op-1") }
    core.hangUp()
    await #expect(throws: ShellError.ended) { _ = try await waiting.value }
    await #expect(throws: ShellError.ended) { _ = try await ending.value }
    await #expect(throws: ShellError.ended) { try await core.shell.call("a") }
  }
}

import GrainBridge
import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Recording a session (§10, §13)", .timeLimit(.minutes(3)))
struct RecordingTests {
  private let secret = "com.example.grain:/callback?state=s&code=GRAINCANARY"

  private func session(keepingPrivate: Bool) async throws -> Shell {
    let shell = try await Shell.begin {
      $0.options.recordsPrivate = keepingPrivate
    }
    shell.galleries.add("d", of: .alice)
    try await shell.subscribe("s", to: "galleryPublish", draft: "d", delivery: "full")
    _ = try await shell.call(
      "gallery.addPhotos", ["draft": "d", "files": [["path": "/home/alice/lake.jpg"]]])
    _ = try await shell.next("operations/ended")
    _ = try await shell.call("login.start")
    _ = try await shell.call("login.submitHandle", ["handle": "carol.test"])
    await shell.signIn.step(.waitingForBrowser(.page))
    let effect = try await shell.next("effects/perform")
    _ = try await shell.call("login.callback", ["callbackUrl": .string(secret)])
    _ = try await shell.call("login.callback", ["callbackURL": .string(secret)])
    _ = try await shell.call("login.callback", ["url": [.string(secret), ["a": .string(secret)]]])
    shell.answer(effect, "callbackDelivered")
    await shell.signIn.end(.failure(.expired))
    _ = try await shell.next("operations/ended")
    _ = try await shell.finish()
    return shell
  }

  @Test("a recording holds every message as a step, and no secret and nothing private")
  func redacted() async throws {
    let shell = try await session(keepingPrivate: false)
    let steps = shell.recorded.values
    #expect(steps.allSatisfy { $0.message["jsonrpc"] == nil })
    let text = steps.map { JSONValue.object($0.message).text() }.joined(separator: "\n")
    #expect(!text.contains("GRAINCANARY"))
    #expect(!text.contains("/home/alice"))
    #expect(!text.contains("request_uri"))
    #expect(text.contains(#""callbackUrl":"$secret:callbackUrl""#))
    #expect(text.contains(#""callbackURL":"$secret:callbackUrl""#))
    #expect(text.contains(#""path":"$private:path""#))
    #expect(text.contains(#""uri":"$private:uri""#))
    #expect(text.contains(#""url":"$private:url""#))
    #expect(text.contains(#""path":"/callback""#))
    #expect(text.contains(#""token":"op-1""#) || !text.contains("$/progress"))
    let directions = steps.prefix(2).map(\.step)
    #expect(directions == ["send", "expect"])
    #expect(steps.contains { $0.step == "answer" && $0.message["id"] == "c-1" })
    #expect(steps.filter { $0.step == "send" }.allSatisfy { $0.message["method"] != nil })
  }

  @Test("in the test profile what is private stays, so that digests fit; secrets never do")
  func privateKept() async throws {
    let shell = try await session(keepingPrivate: true)
    let text = shell.recorded.values.map { JSONValue.object($0.message).text() }.joined()
    #expect(!text.contains("GRAINCANARY"))
    #expect(text.contains("/home/alice/lake.jpg"))
    #expect(text.contains("request_uri"))
  }

  @Test("an address with a code is hidden wherever a shell has put it: value, key, method, id")
  func anywhere() async throws {
    let shell = try await Shell.begin { $0.options.recordsPrivate = true }
    _ = try await shell.call(secret)
    _ = try await shell.call("login.start", [secret: 1])
    _ = try await shell.call("login.start", ["a": [[secret: ["b": .string(secret)]]]])
    shell.notify(secret, ["c": .string("?state=GRAINCANARY")])
    shell.send(["jsonrpc": "2.0", "id": "code=GRAINCANARY", "method": "ping"])
    _ = try await shell.finish()
    let text = shell.recorded.values.map { JSONValue.object($0.message).text() }.joined()
    #expect(!text.contains("GRAINCANARY"))
    #expect(text.contains(#""method":"$secret:callbackUrl""#))
    #expect(text.contains(#""$secret:callbackUrl":1"#))
  }

  @Test("a name nobody would give a member or a method is hidden; one that looks like a name stays")
  func names() async throws {
    let shell = try await Shell.begin { $0.options.recordsPrivate = true }
    let token = "eyJhbGciOiJFUzI1NiJ9GRAINCANARY"
    _ = try await shell.call(token)
    _ = try await shell.call("feed.open", ["accent": 1, token: ["https://x.test/\(token)": 2]])
    _ = try await shell.call("login.submitToken", ["Token": .string(token), "server": "x.test"])
    _ = try await shell.call("devices.setPush", ["account": "a", "key": [.string(token)]])
    _ = try await shell.call("models/get", ["model": "login", "args": [token: "a"]])
    _ = try await shell.finish()
    let text = shell.recorded.values.map { JSONValue.object($0.message).text() }.joined()
    #expect(!text.contains("GRAINCANARY"))
    #expect(text.contains(#""method":"$secret:name""#))
    #expect(text.contains(#"{"accent":1,"$secret:name":{"$secret:name":2}}"#))
    #expect(text.contains(#"{"Token":"$secret:token","server":"x.test"}"#))
    #expect(text.contains(#"{"account":"a","key":["$secret:token"]}"#))
  }

  @Test("a line that is no message is not recorded; its refusal is")
  func noMessage() async throws {
    let shell = try await Shell.connect()
    shell.send(line: "GRAINCANARY")
    let refusal = try await shell.next()
    #expect(refusal[pointer: "/error/code"] == -32700)
    _ = try await shell.finish()
    #expect(shell.recorded.values.map(\.step) == ["expect"])
  }
}

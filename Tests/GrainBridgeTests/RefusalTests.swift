import GrainTestSupport
import StrictJSON
import Testing

@Suite("What the connection refuses is worded by the registry (§§1, 2, 7)", .timeLimit(.minutes(3)))
struct RefusalTests {
  @Test(
    "every kind of bad input has its error, and the session goes on",
    arguments: [
      ("not json", -32700, "frame.invalidJson"), (#"{"a":"\ud800"}"#, -32700, "frame.invalidJson"),
      (#"{"a":1,"a":2}"#, -32600, "frame.duplicateKey"), ("42", -32600, "rpc.notAnObject"),
      ("[]", -32600, "rpc.batch"), (#"{"id":9}"#, -32600, "rpc.invalidRequest"),
      (#"{"jsonrpc":"2.0","id":-1,"method":"ping"}"#, -32600, "rpc.badId"),
      (#"{"jsonrpc":"2.0","id":9,"method":"ping","params":[]}"#, -32602, "rpc.invalidParams"),
      (String(repeating: "[", count: 80), -32600, "frame.tooDeep"),
    ] as [(String, JSONValue, JSONValue)])
  func badInput(line: String, code: JSONValue, kind: JSONValue) async throws {
    let shell = try await Shell.begin()
    shell.send(line: line)
    let refusal = try await shell.next()
    #expect(refusal[pointer: "/error/code"] == code)
    #expect(refusal[pointer: "/error/data/kind"] == kind)
    #expect(try await shell.call("ping")["result"] != nil)
  }

  @Test("a line over a mebibyte is passed over and refused (FB-C8)")
  func tooLarge() async throws {
    let shell = try await Shell.begin()
    shell.send(line: #"{"a":""# + String(repeating: "x", count: 1_048_576) + #""}"#)
    let refusal = try await shell.next()
    #expect(refusal[pointer: "/error/code"] == -32600)
    #expect(refusal[pointer: "/error/data/kind"] == "frame.tooLarge")
    #expect(try await shell.call("ping")["result"] != nil)
  }

  @Test("of more than 64 requests at once the rest is told to come again (-32005)")
  func overload() async throws {
    let shell = try await Shell.begin()
    let busy = await BusyMainActor()
    let ids = shell.requests(Array(repeating: ("models/get", ["model": "login"]), count: 70))
    for id in ids.suffix(6) {
      let refusal = try await shell.answer(to: id)
      #expect(refusal[pointer: "/error/code"] == -32005)
      #expect(refusal[pointer: "/error/data/retryable"] == true)
      #expect(refusal[pointer: "/error/data/retryAfterMs"] == 250)
    }
    await busy.free()
    for id in ids.prefix(64) { #expect(try await shell.answer(to: id)["result"] != nil) }
  }

  @Test("an id in use names the request it belongs to, which is answered all the same")
  func duplicateID() async throws {
    let shell = try await Shell.begin()
    let busy = await BusyMainActor()
    let id = shell.request("models/get", ["model": "login"])
    shell.send(line: #"{"jsonrpc":"2.0","id":\#(id.text()),"method":"ping"}"#)
    let refusal = try await shell.next()
    #expect(refusal["id"] == .null)
    #expect(refusal[pointer: "/error/data/kind"] == "rpc.duplicateId")
    #expect(refusal[pointer: "/error/data/details/requestId"] == id)
    await busy.free()
    #expect(try await shell.answer(to: id)["result"] != nil)
  }

  @Test(
    "a name a stranger made up, maybe an address with a code, is repeated nowhere: the place of what it is in is",
    arguments: [
      "https://x.test/cb?code=GRAINCANARY", "eyJhbGciOiJFUzI1NiJ9GRAINCANARY", "GRAINCANARY-1234",
    ])
  func strangeNames(name: String) async throws {
    let shell = try await Shell.connect()
    let strange: JSONObject = [name: 1]
    let hello = JSONObject.hello
    func changed(_ member: String, _ value: JSONValue) -> JSONObject {
      var hello = hello
      hello[member] = value
      return hello
    }
    let effects: JSONValue = ["effects": [name: ["version": "1"]]]
    let before: [(String, JSONObject, JSONValue)] = [
      ("ping", strange, ""),
      ("initialize", changed("capabilities", effects), "/capabilities/effects"),
      (
        "initialize", changed("capabilities", ["effects": [name: 1]]), "/capabilities/effects"
      ),
    ]
    let after: [(String, JSONObject, JSONValue?)] = [
      ("login.start", strange, ""), ("effects/pending", strange, ""),
      ("models/get", ["model": "login", "args": [name: "a"]], "/args"),
      ("models/get", ["model": "login", "args": [name: 1]], "/args"),
      ("login.start", ["_meta": [name: [:]]], "/_meta"),
      ("login.start", ["_meta": ["ifRevision": [name: 1]]], "/_meta/ifRevision"),
      ("login.start", ["_meta": ["ifRevision": [name: "1"]]], "/_meta/ifRevision"),
      ("gallery.addPhotos", ["draft": "d", "files": [["path": "/a", name: 1]]], "/files/0"),
      ("login.start", [name: .string(String(repeating: "a", count: 262_145))], ""),
      (name, [:], nil),
    ]
    func expect(_ method: String, _ params: JSONObject, _ place: JSONValue?) async throws {
      let refusal = try await shell.call(method, params)
      #expect(refusal["error"] != nil, "\(method)")
      #expect(refusal[pointer: "/error/data/field"] == place, "\(method)")
      #expect(!refusal.text().contains("GRAINCANARY"))
    }
    for (method, params, place) in before { try await expect(method, params, place) }
    #expect(try await shell.call("initialize", hello)["result"] != nil)
    for (method, params, place) in after { try await expect(method, params, place) }
    shell.notify(name, strange)
    _ = try await shell.finish()
    #expect(!shell.logged.values.joined().contains("GRAINCANARY"))
  }
}

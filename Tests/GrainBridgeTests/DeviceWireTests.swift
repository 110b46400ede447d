import GrainBridge
import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Other providers on the wire", .timeLimit(.minutes(3)))
struct DeviceWireTests {
  private static let account = JSONValue.string(AccountID.paula.rawValue)

  private func begin() async throws -> Shell {
    let shell = try await Shell.begin {
      $0.accounts = .three
      $0.offers = ProviderOffer.all
    }
    shell.devices.entries = [.desk, .script]
    return shell
  }

  private func subscribe(_ shell: Shell, to account: JSONValue) async throws -> JSONValue {
    try await shell.call(
      "models/subscribe",
      ["subscription": "d", "model": "devices", "args": ["account": account]])
  }

  @Test("a list of devices is an instance of its account, and ends when that is hidden (A30)")
  func instance() async throws {
    let shell = try await begin()
    #expect(try await subscribe(shell, to: Self.account)["result"]?["revision"] == 1)
    try await shell.wait("d") { $0["phase"] == "ready" }
    #expect(shell.state("d")?["incomplete"] == true)
    #expect(shell.state("d")?["clientOrder"] == ["c-1", "c-2"])

    let revision = try #require(shell.revision("d"))
    let stale = try await shell.call(
      "devices.revoke",
      [
        "account": Self.account, "client": "c-2", "_meta": ["ifRevision": ["devices": 1]],
      ])
    #expect(stale[pointer: "/error/data/kind"] == "intent.stale")
    let verdict = try await shell.call(
      "devices.revoke",
      [
        "account": Self.account, "client": "c-2",
        "_meta": ["ifRevision": ["devices": JSONValue(revision)]],
      ])
    #expect(verdict[pointer: "/result/revisions/devices"] == JSONValue(revision + 1))
    let ended = try await shell.next("operations/ended")
    #expect(ended[pointer: "/params/outcome"] == "succeeded")
    #expect(ended[pointer: "/params/intent"] == "devices.revoke")
    #expect(shell.state("d")?["clientOrder"] == ["c-1"])

    shell.request("accounts.switch", ["account": "did:web:alice.test"])
    let closed = try await shell.next("models/closed")
    #expect(closed["params"] == ["subscription": "d", "reason": "signedOut"])
    _ = try await shell.next("operations/ended")
    let refused = try await subscribe(shell, to: Self.account)
    #expect(refused[pointer: "/error/data/kind"] == "intent.notAvailable")
    #expect(refused[pointer: "/error/data/field"] == "/args/account")
    _ = try await shell.finish()
  }

  @Test(
    "what has no such list says so at the argument",
    arguments: [
      ("did:web:alice.test", "intent.notAvailable"), ("pixiv:77", "intent.notAvailable"),
      ("platrium:nowhere.test:u", "account.unknown"),
    ])
  func none(account: String, kind: String) async throws {
    let shell = try await begin()
    let refused = try await subscribe(shell, to: .string(account))
    #expect(refused[pointer: "/error/data/kind"] == .string(kind))
    #expect(refused[pointer: "/error/data/field"] == "/args/account")
    let intent = try await shell.call("devices.refresh", ["account": .string(account)])
    #expect(intent[pointer: "/error/data/field"] == "/account")
    let nameless = try await shell.call(
      "models/subscribe", ["subscription": "d", "model": "devices"])
    #expect(nameless[pointer: "/error/data/field"] == "/args/account")
  }

  @Test("params are held to their schemas: unknown members, wrong words, half a device")
  func params() async throws {
    let shell = try await begin()
    let device: JSONValue = ["name": "Desk", "platform": "LINUX"]
    for (method, params, field) in [
      ("login.start", ["provider": "myspace"], "/provider"),
      ("login.submit", ["grant": "smoke"], "/grant"),
      ("login.submit", ["device": ["name": "Desk"]], "/device/platform"),
      ("login.submit", ["device": device, "server": ""], "/server"),
      ("login.submitToken", [:], "/token"),
      ("login.submitToken", ["token": "t", "tokens": "t"], "/tokens"),
      ("login.createAccount", ["provider": "pixiv"], "/provider"),
      ("devices.revoke", ["account": Self.account], "/client"),
      ("devices.setPush", ["account": Self.account, "transport": "PIGEON"], "/transport"),
      ("devices.setPush", ["account": Self.account], "/transport"),
    ] as [(String, JSONObject, String)] {
      let refused = try await shell.call(method, params)
      #expect(refused[pointer: "/error/data/field"] == .string(field), "\(method)")
    }
  }

  @Test("a pasted token and a push token are said to nobody, and recorded as names (§10)")
  func secrets() async throws {
    let shell = try await begin()
    let canary = "plt_GRAINCANARY-\(String(repeating: "x", count: 43))"
    _ = try await subscribe(shell, to: Self.account)
    try await shell.wait("d") { $0["phase"] == "ready" }
    shell.devices.fail(.forbidden(detail: nil))
    _ = try await shell.call(
      "devices.setPush",
      ["account": Self.account, "transport": "FCM", "token": .string(canary)])
    _ = try await shell.next("operations/ended")
    _ = try await shell.call("login.start", ["provider": "platrium"])
    _ = try await shell.call(
      "login.submitToken", ["server": "platrium.test", "token": .string(canary)])
    await shell.signIn.end(.failure(.tokenInvalid(host: "platrium.test")))
    _ = try await shell.next("operations/ended")
    _ = try await shell.call(
      "login.submitToken", ["server": "platrium.test", "token": "GRAINCANARY, no token"])
    for message in try await shell.finish() { #expect(!message.text().contains("CANARY")) }
    let recorded = shell.recorded.values.map { JSONValue.object($0.message).text() }
    #expect(recorded.allSatisfy { !$0.contains("CANARY") })
    #expect(recorded.count { $0.contains("$secret:token") } == 3)
    #expect(shell.logged.values.allSatisfy { !$0.contains("CANARY") })
  }
}

import Foundation
import GrainCore
import GrainTestSupport
import ShellClient
import StrictJSON
import SystemClients
import Testing

@Suite("A locked key store", .serialized)
struct KeyringTests {
  private static let effect: JSONObject = ["keyring.unlock": ["version": 1]]

  /// A store with Alice in it, whose key lies in a key store that is locked by now.
  private func locked(
    _ world: World, _ keyring: ScriptedKeyStore
  ) async throws -> (core: CoreSession, alice: String) {
    let first = try await world.core(keys: try keyring.places)
    let alice = try await first.shell.signIn()
    try await first.end()
    keyring.isLocked = true
    return (try await world.silentCore(keys: try keyring.places), alice)
  }

  @Test("is unlocked with the shell's help at the start, and the accounts are there (FB-E6)")
  func unlocked() async throws {
    try await World.run { (world) async throws -> Void in
      let keyring = ScriptedKeyStore()
      let (core, alice) = try await locked(world, keyring)
      let shell = core.shell
      shell.browser.onLockedKeyring {
        keyring.isLocked = false
        return "unlocked"
      }
      try await shell.call("initialize", Shell.hello(more: Self.effect))
      try await shell.subscribe()
      let accounts = try await shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      #expect(accounts["active"]?.stringValue == alice)
      #expect(accounts["problem"] == nil)

      let sent = shell.traffic.values.filter { $0.direction == .received }.map(\.json)
      let asked = try #require(sent.firstIndex { $0["method"] == "effects/perform" })
      let params = sent[asked]["params"]
      #expect(params?["effect"] == "keyring.unlock")
      #expect(params?["args"] == ["reason": "keyring.locked"])
      #expect(params?["origin"] == "resume")
      #expect(params?["causedBy"] == nil)
      // Not before the shell has the answer to its hello.
      #expect(sent[..<asked].contains { $0["result"]?["protocolVersion"] != nil })
      let operation = try #require(params?["operation"]?.stringValue)
      let ending = try await shell.ending(of: ["operation": .string(operation)])
      #expect(ending.description == "succeeded")
      try await core.end()
    }
  }

  @Test(
    "that stays locked keeps the accounts restoring, with a way to try again",
    arguments: [("dismissed", "cancelled"), ("unavailable", "failed keyring.unavailable")])
  func staysLocked(outcome: String, ending: String) async throws {
    try await World.run { (world) async throws -> Void in
      let keyring = ScriptedKeyStore()
      let (core, alice) = try await locked(world, keyring)
      let shell = core.shell
      let asked = Recorder<String>()
      shell.browser.onLockedKeyring {
        asked.record("asked")
        return .string(outcome)
      }
      try await shell.call("initialize", Shell.hello(more: Self.effect))
      try await shell.subscribe()
      #expect(try await shell.ending(of: ["operation": "op-1"]).description == ending)
      let accounts = try await shell.read("accounts")
      #expect(accounts["session"] == "restoring")
      #expect(accounts["phase"] == "restoring")
      #expect(accounts["status"] == "waiting")
      #expect(accounts["problem"]?["kind"] == "keyring.locked")
      #expect(accounts["sessionReason"]?["key"] == "keyring.locked")
      #expect(accounts["can"] == ["accounts.unlock"])
      #expect(try await shell.refusal("login.start").kind == "intent.notAvailable")
      // Once, unless somebody asks.
      #expect(asked.values.count == 1)

      shell.browser.onLockedKeyring {
        keyring.isLocked = false
        return "unlocked"
      }
      let again = try await shell.ending(of: try await shell.call("accounts.unlock"))
      #expect(again.description == "succeeded")
      let restored = try await shell.read("accounts")
      #expect(restored["active"]?.stringValue == alice)
      #expect(restored["can"]?.arrayValue?.contains("accounts.unlock") == false)
      #expect(try await shell.refusal("accounts.unlock").kind == "intent.notAvailable")
      try await core.end()
    }
  }

  @Test("is tried again without help by a shell that can give none")
  func withoutEffect() async throws {
    try await World.run { (world) async throws -> Void in
      let keyring = ScriptedKeyStore()
      let (core, alice) = try await locked(world, keyring)
      let shell = core.shell
      try await shell.initialize()
      #expect(try await shell.read("accounts")["can"] == ["accounts.unlock"])
      let inVain = try await shell.ending(of: try await shell.call("accounts.unlock"))
      #expect(inVain.description == "failed keyring.locked")
      keyring.isLocked = false
      let ending = try await shell.ending(of: try await shell.call("accounts.unlock"))
      #expect(ending.description == "succeeded")
      #expect(try await shell.read("accounts")["active"]?.stringValue == alice)
      #expect(!shell.traffic.values.contains { $0.json["params"]?["effect"] == "keyring.unlock" })
      try await core.end()
    }
  }

  @Test(
    "of the real kind: the core waits while it is locked, and goes on once it is open (FB-E6)",
    .enabled(if: PrivateBus.isPossible, Comment(rawValue: PrivateBus.skipReason)))
  func real() async throws {
    try await World.run { (world) async throws -> Void in
      let bus = try PrivateBus()
      let places = try KeyPlaces(command: nil, usesDesktop: true, environment: bus.environment)
      try await bus.startKeyring(unlocked: true)
      let first = try await world.core(keys: places)
      let alice = try await first.shell.signIn()
      try await first.end()
      #expect(!FileManager.default.fileExists(atPath: "\(world.dataFolder)/vault.key"))

      // The next desktop session begins with the key store locked.
      bus.stopKeyring()
      try await bus.startKeyring(unlocked: false)
      let core = try await world.silentCore(keys: places)
      core.shell.browser.onLockedKeyring {
        bus.stopKeyring()
        try await bus.startKeyring(unlocked: true)
        return "unlocked"
      }
      try await core.shell.call("initialize", Shell.hello(more: Self.effect))
      try await core.shell.subscribe()
      let accounts = try await core.shell.wait("accounts", "restored") {
        $0["session"] == "signedIn"
      }
      #expect(accounts["active"]?.stringValue == alice)
      #expect(
        core.shell.traffic.values.contains { $0.json["params"]?["effect"] == "keyring.unlock" })
      try await core.end()
    }
  }
}

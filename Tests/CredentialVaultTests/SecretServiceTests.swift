import CredentialVault
import Foundation
import GrainTestSupport
import OpenSSLCrypto
import SystemClients
import Testing

/// A stand-in for `secret-tool` 0.20.5 that behaves as measured.
private final class StandIn: Sendable {
  struct State {
    var items: [String: [UInt8]] = [:]
    var isLocked = false
    var failure: ProgramError?
    /// Fails from this verb on.
    var breaksAt: String?
    var forgets = false
    var runs: [ProgramInvocation] = []
  }

  let state = Locked(State())

  var runner: ProgramRunner {
    ProgramRunner(
      run: { [self] invocation throws(ProgramError) in try answer(invocation) },
      find: { $0 == "secret-tool" ? "/usr/bin/secret-tool" : nil })
  }

  private func answer(_ run: ProgramInvocation) throws(ProgramError) -> ProgramResult {
    let answer = state.withLock { state -> Result<ProgramResult, ProgramError> in
      state.runs.append(run)
      if let failure = state.failure { return .failure(failure) }
      let verb = run.arguments[0]
      if state.breaksAt == verb {
        return .success(ProgramResult(status: 1, errorOutput: Array("secret-tool: gone".utf8)))
      }
      let attributes = run.arguments.suffix(4).joined(separator: " ")
      switch verb {
      case "search":
        guard let secret = state.items[attributes] else { return .success(.init(status: 0)) }
        var text = Array("[/1]\nlabel = grain-core\n".utf8)
        if !state.isLocked { text += Array("secret = ".utf8) + secret + [0x0a] }
        text += Array("created = 2026-11-30 04:04:37\nmodified = 2026-11-30 04:04:37\n".utf8)
        return .success(ProgramResult(status: 0, output: text))
      case "store":
        if state.isLocked { return .success(.init(status: 1)) }
        if !state.forgets { state.items[attributes] = run.input }
        return .success(.init(status: 0))
      case "clear":
        if state.isLocked || state.items.removeValue(forKey: attributes) == nil {
          return .success(.init(status: 1))
        }
        return .success(.init(status: 0))
      default: return .success(.init(status: 2))
      }
    }
    return try answer.get()
  }
}

@Suite("The desktop's key store")
struct SecretServiceTests {
  private let tool = StandIn()

  private var provider: SecretServiceProvider {
    SecretServiceProvider(
      programs: tool.runner,
      environment: [
        "HOME": "/h", "PATH": "/p", "DISPLAY": ":0", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/b",
        "XDG_RUNTIME_DIR": "/r", "TOKEN": "x",
      ])
  }

  @Test("each vault has an entry of its own, kept under its id and found again")
  func entries() async throws {
    #expect(try await provider.load(vault: "a") == nil)
    let key = try await provider.create(vault: "a", random: .live)
    #expect(key.count == 32)
    #expect(try await provider.load(vault: "a") == key)
    #expect(try await provider.load(vault: "b") == nil)
    #expect(tool.state.withLock { $0.items.keys.sorted() } == ["application grain-core vault a"])
    #expect(
      await failure { _ = try await provider.create(vault: "a", random: .live) }
        == .keyWithoutVault(provider: "keyring"))
    #expect(try await provider.load(vault: "a") == key)
  }

  @Test("the key travels on standard input only; of the environment, only what leads to the bus")
  func invocation() async throws {
    let key = try await provider.create(vault: "a", random: .live)
    let hex = key.reveal().map { String(format: "%02x", $0) }.joined()
    let runs = tool.state.withLock(\.runs)
    #expect(runs.map { $0.arguments[0] } == ["search", "store", "search"])
    for run in runs {
      #expect(run.executable == "/usr/bin/secret-tool")
      #expect(!run.arguments.joined(separator: " ").contains(hex))
      #expect(
        run.environment == [
          "HOME": "/h", "PATH": "/p", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/b",
          "XDG_RUNTIME_DIR": "/r", "LC_ALL": "C.UTF-8",
        ])
      #expect(run.timeLimit <= .seconds(15))
    }
    #expect(runs[1].input == Array(hex.utf8))
  }

  @Test("a locked entry is locked, not missing, and nobody is asked to unlock it (FB-E6)")
  func locked() async throws {
    let key = try await provider.create(vault: "a", random: .live)
    tool.state.withLock { $0.isLocked = true }
    #expect(
      await failure { _ = try await provider.load(vault: "a") } == .locked(provider: "keyring"))
    tool.state.withLock { $0.isLocked = false }
    #expect(try await provider.load(vault: "a") == key)
    // The verb that would open a prompt is never used.
    #expect(!tool.state.withLock { $0.runs.contains { $0.arguments[0] == "lookup" } })
  }

  @Test("an entry that holds something else is the wrong key")
  func foreign() async throws {
    tool.state.withLock { $0.items["application grain-core vault a"] = Array("hunter2".utf8) }
    #expect(
      await failure { _ = try await provider.load(vault: "a") } == .wrongKey(provider: "keyring"))
  }

  @Test(
    "a service that is not there, silent or gone before the key is saved is said so (FB-E6)",
    arguments: [
      ("search", "the key store cannot be reached"),
      ("store", "the key store did not take the key"),
    ])
  func broken(verb: String, reason: String) async {
    tool.state.withLock { $0.breaksAt = verb }
    #expect(
      await failure { _ = try await provider.create(vault: "a", random: .live) }
        == .keyUnavailable(provider: "keyring", reason: reason))
  }

  @Test("a key that cannot be read back was not kept")
  func forgetful() async {
    tool.state.withLock { $0.forgets = true }
    #expect(
      await failure { _ = try await provider.create(vault: "a", random: .live) }
        == .keyUnavailable(provider: "keyring", reason: "the key store did not keep the key"))
  }

  @Test("a silent service is given up after seconds, a missing tool at once")
  func silent() async {
    tool.state.withLock { $0.failure = .timedOut }
    #expect(
      await failure { _ = try await provider.load(vault: "a") }
        == .keyUnavailable(
          provider: "keyring", reason: "the key store did not answer within 5 s"))
    let bare = SecretServiceProvider(
      programs: ProgramRunner(
        run: { invocation throws(ProgramError) in throw .notFound(invocation.executable) },
        find: { _ in nil }), environment: [:])
    #expect(
      await failure { _ = try await bare.load(vault: "a") }
        == .keyUnavailable(provider: "keyring", reason: "secret-tool is not installed"))
  }

  @Test("removing takes the entry away, and says so when it could not")
  func removal() async throws {
    _ = try await provider.create(vault: "a", random: .live)
    _ = try await provider.create(vault: "b", random: .live)
    try await provider.remove(vault: "a")
    try await provider.remove(vault: "a")
    #expect(try await provider.load(vault: "a") == nil)
    #expect(try await provider.load(vault: "b") != nil)
    tool.state.withLock { $0.isLocked = true }
    #expect(
      await failure { try await provider.remove(vault: "b") } == .locked(provider: "keyring"))
  }
}

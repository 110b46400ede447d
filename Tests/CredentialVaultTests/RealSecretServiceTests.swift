import CredentialVault
import Foundation
import GrainTestSupport
import OpenSSLCrypto
import SystemClients
import Testing

/// The programs themselves, where they are installed.
@Suite(
  "A real key store",
  .enabled(if: PrivateBus.isPossible, Comment(rawValue: PrivateBus.skipReason)))
struct RealSecretServiceTests {
  private let home: Home

  init() throws { home = try Home() }

  private func open(_ keyring: SecretServiceProvider) async throws -> CredentialVault {
    try await CredentialVault(
      path: home.store, providers: [keyring, KeyFileProvider(path: home.key)], random: .live)
  }

  @Test("keeps a vault's key through locking, unlocking and restarting; the file is never used")
  func life() async throws {
    let bus = try PrivateBus()
    try await bus.startKeyring(unlocked: true)
    let vault = try await open(bus.provider)
    #expect(vault.provider == "keyring")
    try await vault.put("a", kind: "k", secret: Secret(text: "kept"))

    // The session ends; the next one begins with the keyring locked.
    bus.stopKeyring()
    guard case .keyUnavailable("keyring", _) = await failure({ _ = try await open(bus.provider) })
    else {
      Issue.record("opened without a key store")
      return
    }
    try await bus.startKeyring(unlocked: false)
    let before = try home.contents()
    #expect(await failure { _ = try await open(bus.provider) } == .locked(provider: "keyring"))
    #expect(try home.contents() == before)
    #expect(before["vault.key"] == nil)

    bus.stopKeyring()
    try await bus.startKeyring(unlocked: true)
    #expect(try await open(bus.provider).get("a", kind: "k") == Secret(text: "kept"))
  }

  @Test("no program of a test outlives the test")
  func leftovers() async throws {
    var bus: PrivateBus? = try PrivateBus()
    let home = try #require(bus?.environment["HOME"])
    try await bus?.startKeyring(unlocked: true)
    #expect(Self.programs(of: home) >= 2)
    bus = nil
    #expect(Self.programs(of: home) == 0)
  }

  /// How many running programs have that folder for their home.
  private static func programs(of home: String) -> Int {
    let mark = Data("HOME=\(home)\0".utf8)
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.count { name in
      // Those of others, and those that have ended meanwhile, cannot be read.
      guard Int(name) != nil, let file = FileHandle(forReadingAtPath: "/proc/\(name)/environ"),
        let environment = try? file.readToEnd()
      else { return false }
      return environment.range(of: mark) != nil
    }
  }

  @Test("keeps the keys of two vaults apart, and removes one")
  func entries() async throws {
    let bus = try PrivateBus()
    try await bus.startKeyring(unlocked: true)
    let keyring = bus.provider
    let first = try await keyring.create(vault: "one", random: .live)
    let second = try await keyring.create(vault: "two", random: .live)
    #expect(try await keyring.load(vault: "one") == first)
    try await keyring.remove(vault: "one")
    #expect(try await keyring.load(vault: "one") == nil)
    #expect(try await keyring.load(vault: "two") == second)
  }

  @Test("gone between start and save: the file takes the key, and stays the one (FB-E6)")
  func gone() async throws {
    let bus = try PrivateBus()
    try await bus.startKeyring(unlocked: true)
    #expect(try await bus.provider.load(vault: "x") == nil)
    bus.stopKeyring()
    guard
      case .keyUnavailable("keyring", _) = await failure({
        _ = try await bus.provider.create(vault: "x", random: .live)
      })
    else {
      Issue.record("stored in nothing")
      return
    }
    #expect(try await open(bus.provider).provider == "file")
    try await bus.startKeyring(unlocked: true)
    #expect(try await open(bus.provider).provider == "file")
  }

  @Test("no place to keep a key, and nobody to ask for one: the file takes it at once (FB-E6)")
  func noCollection() async throws {
    let bus = try PrivateBus()
    try await bus.startKeyring(unlocked: false)
    #expect(try await open(bus.provider).provider == "file")
  }

  @Test("no bus and a bus that never answers lead to the file within seconds (FB-E6)")
  func noBus() async throws {
    let silent = try SilentBus()
    let granted = Recorder<Duration>()
    let programs = ProgramRunner(
      run: { invocation async throws(ProgramError) in
        granted.record(invocation.timeLimit)
        return try await ProgramRunner.live.run(invocation)
      }, find: ProgramRunner.live.find)
    let keyring = SecretServiceProvider(
      programs: programs, environment: silent.environment, searchLimit: .milliseconds(500))
    #expect(
      await failure { _ = try await keyring.load(vault: "x") }
        == .keyUnavailable(
          provider: "keyring", reason: "the key store did not answer within 0 s"))
    #expect(try await open(keyring).provider == "file")
    let other = try Home()
    let vault = try await CredentialVault(
      path: other.store,
      providers: [
        SecretServiceProvider(programs: programs, environment: [:]),
        KeyFileProvider(path: other.key),
      ], random: .live)
    #expect(vault.provider == "file")
    // What it waits for is what the programs are granted, however long a busy machine takes for the rest.
    #expect(granted.values.count >= 2)
    #expect(granted.values.reduce(.zero, +) < .seconds(30))
  }
}

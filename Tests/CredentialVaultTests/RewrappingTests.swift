import CredentialVault
import Foundation
import OpenSSLCrypto
import SQLiteDatabase
import SystemClients
import Testing

@Suite("Giving the key to another provider")
struct RewrappingTests {
  private let home: Home
  private let keyring = FakeKeyStore("keyring")

  init() throws { home = try Home() }

  private var file: KeyFileProvider { KeyFileProvider(path: home.key) }

  /// A vault that holds one secret and has its key in the file.
  private func fill() async throws {
    try await home.open().put("a", kind: "k", secret: Secret(text: "kept"))
  }

  private func rewrap(
    _ providers: [any KeyProvider], to name: String
  ) async throws(VaultError) -> CredentialVault.Rewrapping {
    try await CredentialVault.rewrap(
      path: home.store, providers: providers, to: name, random: .live)
  }

  private func secret(_ providers: any KeyProvider...) async throws(VaultError) -> Secret? {
    try await CredentialVault(path: home.store, providers: providers, random: .live)
      .get("a", kind: "k")
  }

  private func rows() throws -> [SQLiteRow] {
    try home.connect().query("SELECT * FROM vault_row")
  }

  @Test("the new key opens the same secrets, the old one is gone, and so on back again")
  func both() async throws {
    try await fill()
    let before = try rows()
    #expect(try await rewrap([keyring, file], to: "keyring") == .done(from: "file"))
    #expect(try !file.isOccupied())
    #expect(try await secret(keyring) == Secret(text: "kept"))
    #expect(await failure { _ = try await secret(file) } == .keyMissing(provider: "keyring"))

    #expect(try await rewrap([keyring, file], to: "file") == .done(from: "keyring"))
    #expect(keyring.keyCount == 0)
    #expect(try await secret(file) == Secret(text: "kept"))
    #expect(try rows() == before)
  }

  @Test("the key that was copied before no longer opens anything that is on the disk")
  func copied() async throws {
    try await fill()
    let old = try #require(try file.load(vault: ""))
    let wrapped = try #require(
      try home.connect().query("SELECT wrapped FROM vault_key").first?.blob("wrapped"))
    _ = try await rewrap([keyring, file], to: "keyring")
    // Neither the old wrapping nor the old key is left anywhere.
    for (name, bytes) in try home.contents() {
      #expect(bytes.range(of: Data(wrapped)) == nil, "\(name)")
      #expect(bytes.range(of: Data(old.reveal())) == nil, "\(name)")
    }
    #expect(try home.contents()["vault.key"] == nil)
  }

  @Test("to the same provider there is nothing to do")
  func same() async throws {
    try await fill()
    let before = try home.contents()["vault.key"]
    #expect(try await rewrap([keyring, file], to: "file") == .unchanged)
    #expect(try home.contents()["vault.key"] == before)
    #expect(try await secret(file) == Secret(text: "kept"))
  }

  @Test("a new provider that fails leaves the old key in place")
  func failing() async throws {
    try await fill()
    keyring.failure = .locked(provider: "keyring")
    #expect(
      await failure { _ = try await rewrap([keyring, file], to: "keyring") }
        == .locked(provider: "keyring"))
    #expect(
      await failure { _ = try await rewrap([file], to: "keyring") }
        == .keyUnavailable(provider: "keyring"))
    #expect(try await secret(file) == Secret(text: "kept"))
  }

  @Test("a new provider that does not give back what it took opens nothing, so nothing is changed")
  func forgetful() async throws {
    try await fill()
    let forgetful = ForgetfulKeyStore()
    #expect(
      await failure { _ = try await rewrap([forgetful, file], to: "forgetful") }
        == .keyMissing(provider: "forgetful"))
    #expect(try await secret(forgetful, file) == Secret(text: "kept"))
    #expect(try file.isOccupied())
  }

  @Test("an old key that cannot be read, or no vault at all, is said so; nothing is made")
  func closed() async throws {
    #expect(
      await failure { _ = try await rewrap([keyring, file], to: "keyring") }
        == .other("there is no vault yet"))
    try await fill()
    try home.replace(home.key, with: Data("no key\n".utf8))
    #expect(
      await failure { _ = try await rewrap([keyring, file], to: "keyring") }
        == .wrongKey(provider: "file"))
    #expect(keyring.keyCount == 0)
  }

  @Test("an old key that cannot be removed is told of; the new one holds all the same")
  func stuck() async throws {
    _ = try await CredentialVault(path: home.store, providers: [keyring], random: .live)
      .put("a", kind: "k", secret: Secret(text: "kept"))
    let stuck = StuckKeyStore(keyring)
    #expect(
      try await rewrap([stuck, file], to: "file")
        == .oldKeyRemains(from: "keyring", .locked(provider: "keyring")))
    #expect(try await secret(file) == Secret(text: "kept"))
  }

  @Test("to a command, whose key is never ours to remove")
  func command() async throws {
    try await fill()
    let command = try KeyCommandProvider(
      command: "echo correct horse battery", programs: .live,
      environment: ["PATH": "/usr/bin:/bin"])
    #expect(try await rewrap([command, file], to: "command") == .done(from: "file"))
    #expect(try await secret(command) == Secret(text: "kept"))
    #expect(try await rewrap([command, file], to: "file") == .done(from: "command"))
    #expect(try await secret(file) == Secret(text: "kept"))
  }
}

/// Takes every key, and gives back another.
private struct ForgetfulKeyStore: KeyProvider {
  let name = "forgetful"
  func load(vault: String) -> Secret? { nil }
  func create(vault: String, random: SystemRandom) -> Secret { Secret(random.bytes(32)) }
  func isOccupied() -> Bool { false }
  func remove(vault: String) {}
}

/// Gives its keys, and keeps them.
private struct StuckKeyStore: KeyProvider {
  let store: FakeKeyStore
  var name: String { store.name }

  init(_ store: FakeKeyStore) { self.store = store }

  func load(vault: String) throws(VaultError) -> Secret? { try store.load(vault: vault) }
  func create(vault: String, random: SystemRandom) throws(VaultError) -> Secret {
    try store.create(vault: vault, random: random)
  }
  func isOccupied() -> Bool { false }
  func remove(vault: String) throws(VaultError) { throw .locked(provider: name) }
}

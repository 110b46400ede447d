import CredentialVault
import OpenSSLCrypto
import SQLiteDatabase
import SystemClients
import Testing

@Suite("The choice of a key provider")
struct ProviderChoiceTests {
  private let home: Home

  init() throws { home = try Home() }

  private func open(_ providers: any KeyProvider...) async throws(VaultError) -> CredentialVault {
    try await CredentialVault(path: home.store, providers: providers, random: .live)
  }

  @Test(
    "the first that works is taken, and stays the one even if an earlier one comes back (FB-E6)")
  func firstThatWorks() async throws {
    let absent = FakeKeyStore("absent", failure: .keyUnavailable(provider: "absent"))
    let locked = FakeKeyStore("locked", failure: .locked(provider: "locked"))
    let file = KeyFileProvider(path: home.key)
    var vault = try await open(absent, locked, file)
    #expect(vault.provider == "file")
    try await vault.put("a", kind: "k", secret: Secret(text: "x"))
    absent.failure = nil
    locked.failure = nil
    vault = try await open(absent, locked, file)
    #expect(vault.provider == "file")
    #expect(try await vault.get("a", kind: "k") == Secret(text: "x"))
    #expect(absent.keyCount + locked.keyCount == 0)
  }

  @Test("a store that was chosen and is locked later is waited for, never passed over")
  func lockedLater() async throws {
    let store = FakeKeyStore("keyring")
    let file = KeyFileProvider(path: home.key)
    try await open(store, file).put("a", kind: "k", secret: Secret(text: "x"))
    store.failure = .locked(provider: "keyring")
    #expect(await failure { _ = try await open(store, file) } == .locked(provider: "keyring"))
    #expect(try !file.isOccupied())
    store.failure = nil
    #expect(try await open(store, file).get("a", kind: "k") == Secret(text: "x"))
  }

  @Test("a store that lost the key, or is no longer configured, leads to no second key")
  func lost() async throws {
    let store = FakeKeyStore("keyring")
    let file = KeyFileProvider(path: home.key)
    try await open(store, file).put("a", kind: "k", secret: Secret(text: "x"))
    #expect(await failure { _ = try await open(file) } == .keyMissing(provider: "keyring"))
    store.loseKeys()
    #expect(await failure { _ = try await open(store, file) } == .keyMissing(provider: "keyring"))
    #expect(store.keyCount == 0)
    #expect(try !file.isOccupied())
  }

  @Test("what the user asked for by name is not replaced by something else")
  func mandatory() async throws {
    let command = FakeKeyStore(
      "command", isMandatory: true, failure: .keyUnavailable(provider: "command"))
    let file = KeyFileProvider(path: home.key)
    let met = await failure { _ = try await open(command, file) }
    #expect(met == .keyUnavailable(provider: "command"))
    #expect(try !file.isOccupied())
    command.failure = nil
    #expect(try await open(command, file).provider == "command")
  }

  @Test("where none works, the last reason is given and nothing is half made")
  func none() async throws {
    let locked = FakeKeyStore("keyring", failure: .locked(provider: "keyring"))
    #expect(await failure { _ = try await open(locked) } == .locked(provider: "keyring"))
    #expect(await failure { _ = try await open() } == .keyUnavailable(provider: "none"))
    locked.failure = nil
    #expect(try await open(locked).provider == "keyring")
  }

  @Test("an altered provider name does not open the vault with another provider's key")
  func renamed() async throws {
    // Both hold the same key; what differs is the name alone.
    let store = FakeKeyStore("keyring")
    let twin = FakeKeyStore("twin")
    let same = SystemRandom { [UInt8](repeating: 9, count: $0) }
    _ = try await CredentialVault(path: home.store, providers: [store], random: same)
    let connection = try home.connect()
    let row = try #require(try connection.query("SELECT vault FROM vault_key").first)
    _ = try twin.create(vault: #require(row.text("vault")), random: same)
    try connection.execute("UPDATE vault_key SET provider = 'twin'")
    #expect(await failure { _ = try await open(store, twin) } == .wrongKey(provider: "twin"))
    try connection.execute("UPDATE vault_key SET provider = 'keyring'")
    #expect(try await open(store, twin).provider == "keyring")
  }

  @Test("a key file is made once and never overwritten")
  func keyFile() throws {
    let file = KeyFileProvider(path: home.key)
    #expect(try file.load(vault: "x") == nil)
    let key = try file.create(vault: "x", random: .live)
    #expect(key.count == 32)
    #expect(try file.load(vault: "y") == key)
    #expect(throws: VaultError.keyWithoutVault(provider: "file")) {
      try file.create(vault: "y", random: .live)
    }
    #expect(try file.load(vault: "x") == key)
    let lost = KeyFileProvider(path: home.key + "-folder/vault.key")
    #expect(throws: VaultError.unwritable("key file")) {
      try lost.create(vault: "x", random: .live)
    }
  }
}

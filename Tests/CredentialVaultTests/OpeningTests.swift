import CredentialVault
import Foundation
import GrainTestSupport
import OpenSSLCrypto
import SQLiteDatabase
import SystemClients
import Testing

@Suite("Opening a vault")
struct OpeningTests {
  /// A home whose vault holds one secret, closed again.
  private func filled() async throws -> Home {
    let home = try Home()
    try await home.open().put("a", kind: "k", secret: Secret(text: "kept"))
    return home
  }

  /// Opening fails in that way, twice, and changes no file; nor is a file made.
  private func expectRefusal(
    _ error: VaultError, of home: Home, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try home.contents()
    for _ in 0..<2 {
      #expect(await failure { _ = try await home.open() } == error, sourceLocation: sourceLocation)
    }
    #expect(try home.contents() == before, sourceLocation: sourceLocation)
  }

  @Test("a missing key is said to be missing, no new one is made, and the old one opens it again")
  func missingKey() async throws {
    let home = try await filled()
    let key = try #require(try home.contents()["vault.key"])
    try FileManager.default.removeItem(atPath: home.key)
    try await expectRefusal(.keyMissing(provider: "file"), of: home)
    try home.replace(home.key, with: key)
    #expect(try await home.open().get("a", kind: "k") == Secret(text: "kept"))
  }

  @Test("the key of another installation is wrong, and neither file is touched (FB-E3)")
  func wrongKey() async throws {
    let home = try await filled()
    let other = try await filled()
    try home.replace(home.key, with: try #require(try other.contents()["vault.key"]))
    try await expectRefusal(.wrongKey(provider: "file"), of: home)
  }

  @Test(
    "a damaged key file is no key, and never replaced",
    arguments: ["", "\n", "abc", String(repeating: "g", count: 64) + "\n"])
  func damagedKey(content: String) async throws {
    let home = try await filled()
    try home.replace(home.key, with: Data(content.utf8))
    try await expectRefusal(.wrongKey(provider: "file"), of: home)
  }

  @Test("a key file with one digit changed is wrong")
  func flippedKey() async throws {
    let home = try await filled()
    var key = try #require(try home.contents()["vault.key"])
    key[7] = key[7] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    try home.replace(home.key, with: key)
    try await expectRefusal(.wrongKey(provider: "file"), of: home)
  }

  @Test("a key that cannot be read is not taken for a missing one")
  func unreadableKey() async throws {
    let home = try await filled()
    try FileManager.default.removeItem(atPath: home.key)
    try FileManager.default.createDirectory(
      atPath: home.key, withIntermediateDirectories: false)
    let met = await failure { _ = try await home.open() }
    #expect(met == .keyUnavailable(provider: "file"))
  }

  @Test(
    "an empty store beside a key is a loss, not a beginning (FB-E3)", arguments: [true, false])
  func emptyStore(isThere: Bool) async throws {
    let home = try await filled()
    try FileManager.default.removeItem(atPath: home.store)
    if isThere { try home.replace(home.store, with: Data()) }
    let key = try #require(try home.contents()["vault.key"])
    for _ in 0..<2 {
      let met = await failure { _ = try await home.open() }
      #expect(met == .keyWithoutVault(provider: "file"))
      #expect(try home.contents() == ["core.sqlite": Data(), "vault.key": key])
    }
  }

  @Test(
    "a store that is lost or cut to nothing is a loss also where its key lies elsewhere (FB-E3)",
    arguments: [true, false])
  func emptyStoreOfKeyElsewhere(isThere: Bool) async throws {
    let home = try Home()
    let keyring = FakeKeyStore("keyring")
    func open() async throws(VaultError) -> CredentialVault {
      try await CredentialVault(
        path: home.store, providers: [keyring, KeyFileProvider(path: home.key)], random: .live)
    }
    try await open().put("a", kind: "k", secret: Secret(text: "kept"))
    #expect(try home.mode(of: "core.sqlite-vault") == 0o600)
    try FileManager.default.removeItem(atPath: home.store)
    if isThere { try home.replace(home.store, with: Data()) }
    for _ in 0..<2 {
      #expect(await failure { _ = try await open() } == .keyWithoutVault(provider: "keyring"))
      #expect(
        await failure {
          try await CredentialVault.prepare(
            path: home.store, schema: CredentialVault.migrations, providers: [keyring])
        } == .keyWithoutVault(provider: "keyring"))
    }
    #expect(keyring.keyCount == 1)
    #expect(try home.contents()["core.sqlite"]?.isEmpty != false)
    // Only who takes the mark away begins anew.
    try FileManager.default.removeItem(atPath: home.folder.path("core.sqlite-vault"))
    #expect(try await open().get("a", kind: "k") == nil)
  }

  @Test("a store whose key row and secrets are gone is no new one where a mark is left")
  func emptiedTables() async throws {
    let home = try Home()
    let keyring = FakeKeyStore("keyring")
    _ = try await CredentialVault(path: home.store, providers: [keyring], random: .live)
    try home.connect().execute("DELETE FROM vault_key")
    let met = await failure {
      _ = try await CredentialVault(path: home.store, providers: [keyring], random: .live)
    }
    #expect(met == .keyWithoutVault(provider: "keyring"))
    #expect(keyring.keyCount == 1)
  }

  @Test("a vault made before there were marks gets one; a key file needs none")
  func olderVault() async throws {
    let home = try Home()
    let keyring = FakeKeyStore("keyring")
    func open(_ providers: any KeyProvider...) async throws {
      _ = try await CredentialVault(path: home.store, providers: providers, random: .live)
    }
    try await open(keyring)
    try FileManager.default.removeItem(atPath: home.folder.path("core.sqlite-vault"))
    try await open(keyring)
    #expect(try home.contents()["core.sqlite-vault"] == Data("keyring\n".utf8))
    let file = KeyFileProvider(path: home.key)
    _ = try await CredentialVault.rewrap(
      path: home.store, providers: [keyring, file], to: "file", random: .live)
    #expect(try home.contents()["core.sqlite-vault"] == nil)
  }

  @Test("an empty store without a key is new")
  func newStore() async throws {
    let home = try Home()
    try home.replace(home.store, with: Data())
    try await home.open().put("a", kind: "k", secret: Secret(text: "x"))
    #expect(try await home.open().get("a", kind: "k") == Secret(text: "x"))
  }

  @Test("sealed rows without their key row are damage; no key is made for them")
  func missingKeyRow() async throws {
    let home = try await filled()
    try home.connect().execute("DELETE FROM vault_key")
    try FileManager.default.removeItem(atPath: home.key)
    try await expectRefusal(.corrupt("there are sealed rows but no key row"), of: home)
  }

  @Test("a vault whose making was interrupted after the key is finished with that key")
  func interrupted() async throws {
    let home = try Home()
    _ = try home.connect().query("SELECT 1")  // tables, and then the power went
    let key = try KeyFileProvider(path: home.key).create(vault: "x", random: .live)
    try await home.open().put("a", kind: "k", secret: Secret(text: "x"))
    #expect(try KeyFileProvider(path: home.key).load(vault: "x") == key)
    #expect(try await home.open().get("a", kind: "k") == Secret(text: "x"))
  }

  @Test("a key row that was altered does not open", arguments: ["salt", "nonce", "wrapped"])
  func alteredKeyRow(column: String) async throws {
    let home = try await filled()
    let other = try home.connect()
    var bytes = try #require(
      other.query("SELECT \(column) AS bytes FROM vault_key").first?.blob("bytes"))
    bytes[3] ^= 0x20
    try other.execute("UPDATE vault_key SET \(column) = ?", [.blob(bytes)])
    try other.checkpoint()
    try await expectRefusal(.wrongKey(provider: "file"), of: home)
  }

  @Test("a newer, a foreign, a cut and a false store each give their own reason (FB-E3, FB-E7)")
  func otherStores() async throws {
    let newer = try await filled()
    try newer.connect().execute("PRAGMA user_version = 9")
    try await expectRefusal(.newer(found: 9, known: 1), of: newer)

    let foreign = try await filled()
    try foreign.connect().execute("PRAGMA application_id = 5")
    try await expectRefusal(.foreign, of: foreign)

    let random = try await filled()
    try random.replace(random.store, with: Data(repeating: 0x5a, count: 8192))
    try await expectRefusal(.corrupt("not a database"), of: random)

    let cut = try await filled()
    let whole = try #require(try cut.contents()["core.sqlite"])
    try cut.replace(cut.store, with: whole.prefix(whole.count / 2))
    guard case .corrupt = await failure({ _ = try await cut.open() }) else {
      Issue.record("expected corrupt")
      return
    }
    #expect(try cut.contents()["core.sqlite"] == whole.prefix(whole.count / 2))
  }

  @Test("what the database reports becomes the vault's own reason")
  func translation() {
    let table: [(SQLiteError, VaultError)] = [
      (.busy, .busy), (.full, .full), (.readOnly, .unwritable("read-only")),
      (.cannotOpen("why"), .unwritable("why")), (.corrupt("why"), .corrupt("why")),
      (.notADatabase, .corrupt("not a database")), (.foreignApplication, .foreign),
      (.newerSchema(found: 3, known: 2), .newer(found: 3, known: 2)),
      (.constraint("why"), .other("why")), (.other(code: 1, message: "why"), .other("why (1)")),
    ]
    for (database, vault) in table { #expect(VaultError(database) == vault) }
  }
}

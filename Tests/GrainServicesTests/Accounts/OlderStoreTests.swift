import ATOAuth
import ATSyntax
import CredentialVault
import GrainServices
import GrainTestSupport
import OAuth
import OpenSSLCrypto
import SQLiteDatabase
import SystemClients
import Testing

@Suite("Stores made by older versions")
struct OlderStoreTests {
  private typealias World = AccountsWorld

  @Test(
    "accounts that were named by their DIDs are there under the same names, tokens and all (FB-E7)")
  func beforeProviders() async throws {
    let folder = try TemporaryFolder()
    let data = try DataFolder.open(folder.path("data"), processID: 1)
    let providers = [KeyFileProvider(path: data.keyFilePath)]
    let before = Array(CoreSchema.migrations.prefix(CredentialVault.migrations.count + 2))
    let old = try await CredentialVault(
      path: data.databasePath, schema: before, providers: providers, random: .live)
    let grant = try World.grant()
    let connection = try SQLiteConnection(path: data.databasePath)
    try connection.execute(
      "INSERT INTO account (did, position, body) VALUES (?, 5, ?), (?, 9, ?)",
      [
        .text(World.alice.rawValue),
        .text(
          #"{"did":"\#(World.alice)","handle":"alice.test","standing":{"ok":{}},"missingScopes":[]}"#
        ),
        .text(World.bob.rawValue),
        .text(
          #"{"did":"\#(World.bob)","standing":{"expired":{"_0":"refused"}},"missingScopes":[]}"#),
      ])
    try connection.execute(
      "INSERT INTO setting (name, value) VALUES ('activeDID', ?)", [.text(World.alice.rawValue)])
    try connection.execute("INSERT INTO revocation (id, added_at, attempts) VALUES ('r', 1, 2)")
    try old.sealer.seal(World.alice.rawValue, kind: "grant", secret: grant.sealable())
      .store(on: connection)

    let new = try await CredentialVault(
      path: data.databasePath, schema: CoreSchema.migrations, providers: providers, random: .live)
    let store = try AccountStore(path: data.databasePath, sealer: new.sealer)
    #expect(
      try await store.load()
        == AccountStore.Stored(
          accounts: [
            AccountRecord(did: World.alice, handle: try Handle("alice.test")),
            AccountRecord(did: World.bob, handle: nil, standing: .expired(.refused)),
          ], active: World.alice.account))
    #expect(
      try await store.grant(World.alice)?.tokens.refreshToken == grant.tokens.refreshToken)
    #expect(
      try connection.query("SELECT provider FROM revocation").first?.text("provider") == "grain")
  }

  @Test("a row that is no JSON is a fault of that row, not of the change nor of the list (FB-E3)")
  func damagedRow() async throws {
    let folder = try TemporaryFolder()
    let data = try DataFolder.open(folder.path("data"), processID: 1)
    let providers = [KeyFileProvider(path: data.keyFilePath)]
    let before = Array(CoreSchema.migrations.prefix(CredentialVault.migrations.count + 2))
    _ = try await CredentialVault(
      path: data.databasePath, schema: before, providers: providers, random: .live)
    let connection = try SQLiteConnection(path: data.databasePath)
    try connection.execute(
      "INSERT INTO account (did, position, body) VALUES ('did:plc:x', 1, 'no json')")
    let vault = try await CredentialVault(
      path: data.databasePath, schema: CoreSchema.migrations, providers: providers, random: .live)
    let store = try AccountStore(path: data.databasePath, sealer: vault.sealer)
    #expect(try await store.load().accounts.map(\.standing) == [.expired(.damaged)])
    #expect(try await store.damagedRows() == 1)
    let row = try connection.query("SELECT body FROM account").first
    #expect(row?.text("body") == "no json")
  }
}

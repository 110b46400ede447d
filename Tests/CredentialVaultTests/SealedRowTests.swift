import CredentialVault
import OpenSSLCrypto
import SQLiteDatabase
import SystemClients
import Testing

@Suite("Sealed rows")
struct SealedRowTests {
  private let grant = Secret(text: "refresh-token")

  @Test("change together with somebody's own rows, in one transaction on their connection")
  func oneTransaction() async throws {
    let home = try Home()
    let schema = CredentialVault.migrations + ["CREATE TABLE account(did TEXT PRIMARY KEY) STRICT;"]
    let vault = try await CredentialVault(
      path: home.store, schema: schema, providers: [KeyFileProvider(path: home.key)], random: .live)
    let accounts = try SQLiteConnection(path: home.store)
    try accounts.migrate(schema, applicationID: CredentialVault.applicationID)
    let row = try vault.sealer.seal("did:plc:a", kind: "grant", secret: grant)
    let save = {
      try accounts.transaction {
        try row.store(on: accounts)
        try accounts.execute("INSERT INTO account VALUES('did:plc:a')")
      }
    }
    try save()
    #expect(try await vault.get("did:plc:a", kind: "grant") == grant)

    // The second half fails: the account is there already. The removal must not stay either.
    #expect(throws: SQLiteError.self) {
      try accounts.transaction {
        try SealedRow.removeAll("did:plc:a", on: accounts)
        try accounts.execute("INSERT INTO account VALUES('did:plc:a')")
      }
    }
    #expect(try await vault.get("did:plc:a", kind: "grant") == grant)

    let read = try accounts.transaction {
      try SealedRow.load("did:plc:a", kind: "grant", on: accounts)
    }
    #expect(try vault.sealer.open(#require(read)) == grant)
    #expect(try SealedRow.load("did:plc:b", kind: "grant", on: accounts) == nil)
    try SealedRow.remove("did:plc:a", kind: "grant", on: accounts)
    #expect(try await vault.get("did:plc:a", kind: "grant") == nil)
  }

  @Test("a row moved to another label or kind does not open, and is left as it is")
  func swapped() async throws {
    let home = try Home()
    let vault = try await home.open()
    let attacker = try home.connect()
    try await vault.put("did:plc:a", kind: "grant", secret: grant)
    for (label, kind) in [("did:plc:b", "grant"), ("did:plc:a", "attempt")] {
      try attacker.execute(
        """
        INSERT INTO vault_row SELECT ?, ?, nonce, sealed FROM vault_row
        WHERE label = 'did:plc:a' AND kind = 'grant'
        """, [.text(label), .text(kind)])
      for _ in 0..<2 {
        let met = await failure { _ = try await vault.get(label, kind: kind) }
        #expect(met == .corrupt("a sealed row does not open"))
      }
    }
    #expect(try attacker.query("SELECT 1 FROM vault_row").count == 3)
    #expect(try await vault.get("did:plc:a", kind: "grant") == grant)
  }

  @Test("label and kind cannot trade letters")
  func boundaries() async throws {
    let home = try Home()
    let vault = try await home.open()
    try await vault.put("ab", kind: "c", secret: grant)
    try home.connect().execute("UPDATE vault_row SET label = 'a', kind = 'bc'")
    let met = await failure { _ = try await vault.get("a", kind: "bc") }
    #expect(met == .corrupt("a sealed row does not open"))
  }

  @Test("a row with any one byte changed does not open (FB-E3)")
  func flipped() async throws {
    let home = try Home()
    let vault = try await home.open()
    try await vault.put("a", kind: "k", secret: grant)
    let other = try home.connect()
    for column in ["nonce", "sealed"] {
      let bytes = try #require(
        other.query("SELECT \(column) AS bytes FROM vault_row").first?.blob("bytes"))
      for index in bytes.indices {
        var altered = bytes
        altered[index] ^= 1
        try other.execute("UPDATE vault_row SET \(column) = ?", [.blob(altered)])
        let met = await failure { _ = try await vault.get("a", kind: "k") }
        #expect(met == .corrupt("a sealed row does not open"))
      }
      try other.execute("UPDATE vault_row SET \(column) = ?", [.blob(Array(bytes.dropLast()))])
      #expect(await failure { _ = try await vault.get("a", kind: "k") } != nil)
      try other.execute("UPDATE vault_row SET \(column) = ?", [.blob(bytes)])
    }
    #expect(try await vault.get("a", kind: "k") == grant)
  }

  @Test("sealing the same secret twice gives unrelated rows")
  func fresh() async throws {
    let sealer = try await Home().open().sealer
    let rows = try (0..<100).map { _ in try sealer.seal("a", kind: "k", secret: grant) }
    #expect(Set(rows.map(\.nonce)).count == 100)
    #expect(Set(rows.map(\.sealed)).count == 100)
    #expect(rows.allSatisfy { $0.nonce.count == 12 && $0.sealed.count == grant.count + 16 })
  }

  @Test("randomness that repeats itself never gives two contents the same nonce")
  func repeatingRandomness() async throws {
    let stuck = SystemRandom { [UInt8](repeating: 4, count: $0) }
    let vault = try await CredentialVault(
      path: ":memory:", providers: [FakeKeyStore("fake")], random: stuck)
    var nonces: Set<[UInt8]> = []
    for (label, kind, text) in [
      ("a", "k", "1"), ("a", "k", "2"), ("b", "k", "1"), ("a", "l", "1"), ("a", "k", ""),
    ] {
      nonces.insert(try vault.sealer.seal(label, kind: kind, secret: Secret(text: text)).nonce)
    }
    #expect(nonces.count == 5)
  }
}

import CredentialVault
import Foundation
import OpenSSLCrypto
import SQLiteDatabase
import SystemClients
import Testing

@Suite("The vault")
struct CredentialVaultTests {
  @Test("keeps the newest secret of each label and kind, also across restarts (G30, FB-E8)")
  func keeps() async throws {
    let home = try Home()
    var vault = try await home.open()
    try await vault.put("did:plc:a", kind: "grant", secret: Secret(text: "first"))
    try await vault.put("did:plc:a", kind: "grant", secret: Secret(text: "second"))
    try await vault.put("did:plc:a", kind: "attempt", secret: Secret(text: "other"))
    try await vault.put("did:plc:b", kind: "grant", secret: Secret([]))
    vault = try await home.open()
    #expect(try await vault.get("did:plc:a", kind: "grant") == Secret(text: "second"))
    #expect(try await vault.get("did:plc:a", kind: "attempt") == Secret(text: "other"))
    #expect(try await vault.get("did:plc:b", kind: "grant") == Secret([]))
    #expect(try await vault.get("did:plc:c", kind: "grant") == nil)
    #expect(try await vault.labels(kind: "grant") == ["did:plc:a", "did:plc:b"])
    #expect(try await vault.labels(kind: "attempt") == ["did:plc:a"])
    let rows = try home.connect().query("SELECT count(*) AS n FROM vault_row")
    #expect(rows.first?.integer("n") == 3)
  }

  @Test("forgets one secret, or everything under a label")
  func forgets() async throws {
    let home = try Home()
    let vault = try await home.open()
    for label in ["a", "b"] {
      for kind in ["grant", "attempt"] {
        try await vault.put(label, kind: kind, secret: Secret(text: "\(label) \(kind)"))
      }
    }
    try await vault.remove("a", kind: "attempt")
    try await vault.remove("a", kind: "missing")
    #expect(try await vault.get("a", kind: "attempt") == nil)
    #expect(try await vault.get("a", kind: "grant") != nil)
    try await vault.wipe("a")
    #expect(try await vault.get("a", kind: "grant") == nil)
    #expect(try await vault.get("b", kind: "grant") == Secret(text: "b grant"))
    #expect(try await vault.labels(kind: "grant") == ["b"])
  }

  @Test("a wipe that fails half way forgets nothing")
  func wipeIsWhole() async throws {
    let home = try Home()
    let vault = try await home.open()
    try await vault.put("a", kind: "1", secret: Secret(text: "one"))
    try await vault.put("a", kind: "2", secret: Secret(text: "two"))
    try home.connect().execute(
      """
      CREATE TRIGGER refuse BEFORE DELETE ON vault_row WHEN old.kind = '2'
      BEGIN SELECT raise(ABORT, 'not this one'); END
      """)
    #expect(await failure { try await vault.wipe("a") } == .other("not this one"))
    #expect(try await vault.get("a", kind: "1") == Secret(text: "one"))
    #expect(try await vault.get("a", kind: "2") == Secret(text: "two"))
  }

  @Test("no token, and no key, can be found in any file, in whatever spelling")
  func nothingReadable() async throws {
    let home = try Home()
    let token = "eyJ0eXAiOiJhdCtqd3QifQ.c2VjcmV0LWFjY2Vzcy10b2tlbg.c2ln"
    let vault = try await home.open()
    for index in 0..<50 {  // some rows reach the main file, some are only in the log
      try await vault.put("did:plc:\(index)", kind: "grant", secret: Secret(text: token))
      if index == 30 { try home.connect().checkpoint() }
    }
    let files = try home.contents()
    #expect(files["core.sqlite-wal"]?.isEmpty == false)
    let keyText = String(decoding: try #require(files["vault.key"]), as: UTF8.self)
    let key = keyText.trimmingCharacters(in: .newlines)
    let keyBytes = Data(
      stride(from: 0, to: 64, by: 2).compactMap { offset in
        let digits = key.dropFirst(offset).prefix(2)
        return UInt8(digits, radix: 16)
      })
    #expect(keyBytes.count == 32)
    let bytes = Data(token.utf8)
    let needles = [
      bytes, bytes.prefix(12), bytes.suffix(12), bytes.base64EncodedData().prefix(16),
      Data(bytes.prefix(8).map { String(format: "%02x", $0) }.joined().utf8), keyBytes,
      Data(key.utf8),
    ]
    for (name, content) in files {
      for (index, needle) in needles.enumerated() where name != "vault.key" || index < 5 {
        #expect(content.range(of: needle) == nil, "needle \(index) in \(name)")
      }
    }
  }

  @Test("after a wipe not even the sealed bytes are left in a file")
  func erased() async throws {
    let home = try Home()
    let vault = try await home.open()
    let row = try vault.sealer.seal("a", kind: "grant", secret: Secret(text: "token"))
    let connection = try home.connect()
    try row.store(on: connection)
    func isFound() throws -> Bool {
      try home.contents().values.contains { $0.range(of: Data(row.sealed)) != nil }
    }
    #expect(try isFound())
    try await vault.wipe("a")
    #expect(try !isFound())
  }

  @Test("only the owner may read the store, its log and the key")
  func modes() async throws {
    let home = try Home()
    let vault = try await home.open()
    try await vault.put("a", kind: "k", secret: Secret(text: "x"))
    let names = try home.contents().keys.sorted()
    #expect(names == ["core.sqlite", "core.sqlite-shm", "core.sqlite-wal", "vault.key"])
    for name in names { #expect(try home.mode(of: name) == 0o600, "\(name)") }
  }

  @Test("a vault in memory works like any other")
  func memory() async throws {
    let vault = try await CredentialVault(
      path: ":memory:", providers: [FakeKeyStore("fake")], random: .live)
    try await vault.put("a", kind: "k", secret: Secret(text: "x"))
    #expect(try await vault.get("a", kind: "k") == Secret(text: "x"))
    try await vault.wipe("a")
    #expect(try await vault.get("a", kind: "k") == nil)
  }

  @Test("callers from many tasks each get what they put")
  func concurrent() async throws {
    let vault = try await Home().open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<32 {
        group.addTask {
          try await vault.put("label \(index)", kind: "k", secret: Secret(text: "\(index)"))
          #expect(try await vault.get("label \(index)", kind: "k") == Secret(text: "\(index)"))
        }
      }
      try await group.waitForAll()
    }
    #expect(try await vault.labels(kind: "k").count == 32)
  }
}

import ATOAuth
import ATSyntax
import CredentialVault
import Foundation
import GrainCore
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import OpenSSLCrypto
import SQLiteDatabase
import SystemClients
import Testing

@Suite("A store that cannot be opened", .timeLimit(.minutes(2)))
struct StoreDamageTests {
  private let folder: CoreFolder

  init() throws { folder = try CoreFolder() }

  private var store: URL { URL(filePath: folder.file("core.sqlite")) }
  private var key: URL { URL(filePath: folder.file("vault.key")) }

  /// Damages the store, and finds it refused in that way, twice, with every file as it was.
  private func expectRefusal(
    _ kind: String, _ damage: (inout Data) throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var bytes = try Data(contentsOf: store)
    try damage(&bytes)
    try bytes.write(to: store)
    let before = try folder.contents()
    for _ in 0..<2 {
      let met = await fault { () throws(StoreFault) in try await folder.open() }
      #expect(met?.kind == kind, "\(String(describing: met))", sourceLocation: sourceLocation)
      #expect(try folder.contents() == before, sourceLocation: sourceLocation)
    }
  }

  @Test("is reported and left as it is: its header is another (FB-E3)")
  func header() async throws {
    try await folder.fill(3)
    try await expectRefusal("corrupt") { bytes in
      for index in 0..<16 { bytes[index] ^= 0x55 }
    }
  }

  @Test("is reported and left as it is: a page in the middle is not what it was (FB-E3)")
  func middle() async throws {
    try await folder.fill(20)
    let whole = try Data(contentsOf: store)
    let pages = whole.count / 4096
    #expect(pages > 10)
    for page in 1..<pages {
      try whole.write(to: store)
      try await expectRefusal("corrupt") { bytes in
        for index in 0..<64 { bytes[page * 4096 + index] ^= 0x55 }
      }
    }
    try whole.write(to: store)
    #expect(await fault { () throws(StoreFault) in try await folder.open() } == nil)
  }

  @Test("is reported and left as it is: it was cut, to half or to nothing, or overwritten (FB-E3)")
  func cut() async throws {
    try await folder.fill(20)
    let whole = try Data(contentsOf: store)
    for length in [whole.count / 2, whole.count - 4096, 4096, 100, 1, 0] {
      try await expectRefusal("corrupt") { $0 = whole.prefix(length) }
    }
    try await expectRefusal("corrupt") { $0 = Data(repeating: 0, count: 8192) }
    try FileManager.default.removeItem(at: store)
    #expect(await fault { () throws(StoreFault) in try await folder.open() }?.kind == "corrupt")
  }

  @Test("one changed byte anywhere loses nothing: it is noticed, or it did no harm (FB-E3)")
  func anyByte() async throws {
    try await folder.fill(3)
    let whole = try Data(contentsOf: store)
    let intact = try await accounts()
    #expect(intact.count == 3)
    var noticed = 0
    for offset in stride(from: 0, to: whole.count, by: whole.count / 200) {
      var bytes = whole
      bytes[offset] ^= 0x20
      try bytes.write(to: store)
      do {
        #expect(try await accounts() == intact, "byte \(offset)")
      } catch let damage as DamagedAccounts {
        // One row cannot be read: the others are there, and their tokens are right.
        noticed += 1
        #expect(damage.count == 1, "byte \(offset)")
        #expect(damage.tokens.count >= 2, "byte \(offset)")
        #expect(damage.tokens.allSatisfy { intact[$0.key] == $0.value }, "byte \(offset)")
      } catch {
        noticed += 1
        #expect(try Data(contentsOf: store) == bytes, "byte \(offset)")
      }
    }
    #expect(noticed > 0)
    try whole.write(to: store)
    #expect(try await accounts() == intact)
  }

  private struct DamagedAccounts: Error {
    let count: Int
    let tokens: [String: Secret]
  }

  /// The accounts with their tokens, as a core reads them; damaged ones are an error.
  private func accounts() async throws -> [String: Secret] {
    if let met = await fault({ () throws(StoreFault) in try await folder.open() }) { throw met }
    let vault = try await CredentialVault(
      path: store.path, schema: CoreSchema.migrations,
      providers: [KeyFileProvider(path: key.path)], random: .live)
    let accounts = try AccountStore(path: store.path, sealer: vault.sealer)
    var tokens: [String: Secret] = [:]
    for account in try await accounts.load().accounts where account.hasCredentials {
      guard let did = account.id.did else { continue }
      let grant = try await accounts.grant(did)
      tokens[did.rawValue] = grant?.tokens.accessToken
    }
    let count = try await accounts.damagedRows()
    if count > 0 { throw DamagedAccounts(count: count, tokens: tokens) }
    return tokens
  }

  @Test("made by a newer version, or by another program: refused before a byte is written (FB-E7)")
  func newer() async throws {
    try await folder.fill()
    let known = CoreSchema.migrations.count
    func execute(_ sql: String) throws {
      try SQLiteConnection(path: store.path).execute(sql)
    }
    try execute("PRAGMA user_version = \(known + 1)")
    #expect(
      await fault { () throws(StoreFault) in try await folder.open() }
        == .newer(found: known + 1, known: known))
    try await expectRefusal("newer") { _ in }
    // Text where the version stands: whatever it reads as, it is no version of ours.
    try await expectRefusal("newer") { $0.replaceSubrange(60..<64, with: Data("v1.0".utf8)) }
    try execute("PRAGMA user_version = 0")
    try execute("PRAGMA application_id = 0")
    try await expectRefusal("corrupt") { _ in }
  }

  @Test("the key of another installation opens nothing and replaces nothing (FB-E3)")
  @MainActor
  func foreignKey() async throws {
    try await folder.fill()
    let other = try CoreFolder()
    try await other.fill()
    let foreign = try Data(contentsOf: URL(filePath: other.file("vault.key")))
    try foreign.write(to: key)
    let before = try folder.contents()
    let core = try await folder.open()
    await core.models.begin()
    while core.models.accounts.snapshot.problem == nil { await Task.yield() }
    #expect(core.models.accounts.snapshot.session == .restoring)
    #expect(core.models.accounts.snapshot.problem?.kind == .keyringUnavailable)
    await core.close()
    #expect(try Data(contentsOf: key) == foreign)
    #expect(try Data(contentsOf: store) == before["core.sqlite"])
  }

  @Test("a folder or file of another user is refused, not repaired (FB-E5)")
  func foreignOwner() async throws {
    try await folder.fill()
    for name in ["", "core.sqlite", "vault.key", "drafts"] {
      let path = name.isEmpty ? folder.path : folder.file(name)
      guard chown(path, 54_321, 54_321) == 0 else {
        print("skipped: only root can give a file to somebody else")
        return
      }
      let met = await fault { () throws(StoreFault) in try await folder.open() }
      #expect(met?.kind == "unwritable", "\(path)")
      #expect(chown(path, geteuid(), getegid()) == 0)
    }
    #expect(await fault { () throws(StoreFault) in try await folder.open() } == nil)
  }
}

extension StoreFault {
  /// The case's name.
  var kind: String {
    switch self {
    case .locked: "locked"
    case .corrupt: "corrupt"
    case .full: "full"
    case .unwritable: "unwritable"
    case .newer: "newer"
    case .keyLocked, .keyUnavailable: "key"
    }
  }
}

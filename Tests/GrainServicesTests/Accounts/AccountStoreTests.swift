import ATOAuth
import ATSyntax
import Foundation
import GrainServices
import OpenSSLCrypto
import SQLiteDatabase
import Testing

@Suite("Accounts on disk")
struct AccountStoreTests {
  private typealias World = AccountsWorld
  private let world: AccountsWorld
  private var store: AccountStore { world.store }

  init() async throws { world = try await AccountsWorld() }

  private func adopt(_ dids: DID...) async throws {
    for did in dids { _ = try await store.adopt(World.grant(did), missingScopes: []) }
  }

  @Test("a new store has nobody in it")
  func empty() async throws {
    #expect(try await store.load() == AccountStore.Stored(accounts: [], active: nil))
    #expect(try await store.grant(World.alice) == nil)
  }

  @Test("a sign-in is stored whole and becomes the active account (G29, G30)")
  func adopting() async throws {
    let grant = try World.grant(World.alice)
    let stored = try await store.adopt(grant, missingScopes: ["repo:x"])
    let account = AccountRecord(
      did: World.alice, handle: try Handle("alice.test"), missingScopes: ["repo:x"])
    #expect(stored == AccountStore.Stored(accounts: [account], active: World.alice.account))
    #expect(try await world.reopenedStore().load() == stored)
    let found = try #require(try await world.reopenedStore().grant(World.alice))
    #expect(found.sealable() == grant.sealable())
  }

  @Test("signing in again is one row with the newest tokens and handle, in its old place (FB-E8)")
  func signingInAgain() async throws {
    try await adopt(World.alice, World.bob)
    let again = try World.grant(World.alice, tokens: "9", handle: "alice.example.com")
    let stored = try await store.adopt(again, missingScopes: [])
    #expect(stored.accounts.map(\.id.did) == [World.alice, World.bob])
    #expect(stored.accounts.first?.handle == "alice.example.com")
    #expect(stored.active == World.alice.account)
    #expect(try await store.grant(World.alice)?.tokens.refreshToken?.revealText() == "refresh-9")
    #expect(try world.count("account") == 2)
    #expect(try world.count("vault_row WHERE kind = 'grant'") == 2)
  }

  @Test("no token and no key is readable in any file (FB-A34)")
  func sealed() async throws {
    let grant = try World.grant(World.alice, tokens: "secret-name")
    _ = try await store.adopt(grant, missingScopes: [])
    let key = grant.dpopKey.rawRepresentation.reveal()
    let names = try FileManager.default.contentsOfDirectory(atPath: world.data.path)
    #expect(names.contains("core.sqlite-wal"))
    for name in names {
      let path = "\(world.data.path)/\(name)"
      guard let bytes = FileManager.default.contents(atPath: path) else { continue }
      #expect(bytes.range(of: Data("secret-name".utf8)) == nil, "\(name)")
      #expect(bytes.range(of: Data(key)) == nil, "\(name)")
    }
  }

  @Test("a sealed row moved to another account does not open")
  func swapped() async throws {
    try await adopt(World.alice, World.bob)
    try world.execute(
      """
      UPDATE vault_row SET
        nonce = (SELECT nonce FROM vault_row WHERE label = '\(World.alice)'),
        sealed = (SELECT sealed FROM vault_row WHERE label = '\(World.alice)')
      WHERE label = '\(World.bob)'
      """)
    await #expect(throws: StoreFault.corrupt("a sealed row does not open")) {
      try await store.grant(World.bob)
    }
    #expect(try await store.grant(World.alice) != nil)
  }

  @Test(
    "a damaged account must sign in again; the others are there, and its row is left as it is (FB-E3)",
    arguments: [
      "UPDATE account SET body = '{' WHERE id = '\(AccountsWorld.alice)'",
      "UPDATE account SET body = '{\"id\":7}' WHERE id = '\(AccountsWorld.alice)'",
      "UPDATE account SET body = replace(body, 'aaaa', 'aaab') WHERE id = '\(AccountsWorld.alice)'",
      "DELETE FROM vault_row WHERE label = '\(AccountsWorld.alice)'",
    ])
  func damagedRow(statement: String) async throws {
    try await adopt(World.bob, World.alice)
    try world.execute(statement)
    let damaged = try await world.reopenedStore()
    let before = try world.bodies()
    let list = try await damaged.load()
    #expect(list.accounts.map(\.id) == [World.bob.account, World.alice.account])
    #expect(list.accounts.map(\.standing) == [.ok, .expired(.damaged)])
    #expect(list.active == World.bob.account)
    #expect(try await damaged.damagedRows() == 1)
    #expect(try await damaged.grant(World.bob) != nil)

    // Whatever is done with the list, the row stays as it was found.
    _ = try await damaged.move(World.alice.account, before: World.bob.account)
    _ = try await damaged.update(World.alice.account) { $0.displayName = "x" }
    _ = try await damaged.activate(World.alice.account)
    #expect(try world.bodies() == before)

    // Its owner mends it.
    let mended = try await damaged.adopt(World.grant(World.alice, tokens: "1"), missingScopes: [])
    #expect(mended.accounts.map(\.standing) == [.ok, .ok])
    let again = try await world.reopenedStore()
    #expect(try await again.load() == mended)
    #expect(try await again.damagedRows() == 0)
  }

  @Test("a row that names no account at all is left out, counted and left as it is")
  func namelessRow() async throws {
    try await adopt(World.bob, World.alice)
    try world.execute("UPDATE account SET id = 'nobody' WHERE id = '\(World.alice)'")
    let before = try world.bodies()
    let damaged = try await world.reopenedStore()
    #expect(try await damaged.load().accounts.map(\.id) == [World.bob.account])
    #expect(try await damaged.damagedRows() == 1)
    _ = try await damaged.adopt(World.grant(World.carol), missingScopes: [])
    #expect(try world.bodies().filter { before[$0.key] != nil } == before)
  }

  // MARK: New tokens

  @Test("new tokens replace the ones they came from, once or twice")
  func replacing() async throws {
    let grant = try World.grant(World.alice)
    _ = try await store.adopt(grant, missingScopes: [])
    let renewed = try World.grant(World.alice, tokens: "1")
    for _ in 1...2 {
      guard case .done = try await store.replace(renewed, after: grant) else {
        Issue.record("not stored")
        return
      }
    }
    #expect(try await store.grant(World.alice)?.tokens.accessToken.revealText() == "access-1")
  }

  @Test("tokens of an older sign-in never replace those of a newer (FB-E8)")
  func superseded() async throws {
    let older = try World.grant(World.alice)
    _ = try await store.adopt(older, missingScopes: [])
    _ = try await store.adopt(World.grant(World.alice, tokens: "new"), missingScopes: [])
    let late = try World.grant(World.alice, tokens: "late")
    guard case .superseded(let held) = try await store.replace(late, after: older) else {
      Issue.record("the older sign-in won")
      return
    }
    #expect(held.tokens.accessToken.revealText() == "access-new")
    #expect(try await store.grant(World.alice)?.tokens.accessToken.revealText() == "access-new")
  }

  @Test("tokens for an account that was signed out meanwhile are not written")
  func replacingGone() async throws {
    let grant = try World.grant(World.alice)
    _ = try await store.adopt(grant, missingScopes: [])
    _ = try await store.remove(World.alice.account)
    guard case .gone = try await store.replace(grant, after: grant) else {
      Issue.record("written")
      return
    }
    #expect(try world.count("vault_row WHERE kind = 'grant'") == 0)
  }

  // MARK: The end

  @Test("a grant that ended leaves no credentials, a listed account and a successor")
  func ending() async throws {
    try await adopt(World.alice, World.bob, World.carol)
    let grant = try #require(try await store.grant(World.carol))
    guard case .done(let left) = try await store.end(grant, .refused) else {
      Issue.record("not ended")
      return
    }
    #expect(left.accounts.map(\.standing) == [.ok, .ok, .expired(.refused)])
    #expect(left.active == World.alice.account)
    #expect(try await store.grant(World.carol) == nil)
    #expect(try await world.reopenedStore().load() == left)
  }

  @Test("a refusal of an older grant does not end a newer one")
  func endingSuperseded() async throws {
    let older = try World.grant(World.alice)
    _ = try await store.adopt(older, missingScopes: [])
    _ = try await store.adopt(World.grant(World.alice, tokens: "new"), missingScopes: [])
    guard case .superseded = try await store.end(older, .refused) else {
      Issue.record("ended")
      return
    }
    #expect(try await store.load().accounts.map(\.standing) == [.ok])
  }

  @Test("signing in again revives an expired account")
  func reviving() async throws {
    try await adopt(World.alice)
    _ = try await store.end(try #require(try await store.grant(World.alice)), .refused)
    #expect(try await store.load().active == nil)
    let stored = try await store.adopt(World.grant(World.alice, tokens: "1"), missingScopes: [])
    #expect(stored.accounts.map(\.standing) == [.ok])
    #expect(stored.active == World.alice.account)
  }

  @Test("removing forgets everything of an account; the next one is active")
  func removing() async throws {
    try await adopt(World.alice, World.bob)
    let left = try await store.remove(World.bob.account)
    #expect(left.accounts.map(\.id.did) == [World.alice])
    #expect(left.active == World.alice.account)
    #expect(try await store.grant(World.bob) == nil)
    #expect(try await store.remove(World.bob.account) == left)
  }

  // MARK: Who is active

  @Test("the active account survives a restart, and reordering does not change it")
  func activating() async throws {
    try await adopt(World.alice, World.bob, World.carol)
    #expect(try await store.activate(World.bob.account)?.active == World.bob.account)
    let moved = try await store.move(World.carol.account, before: World.alice.account)
    #expect(moved.accounts.map(\.id.did) == [World.carol, World.alice, World.bob])
    #expect(moved.active == World.bob.account)
    #expect(try await world.reopenedStore().load() == moved)
  }

  @Test("an account without credentials cannot become active")
  func activatingExpired() async throws {
    try await adopt(World.alice, World.bob)
    _ = try await store.end(try #require(try await store.grant(World.alice)), .refused)
    #expect(try await store.activate(World.alice.account) == nil)
    #expect(try await store.activate(World.carol.account) == nil)
    #expect(try await store.load().active == World.bob.account)
  }

  @Test("an account moved into one gap again and again keeps its place on disk")
  func manyMoves() async throws {
    try await adopt(World.alice, World.bob, World.carol)
    for round in 0..<40 {
      let moving = [World.carol.account, World.bob.account][round % 2]
      let other = [World.bob.account, World.carol.account][round % 2]
      let moved = try await store.move(moving, before: other)
      #expect(moved.accounts.map(\.id) == [World.alice.account, moving, other])
      #expect(try await world.reopenedStore().load() == moved)
    }
    let last = try await store.move(World.alice.account, before: nil)
    #expect(last.accounts.last?.id.did == World.alice)
    #expect(try await store.move(World.alice.account, before: World.alice.account) == last)
    #expect(try await world.reopenedStore().load() == last)
  }

  @Test("a change that the disk does not take changes nothing of what is shown")
  func refusedChange() async throws {
    try await adopt(World.alice, World.bob)
    let before = try await store.current()
    try world.execute(
      "CREATE TRIGGER broken BEFORE UPDATE ON account BEGIN SELECT RAISE(ABORT, 'broken'); END")
    await #expect(throws: StoreFault.self) {
      try await store.update(World.alice.account) { $0.displayName = "Alice" }
    }
    await #expect(throws: StoreFault.self) {
      try await store.move(World.bob.account, before: World.alice.account)
    }
    #expect(try await store.current() == before)
    #expect(try await store.load() == before)
  }
}

extension AccountsWorld {
  /// What is written of each account, by the name of its row.
  fileprivate func bodies() throws -> [String: String] {
    let rows = try SQLiteConnection(path: data.databasePath).query("SELECT id, body FROM account")
    return Dictionary(rows.map { ($0.text("id") ?? "", $0.text("body") ?? "") }) { _, last in last }
  }
}

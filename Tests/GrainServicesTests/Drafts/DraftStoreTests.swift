import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import SystemClients
import Testing

@Suite("Drafts on disk")
struct DraftStoreTests {
  private let world: DraftWorld
  private var store: DraftStore { world.drafts }

  init() async throws { world = try await DraftWorld() }

  /// The drafts as a core that is started again would find them.
  private func reopened() throws -> DraftStore {
    try DraftStore(folder: world.accounts.data, clock: world.clock.clock, random: .live)
  }

  // MARK: Making, changing, removing

  @Test("a new draft is on disk with a private folder, and its creation time is frozen (FB-D14)")
  func creating() async throws {
    let draft = try await store.create(repo: DraftWorld.alice)
    #expect(draft.createdAt.rawValue == "2026-03-01T12:00:00.000Z")
    #expect(try await reopened().draft(draft.id) == draft)
    let folder = world.accounts.data.draftFolder(draft.id)
    let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o700)

    await world.clock.advance(by: .seconds(60))
    let changed = try await world.change(draft.id) { $0.title = "Later" }
    #expect(changed.createdAt == draft.createdAt)
    #expect(changed.updatedAt.rawValue == "2026-03-01T12:01:00.000Z")
  }

  @Test("every edit is on disk when it returns, and each is newer than the one before")
  func changing() async throws {
    let draft = try await world.draft(photos: 2)
    var revision = draft.revision
    let edits: [@Sendable (inout Draft) -> Void] = [
      { $0.description = "Ships" }, { $0.labels = ["nudity"] }, { $0.includeExif = false },
      { $0.photos["photo1"]?.alt = "A crane" }, { $0.photoOrder.reverse() },
      { draft in
        draft.photos["photo2"] = nil
        draft.photoOrder.removeAll { $0 == "photo2" }
      },
    ]
    for edit in edits {
      let changed = try await world.change(draft.id, edit)
      #expect(try await reopened().draft(draft.id) == changed)
      #expect(changed.revision > revision)
      revision = changed.revision
    }
    #expect(try await world.stored(draft.id).photos.keys.sorted() == ["photo1"])
  }

  @Test("one caption in a large draft writes that photograph's row and no other")
  func onlyChangedRows() async throws {
    let draft = try await world.draft(photos: 20)
    try world.accounts.execute("CREATE TABLE written (id TEXT)")
    for event in ["INSERT", "UPDATE"] {
      try world.accounts.execute(
        """
        CREATE TRIGGER note\(event) AFTER \(event) ON draft_photo
        BEGIN INSERT INTO written VALUES (new.id); END
        """)
    }
    _ = try await world.change(draft.id) { $0.photos["photo7"]?.alt = "A crane" }
    #expect(try world.accounts.count("written") == 1)
    #expect(try world.accounts.count("written WHERE id = 'photo7'") == 1)
  }

  @Test("an edit that cannot be saved changes nothing")
  func failing() async throws {
    let draft = try await world.draft(photos: 1)
    try world.accounts.execute(
      "CREATE TRIGGER full BEFORE UPDATE ON draft_photo BEGIN SELECT RAISE(ABORT, 'full'); END")
    await #expect(throws: StoreFault.self) {
      try await world.change(draft.id) { draft in
        draft.title = "Other"
        draft.photos["photo1"]?.alt = "Other"
      }
    }
    #expect(try await world.stored(draft.id) == draft)
  }

  @Test("a draft that is gone cannot be changed, and removing it twice is fine")
  func removing() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    try await store.remove(draft.id)
    try await store.remove(draft.id)
    #expect(try await store.draft(draft.id) == nil)
    #expect(try await store.change(draft.id) { $0.title = "x" } == nil)
    #expect(try await store.assignKeys(draft.id) == nil)
    #expect(try world.accounts.count("draft_photo") == 0)
    #expect(try world.folders() == [])
  }

  @Test("drafts are listed by account, oldest first")
  func listing() async throws {
    var expected: [String] = []
    for _ in 1...3 {
      expected.append(try await store.create(repo: AccountsWorld.alice).id)
      _ = try await store.create(repo: AccountsWorld.bob)
      await world.clock.advance(by: .seconds(1))
    }
    #expect(try await store.drafts(of: AccountsWorld.alice).map(\.id) == expected)
    #expect(try await store.drafts(of: AccountsWorld.carol).isEmpty)
  }

  @Test("a draft that cannot be read is a fault, never an empty one")
  func damaged() async throws {
    let draft = try await world.draft(photos: 1)
    try world.accounts.execute("UPDATE draft SET body = '{\"id\":1}'")
    let reopened = try reopened()
    await #expect(throws: StoreFault.self) { try await reopened.draft(draft.id) }
  }

  @Test("sweeping removes folders no draft owns and keeps the others")
  func sweeping() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    let orphan = world.accounts.data.draftFolder("orphan")
    try FileManager.default.createDirectory(
      atPath: orphan + "/deep", withIntermediateDirectories: true)
    try await store.sweep(expiringAfter: 7)
    #expect(try world.folders() == [draft.id])
    #expect(
      FileManager.default.fileExists(atPath: store.preparedPath(draft.id, file: "photo1.image")))
  }

  // MARK: Record keys

  private func keys(_ draft: Draft) throws -> [String] {
    let sending = try #require(draft.sending)
    return draft.photoOrder.compactMap { sending.photoKeys[$0] }
      .flatMap { [$0.photo.rawValue, $0.exif.rawValue, $0.item.rawValue] }
      + [sending.galleryKey.rawValue]
  }

  @Test("thirty photographs get valid keys, unique and ascending in their order (FB-D12)")
  func ascendingKeys() async throws {
    let draft = try await world.draft(photos: 30)
    let keyed = try #require(try await store.assignKeys(draft.id))
    let keys = try keys(keyed)
    #expect(keys.count == 91 && Set(keys).count == 91)
    #expect(keys == keys.sorted())
    for key in keys { _ = try TID(key) }
    #expect(try await reopened().draft(draft.id) == keyed)
  }

  @Test("also when the clock is set back by an hour between two (FB-D12)")
  func clockSetBack() async throws {
    let first = try await world.draft(photos: 2)
    let before = try keys(try #require(try await store.assignKeys(first.id)))
    world.clock.set(world.clock.now.addingTimeInterval(-3600))
    let second = try await world.draft(photos: 2)
    let after = try keys(try #require(try await store.assignKeys(second.id)))
    #expect(before + after == (before + after).sorted())
  }

  @Test("keys follow the order until a commit was sent, and are frozen from then on (FB-D10)")
  func frozenKeys() async throws {
    let draft = try await world.draft(photos: 2)
    let first = try #require(try await store.assignKeys(draft.id))
    _ = try await world.change(draft.id) { $0.photoOrder.reverse() }
    let again = try #require(try await store.assignKeys(draft.id))
    #expect(again.photoOrder == ["photo2", "photo1"])
    #expect(try keys(again) == keys(again).sorted())
    #expect(again.sending?.galleryKey != first.sending?.galleryKey)

    _ = try await world.change(draft.id) { $0.sending?.unansweredCommits = 1 }
    let sent = try #require(try await store.assignKeys(draft.id))
    #expect(try keys(sent) == keys(again))
    _ = try await world.change(draft.id) {
      $0.sending?.unansweredCommits = 0
      $0.sending?.committed = true
    }
    #expect(try keys(try #require(try await store.assignKeys(draft.id))) == keys(again))
  }

  // MARK: Names

  @Test("ids are long enough never to meet, and safe as names of files")
  func ids() async throws {
    let ids = (0..<200).map { _ in store.makePhotoID() }
    #expect(Set(ids).count == 200)
    let safe = Set("abcdefghijklmnopqrstuvwxyz234567")
    #expect(ids.allSatisfy { $0.count == 8 && $0.allSatisfy(safe.contains) })
    #expect(try await store.create(repo: DraftWorld.alice).id.count == 16)
  }
}

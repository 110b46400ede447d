import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import SQLiteDatabase
import SystemClients
import Testing

@Suite("How long drafts and their pictures are kept (§12)")
struct DraftKeepingTests {
  private let world: DraftWorld
  private var store: DraftStore { world.drafts }

  init() async throws { world = try await DraftWorld() }

  private func files(_ draft: String) throws -> Set<String> {
    Set(
      try FileManager.default.contentsOfDirectory(
        atPath: world.accounts.data.draftFolder(draft)))
  }

  @Test(
    "a draft that a gallery was being read into goes with the core that read it, and not before")
  func leftOver() async throws {
    let key = try RecordKey("3ke6kg3wk22k2")
    let opening = try await store.create(repo: DraftWorld.alice, opening: key)
    let own = try await world.draft(photos: 1)
    try await store.sweep(expiringAfter: 7)
    #expect(try await store.draft(opening.id)?.opening == key)
    let reopened = try DraftStore(
      folder: world.accounts.data, clock: world.clock.clock, random: .live)
    try await reopened.sweep(expiringAfter: 7)
    #expect(try await reopened.draft(opening.id) == nil)
    #expect(try await reopened.drafts(of: DraftWorld.alice).map(\.id) == [own.id])
    #expect(try world.folders() == [own.id])
  }

  // MARK: Drafts of a newer core

  @Test("a draft that a newer core has written is neither shown nor touched")
  func newer() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    let other = try await world.draft(photos: 1)
    let database = try SQLiteConnection(path: world.accounts.data.databasePath)
    func body() throws -> String? {
      try database.query("SELECT body FROM draft WHERE id = ?", [.text(draft.id)])
        .first?.text("body")
    }
    let written = try #require(try body())
      .replacing("\"format\":1", with: "\"format\":2,\"mood\":\"blue\"")
    try database.execute(
      "UPDATE draft SET body = ? WHERE id = ?", [.text(written), .text(draft.id)])

    let reopened = try DraftStore(
      folder: world.accounts.data, clock: world.clock.clock, random: .live)
    #expect(try await reopened.drafts(of: DraftWorld.alice).map(\.id) == [other.id])
    #expect(try await reopened.draft(draft.id) == nil)
    #expect(try await reopened.change(draft.id) { $0.title = "Mine" } == nil)
    for _ in 0..<2 {
      await world.clock.advance(by: .seconds(30 * 86_400))
      try await reopened.sweep(expiringAfter: 7)
    }
    #expect(try body() == written)
    #expect(try world.folders() == [draft.id])
    #expect(try files(draft.id) == ["photo1.image"])
    // Who discards all of an account's drafts means this one as well.
    try await reopened.removeAll(of: DraftWorld.alice)
    #expect(try world.folders() == [])
  }

  // MARK: Pictures

  @Test("the copy of a photograph that is taken out goes with it")
  func takenOut() async throws {
    let draft = try await world.preparedDraft(photos: 2)
    #expect(try files(draft.id) == ["photo1.image", "photo2.image"])
    _ = try await world.change(draft.id) { draft in
      draft.photos["photo1"] = nil
      draft.photoOrder.removeAll { $0 == "photo1" }
    }
    #expect(try files(draft.id) == ["photo2.image"])
  }

  @Test("a picture removed from the disk after it was added is published from its copy")
  func sourceGone() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    let source = try #require(draft.photos["photo1"]?.source)
    try FileManager.default.removeItem(atPath: source)
    _ = try await world.publish(draft).get()
  }

  @Test("a copy that is gone is made again; with the picture gone too its number is named")
  func copyGone() async throws {
    let copy = { [world] (draft: Draft) in
      world.accounts.data.draftFolder(draft.id) + "/photo2.image"
    }
    let first = try await world.preparedDraft(photos: 2)
    try FileManager.default.removeItem(atPath: copy(first))
    _ = try await world.publish(first).get()

    let second = try await world.preparedDraft(photos: 2)
    try FileManager.default.removeItem(atPath: copy(second))
    try FileManager.default.removeItem(atPath: try #require(second.photos["photo2"]?.source))
    #expect(
      await world.publish(second)
        == .failure(.photo(number: 2, id: "photo2", .unreadable)))
    #expect(try await world.stored(second.id).photoOrder == ["photo1", "photo2"])
  }
}

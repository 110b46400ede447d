import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("The list of drafts", .timeLimit(.minutes(1)))
struct DraftListTests {
  private let noon = "2026-03-01T12:00:00.000Z"
  private let weekLater = "2026-03-08T12:00:00.000Z"

  private func entry(_ title: String, photos: Int = 0) -> DraftListSnapshot.Draft {
    DraftListSnapshot.Draft(
      kind: .gallery, title: title, photoCount: photos, updatedAt: noon, expiresAt: weekLater,
      resumable: false)
  }

  @Test("a draft appears when it is made, follows its edits, and goes when it is discarded")
  func life() async throws {
    let world = await ModelWorld()
    let list = world.follow { $0.drafts.snapshot }
    #expect(
      list.snapshot
        == DraftListSnapshot(status: .idle, phase: .ready, can: [.galleryCreateDraft]))
    let gallery = await list.expectSnapshots(
      after: { try await world.models.createDraft() }, { $0.draft["draft-1"] = entry("") })
    await list.expectSnapshots(
      after: { try await gallery?.setDetails(GalleryDetails(title: "Lake")) },
      { $0.draft["draft-1"]?.title = "Lake" })
    await world.clock.advance(by: .seconds(60))
    await list.expectSnapshots(
      after: { try await gallery?.setDetails(GalleryDetails(description: "Blue")) },
      {
        $0.draft["draft-1"]?.updatedAt = "2026-03-01T12:01:00.000Z"
        $0.draft["draft-1"]?.expiresAt = "2026-03-08T12:01:00.000Z"
      })
    await list.expectSnapshots(
      after: { try await world.models.discardDraft("draft-1") }, { $0.draft = [:] })
  }

  @Test("drafts of others are hidden, and nobody's are shown to nobody (A30)")
  func others() async throws {
    let world = await ModelWorld(.both) { galleries in
      galleries.add("hers", of: .alice) { $0.title = "Hers" }
      galleries.add("his", of: .bob) { $0.title = "His" }
    }
    let list = world.follow { $0.drafts.snapshot }
    #expect(list.snapshot.draft == ["hers": entry("Hers")])
    let switching = try world.models.accounts.activate(DID.bob.rawValue)
    await list.expectSnapshots(
      after: { _ = await world.end(of: switching.operation) },
      { $0.draft = ["his": entry("His")] })
    await list.expectSnapshots(
      after: { world.accounts.change { $0 = .nobody } },
      {
        $0.draft = [:]
        $0.can = []
      })
    await #expect(throws: IntentRejection.self) { try await world.models.createDraft() }
  }

  @Test("a draft that is being sent, or could be, never expires; the list says so")
  func unfinished() async throws {
    let world = await ModelWorld { galleries in
      galleries.add("lake", of: .alice) { draft in
        draft.fill("Lake", photos: ["p1"])
        draft.sending = .known
      }
    }
    var expected = entry("Lake", photos: 1)
    expected.expiresAt = nil
    expected.resumable = true
    #expect(world.models.drafts.snapshot.draft == ["lake": expected])
  }

  @Test("a list that cannot be read says why, and keeps what it showed of the same account")
  func unreadable() async throws {
    let world = await ModelWorld { $0.add("lake", of: .alice) { $0.title = "Lake" } }
    let list = world.follow { $0.drafts.snapshot }
    world.galleries.fail(.drafts, with: .corrupt("page 3"))
    await list.expectSnapshots(
      after: { await world.models.drafts.reload() },
      {
        $0.status = .failed
        $0.problem = Problem(StoreFault.corrupt("page 3"))
      })
    world.galleries.fail(.drafts, with: nil)
    await list.expectSnapshots(
      after: { await world.models.drafts.reload() },
      {
        $0.status = .idle
        $0.problem = nil
      })
    world.galleries.fail(.create, with: .full)
    await #expect(throws: IntentRejection(Problem(StoreFault.full))) {
      try await world.models.createDraft()
    }
  }
}

import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import Testing

@MainActor
@Suite("Interrupted publishes are continued (§12)", .timeLimit(.minutes(1)))
struct ResumeTests {
  private let uri = "at://did:web:alice.test/social.grain.gallery/3lk2abc"

  /// Three drafts of Alice whose publish was interrupted, made in this order; the second set aside.
  private func world(_ accounts: AccountsState = .alice) async -> ModelWorld {
    await ModelWorld(accounts) { galleries in
      for (index, id) in ["a", "b", "c"].enumerated() {
        galleries.add(id, of: .alice) { draft in
          draft.fill("Gallery \(index)", photos: ["p1"])
          draft.sending = .known
          draft.sending?.isSetAside = id == "b"
        }
      }
      galleries.add("his", of: .bob) { draft in
        draft.fill("His", photos: ["p1"])
        draft.sending = .known
      }
    }
  }

  @Test("at the launch, oldest first, one after the other; what was set aside stays")
  func launch() async throws {
    let world = await world()
    world.models.beginResuming()
    await world.galleries.end("a", .success(try ATURI(uri)))
    await world.galleries.end("c", .success(try ATURI(uri)))
    await world.endings.wait { $0.count == 2 }
    await settle()
    for ending in world.endings.values {
      #expect(ending.intent == .galleryRetry)
      #expect(ending.outcome == .succeeded)
      #expect(ending.isResumed)
    }
    #expect(world.models.drafts.snapshot.draft.order == ["b"])
    #expect(world.galleries.draft("his") != nil, "somebody else's draft was sent")
  }

  @Test("the first failure ends it; the foreground begins anew")
  func failure() async throws {
    let world = await world()
    world.models.beginResuming()
    await world.galleries.end("a", .failure(.commit(.remote(.offline))))
    await world.endings.wait { $0.count == 1 }
    await settle()
    #expect(!world.galleries.isBeingSent("c"))
    #expect(try await world.models.gallery("a").snapshot.problem?.kind == .networkOffline)
    world.models.resume()
    await world.galleries.end("a", .success(try ATURI(uri)))
    await world.galleries.end("c", .success(try ATURI(uri)))
    await world.endings.wait { $0.count == 3 }
  }

  @Test("nothing is sent for an account that must sign in again, until it has (FB-D14)")
  func signsInAgain() async throws {
    var expired = AccountsState.alice
    expired.accounts[0].standing = .expired(.refused)
    let world = await world(expired)
    world.models.beginResuming()
    await settle()
    #expect(!world.galleries.isBeingSent("a"))
    world.accounts.change { $0.accounts[0].standing = .ok }
    await world.galleries.begun("a")
    await world.galleries.end("a", .failure(.cancelled))
    await world.endings.wait { $0.count == 1 }
  }

  @Test("a core that stops has set nothing aside: the next one goes on")
  func stopping() async throws {
    let world = await world()
    world.models.beginResuming()
    await world.galleries.begun("a")
    await world.models.operations.stopAll()
    #expect(world.galleries.draft("a")?.isInterrupted == true)
    await settle()
    #expect(!world.galleries.isBeingSent("c"))
  }

  @Test("before the shell is there nothing is sent, and expired drafts go with the launch")
  func quiet() async throws {
    let world = await ModelWorld { galleries in
      galleries.add("old", of: .alice) { $0.title = "Old" }
    }
    world.models.resume()
    await settle()
    #expect(world.galleries.draft("old") != nil)
    _ = try await world.models.gallery("old")
    await world.clock.advance(by: .seconds(7 * 86_400))
    world.models.beginResuming()
    await until { world.models.drafts.snapshot.draft.isEmpty }
    await #expect(throws: IntentRejection.self) { try await world.models.gallery("old") }
  }
}

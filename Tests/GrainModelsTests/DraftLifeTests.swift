import ATSyntax
import GrainModels
import GrainServices
import GrainSnapshots
import GrainTestSupport
import SystemClients
import Testing

@MainActor
@Suite("One model for one draft, all its life", .timeLimit(.minutes(1)))
struct DraftLifeTests {
  private let uri = "at://did:web:alice.test/social.grain.gallery/3lk2abc"

  /// Both accounts; Alice has a draft that can be sent, and Bob has none.
  private func world() async -> ModelWorld {
    await ModelWorld(.both) { $0.add("lake", of: .alice) { $0.fill("Lake", photos: ["p1"]) } }
  }

  private func activate(_ did: DID, in world: ModelWorld) async throws {
    let accepted = try world.models.accounts.activate(did.rawValue)
    #expect(await world.end(of: accepted.operation) == .succeeded)
  }

  @Test("who comes back to an account finds its sending draft as it is, not a second one (A30)")
  func comesBack() async throws {
    let world = await world()
    let model = try await world.models.gallery("lake")
    let sending = try model.publish()
    await world.galleries.begun("lake")
    try await activate(.bob, in: world)
    let refused = await #expect(throws: IntentRejection.self) {
      try await world.models.gallery("lake")
    }
    #expect(refused?.problem.kind == .galleryDraftUnknown)
    try await activate(.alice, in: world)
    let again = try await world.models.gallery("lake")
    #expect(again === model)
    #expect(try again.publish() == Accepted(operation: sending.operation, joined: true))
    await world.galleries.end("lake", .success(try ATURI(uri)))
    #expect(await world.end(of: sending.operation) == .succeeded)
  }

  @Test("a draft that is sent unseen goes on for its owner, and is gone from the list after")
  func unseen() async throws {
    let world = await world()
    let sending = try await world.models.gallery("lake").publish()
    await world.galleries.begun("lake")
    try await activate(.bob, in: world)
    await world.galleries.end("lake", .success(try ATURI(uri)))
    #expect(await world.end(of: sending.operation) == .succeeded)
    try await activate(.alice, in: world)
    #expect(world.models.drafts.snapshot.draft.isEmpty)
    await #expect(throws: IntentRejection.self) { try await world.models.gallery("lake") }
  }

  @Test("a published gallery is over for its shells once its end has been told")
  func closes() async throws {
    let world = await world()
    let told = Recorder<String>()
    world.models.onClose = { told.record("\($0) \($1)") }
    world.models.operations.onEnd = { [endings = world.endings] ending in
      told.record("\(ending.operation) ended")
      endings.record(ending)
    }
    let model = try await world.models.gallery("lake")
    let sending = try model.publish()
    await world.galleries.end("lake", .success(try ATURI(uri)))
    await told.wait { $0.count == 2 }
    #expect(told.values == ["\(sending.operation ?? "") ended", "lake published"])
    #expect(model.snapshot.phase == .published)
    let refused = await #expect(throws: IntentRejection.self) {
      try await world.models.gallery("lake")
    }
    #expect(refused?.problem.kind == .galleryDraftUnknown)
  }

  @Test("a draft made while another account became active is not opened for that account")
  func strangersDraft() async throws {
    let world = await world()
    // The disk is slow, and Bob becomes active before the draft is on it.
    await world.galleries.creating.shut()
    let making = Task { try await world.models.createDraft() }
    await world.galleries.creating.arrivals()
    try await activate(.bob, in: world)
    await world.galleries.creating.open()
    let refused = await #expect(throws: IntentRejection.self) { try await making.value }
    #expect(refused?.problem.kind == .intentStale)
    #expect(world.models.accounts.active == .bob)
    #expect(world.models.drafts.snapshot.draft.isEmpty)
    #expect(world.galleries.draft("draft-1") == nil, "a draft nobody asked for stays behind")
  }

  @Test("the list shows the draft that was changed last first")
  func order() async throws {
    let world = await ModelWorld()
    var made: [String] = []
    for _ in 0..<3 {
      made.append(try await world.models.createDraft().id)
      await world.clock.advance(by: .seconds(1))
    }
    #expect(world.models.drafts.snapshot.draft.order == made.reversed())
    _ = try await world.models.gallery(made[0]).setDetails(GalleryDetails(title: "Lake"))
    #expect(world.models.drafts.snapshot.draft.order == [made[0], made[2], made[1]])
  }

  @Test("a problem calls the account by its handle, where that is verified")
  func handle() async throws {
    var accounts = AccountsState.alice
    accounts.accounts[0].handle = "alice.test"
    let world = await ModelWorld(accounts) {
      $0.add("lake", of: .alice) { $0.fill("Lake", photos: ["p1"]) }
    }
    let sending = try await world.models.gallery("lake").publish()
    await world.galleries.end("lake", .failure(.commit(.sessionExpired(.alice))))
    guard case .failed(let problem) = await world.end(of: sending.operation) else {
      Issue.record("it did not fail")
      return
    }
    #expect(
      problem.message.fallback
        == "Your session has ended. The draft is kept; sign in again as @alice.test to publish it.")
  }

  @Test("a draft discarded together with its account is gone when the account comes back")
  func discarded() async throws {
    let world = await world()
    _ = try await world.models.gallery("lake")
    try await activate(.bob, in: world)
    try await world.galleries.door.remove("lake")
    try await activate(.alice, in: world)
    await #expect(throws: IntentRejection.self) { try await world.models.gallery("lake") }
  }
}

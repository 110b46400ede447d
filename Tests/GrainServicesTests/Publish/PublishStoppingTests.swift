import ATSyntax
import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("One publish at a time, and stopping one")
struct PublishStoppingTests {
  private let world: DraftWorld
  private var repository: ScriptedRepository { world.repository }

  init() async throws { world = try await DraftWorld() }

  /// Calls since the uploads.
  private var calls: [ScriptedRepository.Call] {
    repository.calls.filter { if case .upload = $0 { false } else { true } }
  }

  // MARK: The queue

  @Test("others wait for their turn and come in the order they were asked for")
  func queue() async throws {
    let publisher = world.publisher()
    let titles = ["first", "second", "third"]
    var drafts: [Draft] = []
    for title in titles { drafts.append(try await world.preparedDraft(title, photos: 1)) }
    let gate = repository.hold("photo1.image")
    var runs: [Task<Result<ATURI, PublishError>, Never>] = []
    for draft in drafts {
      let (world, count) = (world, runs.count)
      runs.append(Task { await world.publish(draft, with: publisher) })
      if count == 0 { await gate.arrivals(atLeast: 1) }
      for _ in 0..<50 { await Task.yield() }
    }
    #expect(repository.uploads.count == 1)
    gate.open()
    for run in runs { _ = try await run.value.get() }
    #expect(repository.landed.compactMap { $0.value["title"]?.stringValue } == titles)
  }

  @Test("one that fails lets the next one go on")
  func failureInQueue() async throws {
    let publisher = world.publisher()
    let bad = try await world.draft(photos: 0)
    let good = try await world.preparedDraft(photos: 1)
    async let first = world.publish(bad, with: publisher)
    async let second = world.publish(good, with: publisher)
    #expect(await first == .failure(.noPhotos))
    _ = try await second.get()
  }

  @Test("one that waits leaves the queue at once")
  func cancelledInQueue() async throws {
    let publisher = world.publisher()
    let first = try await world.preparedDraft("first", photos: 1)
    let second = try await world.preparedDraft("second", photos: 1)
    let gate = repository.hold("photo1.image")
    let running = Task { await world.publish(first, with: publisher) }
    await gate.arrivals(atLeast: 1)
    let waiting = Task { await world.publish(second, with: publisher) }
    waiting.cancel()
    #expect(await waiting.value == .failure(.cancelled))
    gate.open()
    _ = try await running.value.get()
    #expect(try await world.stored(second.id).sending == nil)
  }

  // MARK: Stopping

  @Test("uploads are cut off at once; what was up before stays known")
  func duringUpload() async throws {
    let draft = try await world.preparedDraft(photos: 2)
    let gate = repository.hold("photo2.image")
    let publishing = Task { await world.publish(draft) }
    await gate.arrivals(atLeast: 1)
    while try await world.stored(draft.id).photos["photo1"]?.blob == nil { await Task.yield() }
    publishing.cancel()
    gate.open()
    #expect(await publishing.value == .failure(.cancelled))
    #expect(!repository.calls.contains(.commit))
    let photos = try await world.stored(draft.id).photos
    #expect(photos["photo1"]?.blob != nil && photos["photo2"]?.blob == nil)

    repository.forgetCalls()
    _ = try await world.publish(draft).get()
    #expect(repository.uploads == ["photo2.image"])
  }

  @Test("a pause before a repeat is cut off at once")
  func duringPause() async throws {
    repository.onUpload("photo1.image", .remote(.timeout(host: "pds.test")))
    let draft = try await world.preparedDraft(photos: 1)
    let publisher = world.publisher(clock: world.clock.clock)
    let publishing = Task { await world.publish(draft, with: publisher) }
    await world.clock.sleepers(atLeast: 1)
    publishing.cancel()
    #expect(await publishing.value == .failure(.cancelled))
    #expect(repository.uploads.count == 1)
  }

  @Test("a commit is never cut off: if it lands, the gallery is published")
  func duringCommit() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    let gate = repository.hold("commit")
    let publishing = Task { await world.publish(draft) }
    await gate.arrivals(atLeast: 1)
    publishing.cancel()
    gate.open()
    #expect(await publishing.value == .success(try #require(repository.galleryAddress)))
    #expect(calls == [.commit, .index(4)])
  }

  @Test(
    "a commit whose answer was lost is asked for before the stop; it is not sent again",
    arguments: [true, false])
  func duringLostCommit(landed: Bool) async throws {
    let lost = CallFault.remote(.dropped(host: "pds.test"))
    repository.onCommit(landed ? .landsUnheard(lost) : .fails(lost))
    let draft = try await world.preparedDraft(photos: 1)
    let gate = repository.hold("commit")
    let publishing = Task { await world.publish(draft) }
    await gate.arrivals(atLeast: 1)
    publishing.cancel()
    gate.open()
    if landed {
      #expect(await publishing.value == .success(try #require(repository.galleryAddress)))
      #expect(calls == [.commit, .check, .index(4)])
    } else {
      #expect(await publishing.value == .failure(.cancelled))
      #expect(calls == [.commit, .check])
      #expect(try await world.stored(draft.id).sending?.unansweredCommits == 1)
    }
  }

  @Test("one that was cancelled before it began sends nothing")
  func beforehand() async throws {
    let draft = try await world.preparedDraft(photos: 1)
    let gate = Gate()
    let publishing = Task {
      await gate.pass()
      return await world.publish(draft)
    }
    publishing.cancel()
    gate.open()
    #expect(await publishing.value == .failure(.cancelled))
    #expect(repository.calls.isEmpty)
  }
}

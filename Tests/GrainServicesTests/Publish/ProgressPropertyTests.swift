import ATSyntax
import Foundation
import GrainServices
import GrainTestSupport
import SystemClients
import Testing

@Suite("Progress over random orders, failures and resumes")
struct ProgressPropertyTests {
  /// One gallery over one bad network, both of which a seed decides.
  private struct Story {
    let world: DraftWorld
    let random: SystemRandom
    let draft: Draft

    init(_ seed: UInt64) async throws {
      world = try await DraftWorld()
      random = .seeded(seed)
      let count = 1 + random.integer(below: 6)
      let draft = try await world.draft(photos: count)
      for photo in draft.photoOrder where random.integer(below: 2) == 0 {
        _ = try await world.workshop.prepare(photo, of: draft.id)
      }
      self.draft = draft
      let (random, repository) = (random, world.repository)
      repository.duringUploads {
        for _ in 0..<random.integer(below: 10) { await Task.yield() }
      }
      for photo in draft.photoOrder {
        let faults = (0..<random.integer(below: 7)).map { _ in Self.fault(random) }
        repository.onUploads("\(photo).image", faults)
      }
      repository.onCommits((0..<random.integer(below: 7)).map { _ in Self.commit(random) })
    }

    private static func fault(_ random: SystemRandom) -> CallFault {
      let all: [CallFault] = [
        .remote(.dropped(host: "pds.test")), .remote(.timeout(host: "pds.test")),
        .remote(.rateLimited(host: "pds.test", retryAfter: .seconds(1))),
        .refused(status: 400, error: "InvalidRequest", message: nil),
      ]
      return all[random.integer(below: all.count)]
    }

    private static func commit(_ random: SystemRandom) -> ScriptedRepository.Commit {
      let lost = CallFault.remote(.dropped(host: "pds.test"))
      let all: [ScriptedRepository.Commit] = [
        .lands, .landsUnheard(lost), .fails(lost),
        .fails(.refused(status: 400, error: "BlobNotFound", message: nil)),
        .fails(.refused(status: 400, error: "InvalidRequest", message: nil)),
      ]
      return all[random.integer(below: all.count)]
    }

    /// One run, which may be stopped in the middle, and what it told.
    func run() async -> (result: Result<ATURI, PublishError>, told: [PublishProgress]) {
      let before = world.progress.values.count
      var limits = CoreConfiguration.PublishLimits()
      limits.parallelUploads = 1 + random.integer(below: 3)
      let publisher = world.publisher(limits: limits)
      let (world, draft) = (world, draft)
      let work = Task { await world.publish(draft, with: publisher) }
      if random.integer(below: 4) == 0 {
        for _ in 0..<random.integer(below: 200) { await Task.yield() }
        work.cancel()
      }
      let result = await work.value
      return (result, Array(world.progress.values[before...]))
    }
  }

  @Test("it never runs backwards, and is at the end only once everything is at the server")
  func neverBackwards() async throws {
    let first = UInt64.random(in: 0..<1_000_000)
    var (runs, resumed, published) = (0, 0, 0)
    for seed in first..<first + 16 {
      let story = try await Story(seed)
      for attempt in 0..<12 {
        let isKnown = try await story.world.stored(story.draft.id).photos.values
          .filter { $0.blob != nil }.count
        let (result, told) = await story.run()
        runs += 1
        let note = Comment(rawValue: "seed \(seed), run \(attempt): \(told)")
        let percents = told.compactMap(\.percent)
        #expect(percents == percents.sorted(), note)
        let sent = told.compactMap { step -> Int64? in
          if case .uploading(_, _, let sent, _) = step { sent } else { nil }
        }
        #expect(sent == sent.sorted(), note)
        if attempt > 0, isKnown > 0, let start = percents.first {
          resumed += 1
          // What is at the server is not taken back by a resume.
          let count = story.draft.photoOrder.count
          let isPreparing = if case .preparing? = told.first { true } else { false }
          #expect(isPreparing || start >= 50 + 50 * isKnown / count, note)
        }
        let left = try await story.world.drafts.draft(story.draft.id)
        if told.contains(.committing), case .failure(let error) = result {
          // It was said that all is there: then the commit is what failed, or the server lost the bytes.
          let isUp = left?.photos.values.allSatisfy { $0.blob != nil } == true
          #expect(isUp || story.world.repository.calls.contains(.commit), "\(error), \(note)")
        }
        if left == nil {
          published += 1
          break
        }
      }
    }
    #expect(published > 3, "seed \(first)")
    #expect(runs > 16 && resumed > 1, "seed \(first)")
  }

  @Test("a photograph that fails is not counted as being at the server, not even for a moment")
  func failed() async throws {
    let world = try await DraftWorld()
    world.repository.onUpload(
      "photo2.image", .refused(status: 400, error: "InvalidRequest", message: nil))
    let draft = try await world.preparedDraft(photos: 2)
    let result = await world.publish(draft)
    #expect(throws: PublishError.self) { try result.get() }
    #expect(!world.progress.values.contains(.committing))
  }
}

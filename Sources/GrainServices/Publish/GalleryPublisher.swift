package import ATSyntax
import GrainLexicon
import StrictJSON
package import SystemClients

/// Sends drafts: photographs up, one commit, one word to the AppView; one draft at a time.
///
/// ``PublishMachine`` decides the order, this actor performs it and saves every step before the next
/// one depends on it, so that a crash at any moment is resumed, never repeated (FB-D10).
package actor GalleryPublisher {
  private let drafts: DraftStore
  private let workshop: PhotoWorkshop
  private let limits: CoreConfiguration.PublishLimits
  private let clock: SystemClock
  private let random: SystemRandom
  private let log: Log
  private var running: String?
  private var cancelled: Set<String> = []
  private var queue: [CheckedContinuation<Void, Never>] = []

  package init(
    drafts: DraftStore, workshop: PhotoWorkshop, limits: CoreConfiguration.PublishLimits,
    clock: SystemClock, random: SystemRandom, log: Log
  ) {
    self.drafts = drafts
    self.workshop = workshop
    self.limits = limits
    self.clock = clock
    self.random = random
    self.log = log
  }

  /// Publishes a draft, or continues where an earlier run stopped.
  ///
  /// - Parameters:
  ///   - id: the draft.
  ///   - accounts: gives the client of the draft's own account, whoever is active meanwhile.
  ///   - progress: hears every step; called in order.
  /// - Returns: the gallery's address. The draft is gone then.
  /// - Throws: why it is not up yet; the draft is kept.
  package func publish(
    _ id: String, accounts: AccountService,
    progress: @escaping @Sendable (PublishProgress) async -> Void
  ) async throws(PublishError) -> ATURI {
    cancelled.remove(id)
    await waitForTurn(id)
    defer { passTurn() }
    let draft = try await readied(id)
    guard let records = GalleryRecords(draft), let sending = draft.sending else {
      throw .draftUnknown
    }
    let client: RepositoryClient
    do throws(CallFault) {
      client = try await accounts.client(draft.repo)
      try await client.requireScope(ScopeNeed.publishing(draft))
    } catch {
      throw .commit(error)
    }
    var machine = PublishMachine(
      photos: draft.photoOrder,
      unprepared: draft.orderedPhotos.filter { $0.prepared == nil }.map(\.id),
      waiting: draft.orderedPhotos.filter { $0.blob == nil }.map(\.id),
      parallelUploads: limits.parallelUploads,
      attemptedBefore: sending.commitAttempts > 0, committed: sending.committed)
    let run = PublishRun(
      draft: draft, client: client, drafts: drafts, workshop: workshop, limits: limits,
      backoff: Backoff(clock: clock, random: random), log: log, progress: progress)
    var failure: PublishError?
    let finished = await withTaskGroup(of: PublishRun.Outcome.self) { group in
      func begin(_ actions: [PublishMachine.Action]) -> Bool? {
        for action in actions {
          switch action {
          case .finish: return true
          case .stop: return false
          default: group.addTask { await run.perform(action) }
          }
        }
        return nil
      }
      let first = machine.start()
      await run.report(machine)
      if let end = begin(first) { return end }
      while let outcome = await group.next() {
        if let error = outcome.failure, failure == nil { failure = error }
        var actions = machine.take(outcome.event)
        if cancelled.contains(id), !actions.contains(.finish), !actions.contains(.index) {
          // Actions that have not begun are dropped; what is under way still ends.
          let stopped = machine.take(.cancelRequested)
          actions = group.isEmpty ? [.stop] : stopped
        }
        await run.report(machine)
        if let end = begin(actions) { return end }
        if group.isEmpty { return false }
      }
      return false
    }
    guard finished else { throw failure ?? .cancelled }
    do throws(StoreFault) {
      try await drafts.remove(id)
    } catch {
      // The gallery is up. A draft that cannot be removed is known to be committed and indexed, so
      // the next run only removes it.
      log.write(.warn, "publish", "finished draft could not be removed", ["draft": id])
    }
    return records.galleryURI
  }

  /// Stops a draft's sending at the next safe point; what is up already stays known.
  package func cancel(_ id: String) {
    cancelled.insert(id)
  }

  /// Checks what can be checked without a network, and fixes the record keys.
  private func readied(_ id: String) async throws(PublishError) -> Draft {
    let found = try await stored { () async throws(StoreFault) in try await drafts.draft(id) }
    guard let found else { throw .draftUnknown }
    try DraftRules(limits: limits).check(found)
    let keyed = try await stored { () async throws(StoreFault) in try await drafts.assignKeys(id) }
    guard let keyed else { throw .draftUnknown }
    return keyed
  }

  private func stored<T: Sendable>(
    _ work: () async throws(StoreFault) -> T
  ) async throws(PublishError) -> T {
    do throws(StoreFault) {
      return try await work()
    } catch {
      throw .store(error)
    }
  }

  // MARK: One at a time

  private func waitForTurn(_ id: String) async {
    if running == nil {
      running = id
      return
    }
    await withCheckedContinuation { queue.append($0) }
    running = id
  }

  private func passTurn() {
    running = nil
    if queue.isEmpty { return }
    // The turn is passed on before the waiter runs: nobody can slip in between.
    running = ""
    queue.removeFirst().resume()
  }
}

package import ATSyntax
package import SystemClients

/// Sends drafts: photographs up, one commit, one word to the AppView; one draft at a time.
///
/// ``PublishMachine`` decides the order, ``PublishRun`` performs it and saves every step before the
/// next one depends on it, so that a crash at any moment is resumed, never repeated (FB-D10).
package struct GalleryPublisher: Sendable {
  /// Gives the client of an account, whoever is active meanwhile.
  package typealias Clients = @Sendable (DID) async throws(CallFault) -> RepositoryClient

  private let drafts: DraftStore
  private let workshop: PhotoWorkshop
  private let clients: Clients
  private let mentions: MentionResolver
  private let site: String
  private let limits: CoreConfiguration.PublishLimits
  private let backoff: Backoff
  private let log: Log
  private let turns = TurnQueue()

  /// A publisher with nothing to do yet; `site` is where galleries are read, and where a Bluesky post
  /// leads.
  package init(
    drafts: DraftStore, workshop: PhotoWorkshop, clients: @escaping Clients,
    mentions: MentionResolver = .none, site: String = CoreConfiguration().appServer,
    limits: CoreConfiguration.PublishLimits, clock: SystemClock, random: SystemRandom, log: Log
  ) {
    self.drafts = drafts
    self.workshop = workshop
    self.clients = clients
    self.mentions = mentions
    self.site = site
    self.limits = limits
    backoff = Backoff(clock: clock, random: random)
    self.log = log
  }

  /// Publishes a draft, or continues where an earlier run stopped.
  ///
  /// Cancelling the task stops it at the next safe point: in the queue and during preparation,
  /// uploads and pauses at once, never between a commit and the answer to it. A gallery that is up by
  /// then counts as published.
  ///
  /// - Parameters:
  ///   - id: the draft.
  ///   - progress: hears every step, one after the other.
  /// - Returns: the gallery's address. The draft is gone then, unless its Bluesky post is still owed:
  ///   the last progress says so, and publishing the draft again sends the post alone (FB-D11).
  /// - Throws: why it is not up yet; the draft is kept.
  package func publish(
    _ id: String, progress: @escaping @Sendable (PublishProgress) async -> Void
  ) async throws(PublishError) -> ATURI {
    guard await turns.take() else { throw .cancelled }
    defer { turns.pass() }
    let draft = try await readied(id)
    guard let address = GalleryRecords(draft)?.galleryURI else { throw .draftUnknown }
    let client: RepositoryClient
    do throws(CallFault) {
      client = try await clients(draft.repo)
      try await client.requireScope(ScopeNeed.publishing(draft))
    } catch {
      throw .commit(error)
    }
    let stop = StopSignal()
    let run = PublishRun(
      draft: draft, client: client, drafts: drafts, workshop: workshop, mentions: mentions,
      site: site, limits: limits, backoff: backoff, log: log, stop: stop)
    // A task of its own: cancelling ours must not cut off a commit.
    let sending = Task { await run.send(progress) }
    let failure = await withTaskCancellationHandler {
      await sending.value
    } onCancel: {
      stop.raise()
    }
    if let failure { throw failure }
    if await run.draft.owesPost { return address }
    do throws(StoreFault) {
      try await drafts.remove(id)
    } catch {
      // The gallery is up. The draft says so, and the next run only removes it.
      log.write(.warn, "publish", "finished draft could not be removed", ["draft": id])
    }
    return address
  }

  /// Checks what can be checked without a network, and fixes the record keys.
  private func readied(_ id: String) async throws(PublishError) -> Draft {
    let found = try await stored { () async throws(StoreFault) in try await drafts.draft(id) }
    try DraftRules(limits: limits).check(found)
    return try await stored { () async throws(StoreFault) in try await drafts.assignKeys(id) }
  }

  private func stored(
    _ read: () async throws(StoreFault) -> Draft?
  ) async throws(PublishError) -> Draft {
    let draft: Draft?
    do throws(StoreFault) {
      draft = try await read()
    } catch {
      throw .store(error)
    }
    guard let draft else { throw .draftUnknown }
    return draft
  }
}

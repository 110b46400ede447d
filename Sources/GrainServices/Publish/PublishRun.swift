import ATSyntax
import GrainLexicon
import SystemClients

/// One run of publishing one draft: performs the machine's actions, saves, and reports.
actor PublishRun {
  /// What an action came to.
  typealias Event = PublishMachine.Event

  /// The draft as it is on disk.
  var draft: Draft
  private var machine: PublishMachine
  let client: RepositoryClient
  private let drafts: DraftStore
  private let workshop: PhotoWorkshop
  let mentions: MentionResolver
  /// Where galleries are read.
  let site: String
  private let limits: CoreConfiguration.PublishLimits
  let backoff: Backoff
  private let log: Log
  let stop: StopSignal
  private let steps: AsyncStream<PublishProgress>
  private let tell: AsyncStream<PublishProgress>.Continuation
  private var shown: PublishProgress?
  /// Bytes that are out, of photographs being uploaded.
  private var sent: [String: Int64] = [:]
  private var commitsSent = 0
  private var failure: PublishError?
  /// Posts sent by this run.
  var postsSent = 0
  /// Why the post is not up: the newest word on it.
  var postFailure: CallFault?

  /// A run over a draft whose record keys are fixed.
  init(
    draft: Draft, client: RepositoryClient, drafts: DraftStore, workshop: PhotoWorkshop,
    mentions: MentionResolver, site: String, limits: CoreConfiguration.PublishLimits,
    backoff: Backoff, log: Log, stop: StopSignal
  ) {
    self.draft = draft
    self.client = client
    self.drafts = drafts
    self.workshop = workshop
    self.mentions = mentions
    self.site = site
    self.limits = limits
    self.backoff = backoff
    self.log = log
    self.stop = stop
    (steps, tell) = AsyncStream.makeStream()
    let waiting = draft.orderedPhotos.filter { $0.blob == nil }
    machine = PublishMachine(
      photos: draft.photoOrder.filter { draft.published?.photos[$0] == nil },
      unprepared: waiting.filter { !drafts.hasPrepared($0, of: draft.id) }.map(\.id),
      waiting: waiting.map(\.id), parallelUploads: limits.parallelUploads,
      attemptedBefore: (draft.sending?.unansweredCommits ?? 0) > 0,
      committed: draft.sending?.committed ?? false,
      wantsPost: draft.crossPost && draft.sending?.post?.posted != true,
      postedBefore: (draft.sending?.post?.unanswered ?? 0) > 0)
  }

  /// Sends the draft.
  ///
  /// - Parameter progress: hears what a person would see change, one after the other.
  /// - Returns: why it is not up yet, or `nil` when it is.
  func send(_ progress: @escaping @Sendable (PublishProgress) async -> Void) async -> PublishError?
  {
    let steps = steps
    async let told: Void = {
      for await step in steps { await progress(step) }
    }()
    let isUp = await performAll()
    if isUp { reportPost() }
    tell.finish()
    await told
    if isUp { return nil }
    return stop.isRaised ? .cancelled : failure ?? .cancelled
  }

  /// Performs actions until the machine says that it is over.
  private func performAll() async -> Bool {
    await withTaskGroup(of: Event.self) { group in
      if stop.isRaised { return false }
      var actions = machine.start()
      report()
      while true {
        for action in actions {
          switch action {
          case .finish: return true
          case .stop: return false
          default: group.addTask { await self.perform(action) }
          }
        }
        guard let event = await group.next() else { return false }
        if stop.isRaised { _ = machine.take(.cancelRequested) }
        actions = machine.take(event)
        report()
      }
    }
  }

  private func perform(_ action: PublishMachine.Action) async -> Event {
    switch action {
    case .prepare(let photo): await prepare(photo)
    case .upload(let photo): await upload(photo)
    case .checkLanded: await checkLanded()
    case .commit: await commit()
    case .index: await index()
    case .checkPosted: await checkPosted()
    case .post: await post()
    // These two end the loop instead of being performed.
    case .finish, .stop: .indexed
    }
  }

  // MARK: Photographs

  private func prepare(_ photo: String) async -> Event {
    let (workshop, id) = (workshop, draft.id)
    let result = await stop.stoppable { () async -> Result<Draft?, PhotoWorkshop.Failure> in
      do throws(PhotoWorkshop.Failure) {
        return .success(try await workshop.prepare(photo, of: id))
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let saved?):
      draft.photos[photo] = saved.photos[photo]
      return .prepared(photo: photo)
    case .success(nil): note(.draftUnknown)
    case .failure(.photo(let reason)): note(.photo(number: number(photo), id: photo, reason))
    case .failure(.store(let fault)): note(.store(fault))
    case .failure(.cancelled): note(.cancelled)
    }
    return .prepareFailed(photo: photo)
  }

  private func upload(_ photo: String) async -> Event {
    do throws(PublishError) {
      guard let prepared = draft.photos[photo]?.prepared else {
        throw .photo(number: number(photo), id: photo, .unreadable)
      }
      let blob: BlobReference
      do throws(CallFault) {
        blob = try await sendBytes(of: photo, prepared).get()
      } catch {
        throw .upload(number: number(photo), id: photo, error)
      }
      try await save { $0.photos[photo]?.blob = blob }
      return .uploaded(photo: photo)
    } catch {
      note(error)
      return .uploadFailed(photo: photo)
    }
  }

  private func sendBytes(
    of photo: String, _ prepared: DraftPhoto.Prepared
  ) async -> Result<BlobReference, CallFault> {
    let (client, backoff) = (client, backoff)
    let path = drafts.preparedPath(draft.id, file: prepared.file)
    let (counts, count) = AsyncStream.makeStream(
      of: Int64.self, bufferingPolicy: .bufferingNewest(1))
    async let counted: Void = follow(counts, of: photo)
    let result = await stop.stoppable { () async -> Result<BlobReference, CallFault> in
      do throws(CallFault) {
        return .success(
          try await backoff.repeating { () async throws(CallFault) -> BlobReference in
            do throws(CallFault) {
              return try await client.uploadBlob(path, prepared.mediaType) { count.yield($0) }
            } catch {
              if case .remote(.rateLimited) = error { await self.slowDown() }
              throw error
            }
          })
      } catch {
        return .failure(error)
      }
    }
    count.finish()
    await counted
    return result
  }

  private func slowDown() { machine.slowDown() }

  /// A repeated upload counts from zero again; the bar waits where it is.
  private func follow(_ counts: AsyncStream<Int64>, of photo: String) async {
    for await bytes in counts {
      sent[photo] = max(sent[photo] ?? 0, bytes)
      report()
    }
  }

  // MARK: The commit

  private func checkLanded() async -> Event {
    guard let key = draft.sending?.galleryKey else { return .landed(false) }
    do throws(CallFault) {
      guard let found = try await record(CollectionNames.gallery, key, isSent: commitsSent > 0),
        isLanded(found)
      else { return .landed(false) }
    } catch {
      // Cannot tell: counts as not landed, and the draft stays (grain-product §12).
      failure = failure ?? .commit(error)
      return .landed(false)
    }
    await markCommitted()
    return .landed(true)
  }

  private func commit() async -> Event {
    await findMentions()
    let base: Base
    do throws(CallFault) {
      let writes = GalleryRecords(draft)?.writes ?? []
      base = try await stop.stoppable { () async throws(CallFault) in
        try await self.base(of: writes)
      }
    } catch {
      note(.commit(error))
      return .commitFailed(mayRetry: Backoff.isWorthRepeating(error))
    }
    let since: CID?
    switch base {
    case .new: since = nil
    case .commit(let commit): since = commit
    case .changed:
      note(.changedElsewhere)
      return .commitImpossible
    }
    if draft.published != nil, GalleryRecords(draft)?.writes.isEmpty == true {
      // The draft says what is there already.
      await markCommitted()
      return .committed
    }
    if stop.isRaised { return .commitImpossible }
    do throws(PublishError) {
      // On disk before it is sent: after a crash the next run asks the PDS first.
      try await save { $0.sending?.unansweredCommits += 1 }
    } catch {
      note(error)
      return .commitImpossible
    }
    // What is sent is made from what is on disk, and is the whole gallery or nothing.
    guard let records = GalleryRecords(draft), records.isComplete else {
      note(.draftUnknown)
      return .commitImpossible
    }
    commitsSent += 1
    do throws(CallFault) {
      try await client.commit(records.writes, since)
    } catch {
      return await commitFailed(error)
    }
    await markCommitted()
    return .committed
  }

  private func commitFailed(_ error: CallFault) async -> Event {
    note(.commit(error))
    if case .refused(_, let name, _) = error {
      // The server has answered for this one: nothing of it is in the repository.
      await saveIfPossible { $0.sending?.unansweredCommits -= 1 }
      // Somebody else has written meanwhile; whether that matters is looked at before the next commit.
      if error.isSwapRefusal { return .commitFailed(mayRetry: true) }
      guard name == "BlobNotFound" else { return .commitFailed(mayRetry: false) }
      // The bar waits where it is until they are up again.
      for photo in draft.orderedPhotos { sent[photo.id] = Int64(photo.prepared?.bytes ?? 0) }
      await saveIfPossible { draft in
        for photo in draft.photoOrder where draft.published?.photos[photo] == nil {
          draft.photos[photo]?.blob = nil
        }
      }
      return .blobsGone
    }
    // A repeat of a landed create answers 500 (G108): what looks like a fault may be success, so
    // every failure is followed by the landing check, and only a passing one by another commit.
    guard Backoff.isWorthRepeating(error) else { return .commitFailed(mayRetry: false) }
    let (backoff, attempt) = (backoff, commitsSent)
    await stop.stoppable {
      // A pause that is cut short is as good: the landing check comes next.
      try? await backoff.wait(after: attempt, for: error)
    }
    return .commitFailed(mayRetry: true)
  }

  /// A store that fails now is no reason to call a landed gallery lost: the next run would ask the
  /// PDS, and hear that it is there.
  private func markCommitted() async {
    await saveIfPossible { $0.sending?.committed = true }
  }

  // MARK: The AppView

  private func index() async -> Event {
    guard draft.sending?.indexed != true, let records = GalleryRecords(draft) else {
      return .indexed
    }
    let uris = records.writes.map { $0.uri(in: draft.repo) }
    for start in stride(from: 0, to: uris.count, by: max(1, limits.indexBatch)) {
      let batch = Array(uris[start..<min(start + limits.indexBatch, uris.count)])
      do throws(CallFault) {
        try await client.indexRecords(batch)
      } catch {
        // The gallery is in the repository; the AppView's delay is not the person's problem (G50).
        log.write(.warn, "publish", "index call failed", ["error": "\(error)"])
      }
    }
    await saveIfPossible { $0.sending?.indexed = true }
    return .indexed
  }

  // MARK: Notes

  /// Keeps the failure to tell: the newest of the commit, else the first.
  private func note(_ error: PublishError) {
    switch error {
    case .commit, .changedElsewhere: failure = error
    default: failure = failure ?? error
    }
  }

  private func number(_ photo: String) -> Int {
    (draft.photoOrder.firstIndex(of: photo) ?? 0) + 1
  }

  func save(_ edit: @escaping @Sendable (inout Draft) -> Void) async throws(PublishError) {
    let saved: Draft?
    do throws(StoreFault) {
      saved = try await drafts.change(draft.id, edit)
    } catch {
      throw .store(error)
    }
    guard let saved else { throw .draftUnknown }
    // Uploads save side by side: an answer that comes late must not undo a later one.
    if saved.revision > draft.revision { draft = saved }
  }

  func saveIfPossible(_ edit: @escaping @Sendable (inout Draft) -> Void) async {
    do throws(PublishError) {
      try await save(edit)
    } catch {
      log.write(.warn, "publish", "progress could not be saved", ["draft": draft.id])
      edit(&draft)
    }
  }

  /// Tells what is or became of the post, where one is wanted.
  func reportPost(_ step: CrossPostStep? = nil) {
    guard draft.crossPost, let gallery = GalleryRecords(draft)?.galleryURI else { return }
    let isPosted = draft.sending?.post?.posted == true
    show(
      .crossPost(
        step ?? (isPosted ? .posted : .failed(postFailure ?? .cancelled)), gallery: gallery))
  }

  /// Tells the person when whole percents or photographs have changed, not every few bytes.
  private func report() {
    if machine.isPosting { return reportPost(.pending) }
    let count = machine.count
    let now: PublishProgress
    if machine.preparedCount < count {
      now = .preparing(done: machine.preparedCount, of: count)
    } else if machine.uploadedCount < count {
      let photos = draft.orderedPhotos.filter { draft.published?.photos[$0.id] == nil }
      now = .uploading(
        done: machine.uploadedCount, of: count,
        sentBytes: photos.reduce(0) { $0 + atServer($1) },
        totalBytes: photos.reduce(0) { $0 + Int64($1.prepared?.bytes ?? 0) })
    } else {
      now = .committing
    }
    show(now)
  }

  private func show(_ now: PublishProgress) {
    if let shown, shown.looksLike(now) { return }
    shown = now
    tell.yield(now)
  }

  private func atServer(_ photo: DraftPhoto) -> Int64 {
    photo.blob == nil ? sent[photo.id] ?? 0 : Int64(photo.prepared?.bytes ?? 0)
  }
}

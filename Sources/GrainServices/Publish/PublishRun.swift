import ATSyntax
import GrainLexicon
import StrictJSON
import SystemClients

/// One run of publishing one draft: performs the machine's actions, saves, and reports.
actor PublishRun {
  /// What an action came to: the event for the machine, and the failure for the person.
  struct Outcome: Sendable {
    let event: PublishMachine.Event
    var failure: PublishError?
  }

  private var draft: Draft
  private let client: RepositoryClient
  private let drafts: DraftStore
  private let workshop: PhotoWorkshop
  private let limits: CoreConfiguration.PublishLimits
  private let backoff: Backoff
  private let log: Log
  private let progress: @Sendable (PublishProgress) async -> Void
  private var sent: [String: Int64] = [:]
  private var counts = Counts()
  private var shown: PublishProgress?
  private var commitsThisRun = 0

  init(
    draft: Draft, client: RepositoryClient, drafts: DraftStore, workshop: PhotoWorkshop,
    limits: CoreConfiguration.PublishLimits, backoff: Backoff, log: Log,
    progress: @escaping @Sendable (PublishProgress) async -> Void
  ) {
    self.draft = draft
    self.client = client
    self.drafts = drafts
    self.workshop = workshop
    self.limits = limits
    self.backoff = backoff
    self.log = log
    self.progress = progress
  }

  /// Performs one action to its end.
  func perform(_ action: PublishMachine.Action) async -> Outcome {
    switch action {
    case .prepare(let photo): await prepare(photo)
    case .upload(let photo): await upload(photo)
    case .checkLanded: await checkLanded()
    case .commit: await commit()
    case .index: await index()
    case .finish, .stop: Outcome(event: .indexed)
    }
  }

  /// How many photographs are how far, as the machine counts them.
  private struct Counts {
    var prepared = 0
    var uploaded = 0
  }

  /// Takes over the machine's counts and tells the person how far it is.
  func report(_ machine: PublishMachine) async {
    counts = Counts(prepared: machine.preparedCount, uploaded: machine.uploadedCount)
    await report()
  }

  /// Tells the person when whole percents or photographs have changed, not every few bytes.
  private func report() async {
    let count = draft.photoOrder.count
    let now: PublishProgress
    if counts.prepared < count {
      now = .preparing(done: counts.prepared, of: count)
    } else if counts.uploaded < count {
      now = .uploading(
        done: counts.uploaded, of: count, sentBytes: sent.values.reduce(0, +),
        totalBytes: draft.orderedPhotos.reduce(0) { $0 + Int64($1.prepared?.bytes ?? 0) })
    } else {
      now = .committing
    }
    if let shown, shown.looksLike(now) { return }
    shown = now
    await progress(now)
  }

  private func number(_ photo: String) -> Int {
    (draft.photoOrder.firstIndex(of: photo) ?? 0) + 1
  }

  private func prepare(_ photo: String) async -> Outcome {
    do throws(PhotoWorkshop.Failure) {
      if let changed = try await workshop.prepare(photo, of: draft.id) {
        draft.photos[photo] = changed.photos[photo]
      }
      return Outcome(event: .prepared(photo: photo))
    } catch {
      let failure: PublishError =
        switch error {
        case .photo(let reason): .photo(number: number(photo), id: photo, reason)
        case .store(let fault): .store(fault)
        case .cancelled: .cancelled
        }
      return Outcome(event: .prepareFailed(photo: photo), failure: failure)
    }
  }

  private func upload(_ photo: String) async -> Outcome {
    guard let prepared = draft.photos[photo]?.prepared else {
      return Outcome(
        event: .uploadFailed(photo: photo),
        failure: .photo(number: number(photo), id: photo, .unreadable))
    }
    let path = drafts.preparedPath(draft.id, file: prepared.file)
    let client = client
    do throws(CallFault) {
      let blob = try await backoff.repeating { () async throws(CallFault) -> BlobReference in
        try await client.uploadBlob(path, prepared.mediaType) { bytes in
          Task { await self.sentBytes(bytes, of: photo) }
        }
      }
      sent[photo] = Int64(prepared.bytes)
      try await save { draft in draft.photos[photo]?.blob = blob }
      return Outcome(event: .uploaded(photo: photo))
    } catch {
      return Outcome(
        event: .uploadFailed(photo: photo),
        failure: .upload(number: number(photo), id: photo, error))
    }
  }

  private func sentBytes(_ bytes: Int64, of photo: String) async {
    sent[photo] = max(sent[photo] ?? 0, bytes)
    await report()
  }

  private func checkLanded() async -> Outcome {
    guard let key = draft.sending?.galleryKey else { return Outcome(event: .landed(false)) }
    do throws(CallFault) {
      let record = try await client.getRecord(CollectionNames.gallery, key)
      if record != nil { try await save { $0.sending?.committed = true } }
      return Outcome(event: .landed(record != nil))
    } catch {
      // Cannot tell: counts as not landed, and the draft stays (grain-product §12).
      return Outcome(event: .landed(false), failure: .commit(error))
    }
  }

  private func commit() async -> Outcome {
    guard let writes = GalleryRecords(draft)?.writes else {
      return Outcome(event: .commitFailed(mayRetry: false), failure: .draftUnknown)
    }
    do throws(CallFault) {
      // On disk before it is sent: after a crash the next run asks the PDS first.
      try await save { $0.sending?.commitAttempts += 1 }
      commitsThisRun += 1
      try await client.applyWrites(writes)
      try await save { $0.sending?.committed = true }
      return Outcome(event: .committed)
    } catch {
      if case .refused(_, "BlobNotFound", _) = error {
        try? await save { draft in  // the uploads are repeated either way
          for photo in draft.photoOrder { draft.photos[photo]?.blob = nil }
        }
        return Outcome(event: .blobsGone, failure: .commit(error))
      }
      // A repeat of a landed create answers 500 (G108): what looks like a fault may be success, so
      // every failure is followed by the landing check, and only a passing one by another commit.
      if error.isTransient { try? await backoff.wait(after: commitsThisRun, for: error) }  // paused
      return Outcome(event: .commitFailed(mayRetry: error.isTransient), failure: .commit(error))
    }
  }

  private func index() async -> Outcome {
    guard draft.sending?.indexed != true, let records = GalleryRecords(draft) else {
      return Outcome(event: .indexed)
    }
    let uris = records.writes.map { $0.uri(in: draft.repo) }
    for start in stride(from: 0, to: uris.count, by: limits.indexBatch) {
      let batch = Array(uris[start..<min(start + limits.indexBatch, uris.count)])
      do throws(CallFault) {
        try await client.indexRecords(batch)
      } catch {
        // The gallery is in the repository; the AppView's delay is not the person's problem (G50).
        log.write(.warn, "publish", "index call failed", ["error": "\(error)"])
      }
    }
    return Outcome(event: .indexed)
  }

  private func save(_ edit: @escaping @Sendable (inout Draft) -> Void) async throws(CallFault) {
    do throws(StoreFault) {
      guard let saved = try await drafts.change(draft.id, edit) else { return }
      draft = saved
    } catch {
      throw .store(error)
    }
  }
}

package import ATSyntax
import GrainLexicon
import StrictJSON
package import SystemClients

/// Why a published gallery could not be opened or deleted.
package enum PublishedGalleryError: Error, Equatable, Sendable {
  /// The account has no such gallery.
  case unknown
  /// It keeps changing under our hands.
  case changedElsewhere
  case call(CallFault)
  case store(StoreFault)
}

/// Galleries that are up: opened as drafts, and deleted with all that hangs off them.
package struct PublishedGalleries: Sendable {
  private let drafts: DraftStore
  private let clients: GalleryPublisher.Clients
  private let limits: CoreConfiguration.PublishLimits
  private let backoff: Backoff
  private let log: Log

  /// The most writes a server takes in one request (wire §11.4).
  static let mostWrites = 200
  /// How often a deletion starts over when the repository has moved on meanwhile.
  static let attempts = 4

  /// Works on the repositories behind these clients.
  package init(
    drafts: DraftStore, clients: @escaping GalleryPublisher.Clients,
    limits: CoreConfiguration.PublishLimits, clock: SystemClock, random: SystemRandom, log: Log
  ) {
    self.drafts = drafts
    self.clients = clients
    self.limits = limits
    backoff = Backoff(clock: clock, random: random)
    self.log = log
  }

  // MARK: Opening

  /// Fills a draft with a gallery of its account, as the PDS has it.
  ///
  /// - Returns: the draft as saved, or `nil` when it is gone.
  package func open(
    _ gallery: RecordKey, in id: String
  ) async throws(PublishedGalleryError) -> Draft? {
    guard
      let draft = try await stored({ () async throws(StoreFault) in try await drafts.draft(id) })
    else { return nil }
    let (client, survey) = try await survey(gallery, of: draft.repo)
    guard let head = survey.gallery else { throw .unknown }
    var photos: [DraftPhoto] = []
    var originals: [String: PublishedGallery.Photo] = [:]
    for item in survey.items {
      guard let address = item.item, let record = survey.photos[address] else { continue }
      let id = drafts.makePhotoID()
      guard let photo = await Self.photo(id, record, client) else { continue }
      photos.append(photo)
      originals[id] = PublishedGallery.Photo(
        photo: record, item: item, exif: survey.notes[address] ?? [],
        isShared: survey.shared.contains(address))
    }
    let published = PublishedGallery(commit: survey.commit, gallery: head, photos: originals)
    let shown = photos
    return try await stored { () async throws(StoreFault) in
      try await drafts.change(id) { draft in
        draft.readFields(of: head.value)
        draft.includeExif = published.photos.values.contains { !$0.exif.isEmpty }
        draft.photos = Dictionary(
          shown.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        draft.photoOrder = shown.map(\.id)
        draft.published = published
        draft.opening = nil
      }
    }
  }

  /// A published photograph as a draft shows it: its bytes stay where they are.
  private static func photo(
    _ id: String, _ record: RepositoryRecord, _ client: RepositoryClient
  ) async -> DraftPhoto? {
    guard let blob = record.value["photo"].flatMap(BlobReference.init(json:)) else { return nil }
    var photo = DraftPhoto(id: id, source: await client.blobAddress(blob.cid))
    photo.alt = record.value["alt"]?.stringValue ?? ""
    photo.blob = blob
    photo.prepared = DraftPhoto.Prepared(
      file: "\(id).image", mediaType: blob.mimeType,
      width: max(1, record.value["aspectRatio"]?["width"]?.intValue ?? 1),
      height: max(1, record.value["aspectRatio"]?["height"]?.intValue ?? 1), bytes: blob.size,
      exif: nil)
    return photo
  }

  // MARK: Deleting

  /// Deletes a gallery with its photographs, their notes, and the account's own favourites and comments
  /// on it; those of others are theirs.
  ///
  /// The AppView is asked first. What it says is checked at the PDS, and what it left is deleted there
  /// (G115): in one commit as a rule, else the head record last, so that a deletion that was cut off
  /// can be asked for again. The addresses of all that went are told to the AppView (G47).
  ///
  /// Cancelling the task stops it as long as nothing was written; what was sent is heard to its end.
  package func delete(
    _ gallery: RecordKey, of did: DID
  ) async throws(PublishedGalleryError) {
    let found = try await survey(gallery, of: did)
    if Task.isCancelled { throw .call(.cancelled) }
    let stop = StopSignal()
    // A task of its own: cancelling ours must not cut off a write.
    let deleting = Task { () async -> PublishedGalleryError? in
      do throws(PublishedGalleryError) {
        try await erase(gallery, of: did, found, stop)
        return nil
      } catch {
        return error
      }
    }
    let failure = await withTaskCancellationHandler {
      await deleting.value
    } onCancel: {
      stop.raise()
    }
    if let failure { throw failure }
  }

  private func erase(
    _ gallery: RecordKey, of did: DID, _ found: (RepositoryClient, GallerySurvey),
    _ stop: StopSignal
  ) async throws(PublishedGalleryError) {
    let address = ATURI(did, CollectionNames.gallery, gallery)
    var (client, survey) = found
    var doomed = survey.deletions([]).map { $0.uri(in: did) }
    do throws(CallFault) {
      try await client.deleteGallery(gallery)
      survey = try await GallerySurvey.read(gallery, of: did, client)
    } catch {
      log.write(.info, "publish", "the AppView deleted nothing", ["error": "\(error)"])
    }
    var attempt = 1
    var hasWritten = false
    while true {
      do throws(CallFault) {
        var said = try await remarks(on: address, client, stop)
        if stop.isRaised, !hasWritten, await isUntouched(since: found.1.commit, client) {
          throw .cancelled
        }
        if said == nil { said = try await client.remarks(on: address) }
        let writes = survey.deletions(said ?? [])
        hasWritten = true
        doomed += writes.map { $0.uri(in: did) }.filter { !doomed.contains($0) }
        try await apply(writes, since: survey.commit, client)
        break
      } catch {
        if stop.isRaised { throw .call(.cancelled) }
        guard attempt < Self.attempts, error.isSwapRefusal || Backoff.isWorthRepeating(error) else {
          throw error.isSwapRefusal ? .changedElsewhere : .call(error)
        }
        // What looks like a fault may be success (G108): what is left is read anew.
        (client, survey) = try await again(gallery, of: did, after: attempt, error, stop)
        attempt += 1
      }
    }
    if !doomed.contains(address) { doomed.append(address) }
    await tell(doomed, client)
  }

  /// What is said about a gallery; `nil` when a stop has cut the question off.
  private func remarks(
    on address: ATURI, _ client: RepositoryClient, _ stop: StopSignal
  ) async throws(CallFault) -> [RecordWrite]? {
    do throws(CallFault) {
      return try await stop.stoppable { () async throws(CallFault) in
        try await client.remarks(on: address)
      }
    } catch .cancelled {
      return nil
    }
  }

  /// Whether nothing has gone for certain: nobody has written to the repository.
  private func isUntouched(since commit: CID, _ client: RepositoryClient) async -> Bool {
    // Cannot tell: then what was begun is finished.
    (try? await client.latestCommit()) == commit
  }

  /// Reads what is left, after the pause that a fault asks for.
  private func again(
    _ gallery: RecordKey, of did: DID, after attempt: Int, _ fault: CallFault, _ stop: StopSignal
  ) async throws(PublishedGalleryError) -> (RepositoryClient, GallerySurvey) {
    try await stop.stoppable { () async throws(PublishedGalleryError) in
      if !fault.isSwapRefusal {
        do throws(CallFault) {
          try await backoff.wait(after: attempt, for: fault)
        } catch {
          throw .call(error)
        }
      }
      return try await survey(gallery, of: did)
    }
  }

  private func apply(
    _ writes: [RecordWrite], since commit: CID, _ client: RepositoryClient
  ) async throws(CallFault) {
    var expected: CID? = commit
    for start in stride(from: 0, to: writes.count, by: Self.mostWrites) {
      let batch = Array(writes[start..<min(start + Self.mostWrites, writes.count)])
      try await client.commit(batch, expected)
      // Our own batch has moved the repository on.
      expected = nil
    }
  }

  private func tell(_ addresses: [ATURI], _ client: RepositoryClient) async {
    let size = max(1, limits.indexBatch)
    for start in stride(from: 0, to: addresses.count, by: size) {
      do throws(CallFault) {
        try await client.indexRecords(
          Array(addresses[start..<min(start + size, addresses.count)]))
      } catch {
        // It is gone from the repository; the AppView's delay is not the person's problem (G50).
        log.write(.warn, "publish", "index call failed", ["error": "\(error)"])
      }
    }
  }

  // MARK: Reading

  private func survey(
    _ gallery: RecordKey, of did: DID
  ) async throws(PublishedGalleryError) -> (RepositoryClient, GallerySurvey) {
    do throws(CallFault) {
      let client = try await clients(did)
      let survey = try await backoff.repeating { () async throws(CallFault) -> GallerySurvey in
        try await GallerySurvey.read(gallery, of: did, client)
      }
      return (client, survey)
    } catch {
      throw .call(error)
    }
  }

  private func stored(
    _ work: () async throws(StoreFault) -> Draft?
  ) async throws(PublishedGalleryError) -> Draft? {
    do throws(StoreFault) {
      return try await work()
    } catch {
      throw .store(error)
    }
  }
}

extension CallFault {
  /// The repository is not at the commit that was named.
  var isSwapRefusal: Bool {
    if case .refused(_, "InvalidSwap", _) = self { true } else { false }
  }
}

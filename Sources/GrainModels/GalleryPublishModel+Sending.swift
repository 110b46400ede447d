import ATSyntax
import GrainServices
package import GrainSnapshots

extension GalleryPublishModel {
  /// Adds picture files in order and prepares them one after the other.
  package func addPhotos(_ paths: [String]) async throws(IntentRejection) -> Accepted {
    try require(.galleryAddPhotos)
    if paths.isEmpty { throw .invalid("/files") }
    for (index, path) in paths.enumerated() where !path.hasPrefix("/") {
      throw .invalid("/files/\(index)/path")
    }
    let count = draft.photoOrder.count + paths.count
    if count > galleries.limits.photos {
      throw IntentRejection(
        Problem(
          .tooManyPhotos(count: count, limit: galleries.limits.photos), name: name,
          account: account))
    }
    let added = paths.map { DraftPhoto(id: galleries.makePhotoID(), source: $0) }
    var next = draft
    for photo in added {
      next.photos[photo.id] = photo
      next.photoOrder.append(photo.id)
    }
    try refuseOutgrowing(next) { bytes, limit in
      Problem(
        .galleryTooManyPhotos, params: ["limit": .integer(draft.photoOrder.count)],
        fallback: "With these photos the draft becomes too large for the app. Add fewer of them.",
        field: "/files", details: ["bytes": .integer(bytes), "limit": .integer(limit)])
    }
    _ = try await edit { draft in
      for photo in added {
        draft.photos[photo.id] = photo
        draft.photoOrder.append(photo.id)
      }
    }
    let operation = operations.start(.galleryAddPhotos) { [weak self] operation in
      await self?.prepare(added.map(\.id), operation) ?? .cancelled
    }
    running = (operation, .galleryAddPhotos)
    return Accepted(operation: operation)
  }

  private func prepare(_ photos: [String], _ operation: String) async -> OperationCenter.Outcome {
    var outcome = OperationCenter.Outcome.succeeded
    for (index, photo) in photos.enumerated() {
      if Task.isCancelled {
        outcome = .cancelled
        break
      }
      // Taken out again before its turn came.
      if draft.photos[photo] == nil { continue }
      operations.progress(
        operation, done: Int64(index), total: Int64(photos.count), unit: "photos")
      preparing = [photo]
      defer { preparing = [] }
      do throws(PhotoWorkshop.Failure) {
        if let saved = try await galleries.prepare(photo, id) { take(saved) }
      } catch {
        if error == .cancelled {
          outcome = .cancelled
          break
        }
        // Nobody misses a photograph that was taken out meanwhile.
        guard let failure = failed(photo, error) else { continue }
        if outcome == .succeeded { outcome = .failed(failure) }
      }
    }
    await onDraftChange()
    running = nil
    if case .failed(let problem) = outcome { self.problem = problem }
    return outcome
  }

  private func failed(_ photo: String, _ failure: PhotoWorkshop.Failure) -> Problem? {
    switch failure {
    case .photo(let reason):
      if draft.photos[photo] == nil { return nil }
      draft.photos[photo]?.failure = reason
      return Problem(reason, name: name(photo))
    case .store(let fault):
      return Problem(fault)
    case .cancelled:
      return Problem(.requestCancelled)
    }
  }

  private var account: String { nameOfAccount(repo) }

  /// Continues an interrupted publish on the core's own account.
  ///
  /// - Returns: the operation; `nil` when the person is about something else with this draft.
  func resume() throws(IntentRejection) -> String? {
    guard !isBusy, draft.isInterrupted else { return nil }
    return try publish(.galleryRetry, isResumed: true).operation
  }

  /// Sends the draft; an equal request joins the one under way.
  package func publish(
    _ intent: IntentName = .galleryPublish, isResumed: Bool = false
  ) throws(IntentRejection) -> Accepted {
    if let running, Self.sending.contains(running.intent) {
      return Accepted(operation: running.operation, joined: true)
    }
    try require(intent)
    if phase == .published { return retryCrossPost(intent) }
    do throws(PublishError) {
      try DraftRules(limits: galleries.limits).check(draft)
    } catch {
      throw IntentRejection(Problem(error, name: name, account: account))
    }
    problem = nil
    percent = nil
    phase = draft.orderedPhotos.contains { $0.prepared == nil } ? .preparing : .uploading
    // The operation keeps this model: a draft is sent on for its owner even when nobody looks.
    let operation = operations.start(
      intent, isResumed: isResumed, work: { await self.send($0) },
      then: { outcome in
        // With its post still owed, the draft and its screen stay.
        if outcome == .succeeded, self.crossPostStatus != .failed { self.onPublished() }
      })
    running = (operation, intent)
    return Accepted(operation: operation)
  }

  /// The intents that send a draft, or what is left of it.
  static let sending: Set<IntentName> = [
    .galleryPublish, .galleryRetry, .galleryRetryCrossPost,
  ]

  /// Sends the Bluesky post of a gallery that is up, and nothing else (FB-D11).
  private func retryCrossPost(_ intent: IntentName) -> Accepted {
    problem = nil
    crossPostStatus = .pending
    let operation = operations.start(
      intent, work: { await self.send($0) },
      then: { outcome in
        if outcome == .succeeded, self.crossPostStatus != .failed { self.onPublished() }
      })
    running = (operation, intent)
    return Accepted(operation: operation)
  }

  /// Stops sending at a safe point; the draft is kept and set aside until it is told to go on.
  package func cancelPublish() throws(IntentRejection) -> Accepted {
    try require(.galleryCancelPublish)
    if let running { _ = operations.cancel(running.operation) }
    return Accepted()
  }

  private func send(_ operation: String) async -> OperationCenter.Outcome {
    let outcome: OperationCenter.Outcome
    await setAside(false)
    do throws(PublishError) {
      let uri = try await galleries.publish(id) { [weak self] progress in
        await self?.show(progress, operation)
      }
      await reload()
      // Who stops the post stops it for good, as with a gallery.
      if Task.isCancelled, !operations.isStopping, draft.owesPost { await setAside(true) }
      await onDraftChange()
      phase = .published
      percent = 100
      publishedURI = uri.rawValue
      // The post is a matter of its own: it never fails the gallery (FB-D11).
      let isOwed = running?.intent == .galleryRetryCrossPost && crossPostStatus == .failed
      outcome = isOwed ? problem.map { .failed($0) } ?? .cancelled : .succeeded
    } catch {
      // A core that stops has not changed anybody's mind: the publish is continued at its next start.
      if error == .cancelled, !operations.isStopping { await setAside(true) }
      await reload()
      await onDraftChange()
      percent = draft.owesPost ? 100 : nil
      if draft.owesPost {
        // What failed was to begin with the post; the gallery stays up.
        phase = .published
        crossPostStatus = .failed
        let failure = Problem(error, name: name, account: account)
        problem = error == .cancelled ? nil : failure
        outcome = error == .cancelled ? .cancelled : .failed(failure)
      } else if error == .cancelled {
        phase = .editing
        outcome = .cancelled
      } else {
        let failure = Problem(error, name: name, account: account)
        phase = .failed
        problem = failure
        outcome = .failed(failure)
      }
    }
    running = nil
    return outcome
  }

  private func show(_ progress: PublishProgress, _ operation: String) async {
    guard running?.operation == operation else { return }
    switch progress {
    case .preparing: phase = .preparing
    case .uploading(_, _, let sent, let total):
      phase = .uploading
      operations.progress(operation, done: sent, total: total, unit: "bytes")
    case .committing: phase = .committing
    case .crossPost(let step, let gallery):
      phase = .published
      publishedURI = gallery.rawValue
      show(step)
    }
    percent = progress.percent
    await reload()
  }

  /// Notes that the person has stopped sending, or wants it again; where nothing was begun there is
  /// nothing to note.
  private func setAside(_ isSetAside: Bool) async {
    if let sending = draft.sending, sending.isSetAside == isSetAside { return }
    if draft.sending == nil, !isSetAside { return }
    do throws(StoreFault) {
      if let saved = try await galleries.change(id, { $0.sending?.isSetAside = isSetAside }) {
        take(saved)
      }
    } catch {
      // Sending meets the same disk, and says what is wrong with it.
      return
    }
  }

  private func show(_ step: CrossPostStep) {
    switch step {
    case .pending: crossPostStatus = .pending
    case .posted:
      crossPostStatus = .posted
      problem = nil
    case .failed(let fault):
      crossPostStatus = .failed
      // Who has stopped it need not be told.
      problem = fault == .cancelled ? nil : Problem(crossPost: fault, account: account)
    }
  }

  /// Takes over what the publisher saved meanwhile.
  private func reload() async {
    do throws(StoreFault) {
      if let saved = try await galleries.draft(id) { take(saved) }
    } catch {
      // What is shown stays; the failure of sending itself says what is wrong with the store.
      return
    }
  }
}

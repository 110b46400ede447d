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
    if let running, running.intent == .galleryPublish || running.intent == .galleryRetry {
      return Accepted(operation: running.operation, joined: true)
    }
    try require(intent)
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
        if outcome == .succeeded { self.onPublished() }
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
      await onDraftChange()
      phase = .published
      percent = 100
      publishedURI = uri.rawValue
      outcome = .succeeded
    } catch {
      // A core that stops has not changed anybody's mind: the publish is continued at its next start.
      if error == .cancelled, !operations.isStopping { await setAside(true) }
      await reload()
      await onDraftChange()
      percent = nil
      if error == .cancelled {
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

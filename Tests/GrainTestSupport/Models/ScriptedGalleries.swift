package import ATSyntax
import Foundation
package import GrainServices
import SystemClients

/// Drafts in memory, and a publisher that does what the test says.
package final class ScriptedGalleries: Sendable {
  private enum Command {
    case progress(PublishProgress, done: CheckedContinuation<Void, Never>)
    case end(Result<ATURI, PublishError>)
  }

  private struct State: Sendable {
    var drafts: [String: Draft] = [:]
    var made = 0
    var publishing: [String: AsyncStream<Command>.Continuation] = [:]
    var waiters: [String: [CheckedContinuation<Void, Never>]] = [:]
    var cancelled: [String] = []
    var faults: [Call: StoreFault] = [:]
    var photoFailures: [String: PhotoFailure] = [:]
  }

  /// A call of the door that can be made to fail.
  package enum Call: Hashable, Sendable {
    case create, draft, drafts, change, remove, prepare
  }

  private let state = Locked(State())
  private let clock: TestClock
  /// Making a draft passes here.
  package let creating = Turnstile()
  /// Reading a list of drafts passes here.
  package let reading = Turnstile()
  /// Saving a change passes here.
  package let saving = Turnstile()
  /// Preparing a photograph passes here.
  package let preparing = Turnstile()

  /// A disk without drafts, whose changes bear the time of that clock.
  package init(clock: TestClock = TestClock()) { self.clock = clock }

  /// Makes a call fail, now and later; `nil` mends it.
  package func fail(_ call: Call, with fault: StoreFault?) {
    state.withLock { $0.faults[call] = fault }
  }

  /// Makes a picture file one that cannot be published.
  package func refuse(_ source: String, _ failure: PhotoFailure) {
    state.withLock { $0.photoFailures[source] = failure }
  }

  private func check(_ call: Call) throws(StoreFault) {
    if let fault = state.withLock({ $0.faults[call] }) { throw fault }
  }

  private var now: ATDateTime { ATDateTime(clock.now) }

  /// The drafts whose sending was told to stop.
  package var cancelled: [String] { state.withLock(\.cancelled) }
  /// A draft as it is on disk.
  package func draft(_ id: String) -> Draft? { state.withLock { $0.drafts[id] } }

  /// Puts a draft on disk.
  package func add(_ id: String, of repo: DID, _ edit: (inout Draft) -> Void = { _ in }) {
    var draft = Draft(id: id, repo: repo, createdAt: now)
    edit(&draft)
    let made = draft
    state.withLock { $0.drafts[id] = made }
  }

  /// What a publisher has saved meanwhile.
  package func save(_ id: String, _ edit: @Sendable (inout Draft) -> Void) { _ = change(id, edit) }

  /// Drafts and publishing, as the models ask for them.
  package var door: GalleryDoor {
    GalleryDoor(
      limits: CoreConfiguration.PublishLimits(),
      create: { repo, opening async throws(StoreFault) in
        await self.creating.pass()
        try self.check(.create)
        let id = self.state.withLock { state in
          state.made += 1
          return "draft-\(state.made)"
        }
        self.add(id, of: repo) { $0.opening = opening }
        guard let made = self.draft(id) else { throw .full }
        return made
      },
      draft: { id async throws(StoreFault) in
        try self.check(.draft)
        return self.draft(id)
      },
      drafts: { repo async throws(StoreFault) in
        await self.reading.pass()
        try self.check(.drafts)
        return self.state.withLock { state in
          state.drafts.values.filter { $0.repo == repo }.sorted {
            ($0.createdAt.date, $0.id) < ($1.createdAt.date, $1.id)
          }
        }
      },
      change: { id, edit async throws(StoreFault) in
        await self.saving.pass()
        try self.check(.change)
        return self.change(id, edit)
      },
      remove: { id async throws(StoreFault) in
        try self.check(.remove)
        self.state.withLock { $0.drafts[id] = nil }
      },
      sweep: { () async throws(StoreFault) in
        let now = self.now
        let days = CoreConfiguration.PublishLimits().draftDays
        self.state.withLock { state in
          state.drafts = state.drafts.filter { _, draft in
            draft.expiry(after: days).map { $0.date > now.date } ?? true
          }
        }
      },
      prepare: { photo, id async throws(PhotoWorkshop.Failure) in
        await self.preparing.pass()
        if Task.isCancelled { throw .cancelled }
        do throws(StoreFault) { try self.check(.prepare) } catch { throw .store(error) }
        let source = self.draft(id)?.photos[photo]?.source
        if let failure = source.flatMap({ source in
          self.state.withLock { $0.photoFailures[source] }
        }) {
          _ = self.change(id) { $0.photos[photo]?.failure = failure }
          throw .photo(failure)
        }
        return self.change(id) { draft in
          draft.photos[photo]?.prepared = DraftPhoto.Prepared(
            file: "\(photo).image", mediaType: "image/jpeg", width: 4, height: 3, bytes: 100,
            exif: nil)
        }
      },
      publish: { id, report async throws(PublishError) in try await self.publish(id, report) },
      makePhotoID: {
        self.state.withLock { state in
          state.made += 1
          return "photo-\(state.made)"
        }
      },
      preparedPath: { "/data/drafts/\($0)/\($1)" })
  }

  private func change(_ id: String, _ edit: @Sendable (inout Draft) -> Void) -> Draft? {
    let now = now
    return state.withLock { state in
      guard var draft = state.drafts[id] else { return nil }
      draft.change(at: now, edit)
      state.drafts[id] = draft
      return draft
    }
  }

  // MARK: Publishing

  /// Returns once a draft is being sent.
  package func begun(_ draft: String) async {
    await withCheckedContinuation { continuation in
      let runs = state.withLock { state in
        if state.publishing[draft] == nil {
          state.waiters[draft, default: []].append(continuation)
        }
        return state.publishing[draft] != nil
      }
      if runs { continuation.resume() }
    }
  }

  /// Whether a draft is being sent.
  package func isBeingSent(_ draft: String) -> Bool {
    state.withLock { $0.publishing[draft] != nil }
  }

  /// Reports how far a draft is; returns when it is reported.
  package func progress(_ draft: String, _ progress: PublishProgress) async {
    await begun(draft)
    await withCheckedContinuation { done in
      _ = state.withLock { $0.publishing[draft] }?.yield(.progress(progress, done: done))
    }
  }

  /// Ends the sending of a draft; the draft goes with a success, unless its post is still owed.
  package func end(_ draft: String, _ result: Result<ATURI, PublishError>) async {
    await begun(draft)
    _ = state.withLock { $0.publishing[draft] }?.yield(.end(result))
  }

  private func publish(
    _ id: String, _ report: @escaping @Sendable (PublishProgress) async -> Void
  ) async throws(PublishError) -> ATURI {
    let (commands, give) = AsyncStream.makeStream(of: Command.self)
    let waiters = state.withLock { state in
      state.publishing[id] = give
      return state.waiters.removeValue(forKey: id) ?? []
    }
    for waiter in waiters { waiter.resume() }
    defer { state.withLock { $0.publishing[id] = nil } }
    for await command in commands {
      switch command {
      case .progress(let progress, let done):
        await report(progress)
        done.resume()
      case .end(.success(let uri)):
        state.withLock { if $0.drafts[id]?.owesPost != true { $0.drafts[id] = nil } }
        return uri
      case .end(.failure(let error)): throw error
      }
    }
    // A cancelled task hears no more commands.
    state.withLock { $0.cancelled.append(id) }
    throw .cancelled
  }
}

extension Draft {
  /// Gives a draft a title and prepared photographs, which is all that publishing asks for.
  package mutating func fill(_ title: String, photos ids: [String]) {
    self.title = title
    for id in ids {
      var photo = DraftPhoto(id: id, source: "/photos/\(id).jpg")
      photo.prepared = DraftPhoto.Prepared(
        file: "\(id).image", mediaType: "image/jpeg", width: 4, height: 3, bytes: 100, exif: nil)
      photos[id] = photo
      photoOrder.append(id)
    }
  }
}

extension Draft.Sending {
  /// A publish that was begun, without progress.
  package static var known: Draft.Sending {
    do {
      return Draft.Sending(galleryKey: try RecordKey("3lk2abc222222"), photoKeys: [:])
    } catch {
      preconditionFailure("not a record key: \(error)")
    }
  }
}

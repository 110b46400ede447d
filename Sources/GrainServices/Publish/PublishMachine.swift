/// What the publisher does next, and why: the order of sending as a pure value.
///
/// Outcomes go in, the next actions come out, the publisher performs them. The machine decides when
/// a commit may be sent: never again without asking the PDS whether the last one landed (G108).
/// Source: grain-product §12.
package struct PublishMachine: Equatable, Sendable {
  /// Something to perform; its outcome comes back as an ``Event``.
  package enum Action: Equatable, Sendable {
    case prepare(photo: String)
    case upload(photo: String)
    /// Ask the PDS for the gallery's record.
    case checkLanded
    /// Send the one `applyWrites`.
    case commit
    /// Tell the AppView.
    case index
    /// Ask the PDS for the post's record.
    case checkPosted
    /// Send the one `createRecord` of the post.
    case post
    /// Everything is done that this run could do; the gallery is up.
    case finish
    /// Sending stops here; the draft stays.
    case stop
  }

  /// The outcome of an action, or the person's wish to stop.
  package enum Event: Equatable, Sendable {
    case prepared(photo: String)
    case prepareFailed(photo: String)
    case uploaded(photo: String)
    case uploadFailed(photo: String)
    /// Whether the gallery is in the repository; “cannot tell” counts as no.
    case landed(Bool)
    case committed
    /// The commit was refused or its answer was lost; `mayRetry` for passing faults.
    case commitFailed(mayRetry: Bool)
    /// The commit was not even sent.
    case commitImpossible
    /// The server no longer has the bytes (`BlobNotFound`): nothing was committed.
    case blobsGone
    /// Index calls ended, well or not (G50).
    case indexed
    case posted
    /// The post was refused or its answer was lost; `mayRetry` for passing faults.
    case postFailed(mayRetry: Bool)
    /// Whether the post is in the repository; “cannot tell” counts as no.
    case postLanded(Bool)
    case cancelRequested
  }

  /// How often one run sends the commit. Source: grain-product §12, Retry.
  package static let commitAttempts = 4

  private let photos: [String]
  private var width: Int
  private var unprepared: [String]
  private var preparing: String?
  private var waiting: [String]
  private var uploading: Set<String> = []
  private var attemptedBefore: Bool
  private var isCommitted: Bool
  private var attemptsLeft = PublishMachine.commitAttempts
  private var mayUploadAgain = true
  private let wantsPost: Bool
  private let postedBefore: Bool
  private var postsLeft = PublishMachine.commitAttempts
  private var halted = false

  /// - Parameters:
  ///   - photos: every photograph of the draft that is sent, in order; not those of a published gallery.
  ///   - unprepared: those without a prepared copy, in order.
  ///   - waiting: those whose bytes are not at the server, in order; all of `unprepared` are among
  ///     them.
  ///   - parallelUploads: uploads at the same time, at least one.
  ///   - attemptedBefore: a commit was sent in an earlier run.
  ///   - committed: the records are known to be in the repository.
  ///   - wantsPost: a Bluesky post is wanted, and not known to be in the repository.
  ///   - postedBefore: the post was sent in an earlier run.
  package init(
    photos: [String], unprepared: [String], waiting: [String], parallelUploads: Int,
    attemptedBefore: Bool, committed: Bool, wantsPost: Bool = false, postedBefore: Bool = false
  ) {
    self.photos = photos
    self.unprepared = unprepared
    self.waiting = waiting
    self.width = max(1, parallelUploads)
    self.attemptedBefore = attemptedBefore
    self.isCommitted = committed
    self.wantsPost = wantsPost
    self.postedBefore = postedBefore
  }

  /// Whether the gallery is up and its post is being sent.
  package private(set) var isPosting = false

  /// Photographs that this run sends or has sent.
  package var count: Int { photos.count }

  /// Photographs prepared so far.
  package var preparedCount: Int { photos.count - unprepared.count - (preparing == nil ? 0 : 1) }

  /// Photographs whose bytes are at the server.
  package var uploadedCount: Int { photos.count - waiting.count - uploading.count }

  /// The first actions.
  package mutating func start() -> [Action] {
    if isCommitted { return [.index] }
    // An earlier commit may have landed although its answer never came: then nothing is left to do
    // but to tell the AppView.
    return attemptedBefore ? [.checkLanded] : next()
  }

  /// The server wants fewer requests: from now on one upload at a time.
  package mutating func slowDown() { width = 1 }

  /// Takes one outcome.
  ///
  /// - Returns: what to do now; empty while other actions are still under way.
  package mutating func take(_ event: Event) -> [Action] {
    switch event {
    case .prepared: preparing = nil
    case .prepareFailed(let photo):
      preparing = nil
      unprepared.insert(photo, at: 0)
      halted = true
    case .uploaded(let photo): uploading.remove(photo)
    case .uploadFailed(let photo):
      uploading.remove(photo)
      waiting.insert(photo, at: 0)
      halted = true
    case .committed, .landed(true):
      isCommitted = true
      return [.index]
    case .landed(false):
      return attemptsLeft > 0 ? next() : [.stop]
    case .commitFailed(let mayRetry):
      attemptsLeft = mayRetry ? attemptsLeft - 1 : 0
      return [.checkLanded]
    case .commitImpossible: return [.stop]
    case .blobsGone:
      attemptsLeft -= 1
      guard mayUploadAgain else { return [.stop] }
      mayUploadAgain = false
      waiting = photos
    case .indexed:
      guard wantsPost, !halted else { return [.finish] }
      isPosting = true
      return postedBefore ? [.checkPosted] : [.post]
    case .posted, .postLanded(true): return [.finish]
    case .postFailed(let mayRetry):
      postsLeft = mayRetry ? postsLeft - 1 : 0
      return [.checkPosted]
    case .postLanded(false):
      // Nothing about the post undoes the gallery: the run is over, and the post can be sent alone.
      return postsLeft > 0 && !halted ? [.post] : [.finish]
    case .cancelRequested:
      halted = true
      // Whatever is under way ends first; its outcome brings the stop.
      return []
    }
    return next()
  }

  private mutating func next() -> [Action] {
    if halted { return uploading.isEmpty && preparing == nil ? [.stop] : [] }
    if preparing != nil { return [] }
    if !unprepared.isEmpty {
      let photo = unprepared.removeFirst()
      preparing = photo
      return [.prepare(photo: photo)]
    }
    let free = max(0, width - uploading.count)
    let batch = waiting.prefix(free)
    waiting.removeFirst(batch.count)
    uploading.formUnion(batch)
    if !batch.isEmpty { return batch.map { .upload(photo: $0) } }
    return uploading.isEmpty ? [.commit] : []
  }
}

package import GrainServices
package import GrainSnapshots

extension Problem {
  /// A gallery that is not up yet. Every failure of sending says what happened, that the draft is kept,
  /// and what to do; a rule that does not hold says how to mend it, before anything is sent.
  ///
  /// - Parameters:
  ///   - error: why it is not up.
  ///   - name: what the person calls a photograph, by its id.
  ///   - account: what the person calls the account it is published from.
  package init(_ error: PublishError, name: (String) -> String, account: String) {
    switch error {
    case .draftUnknown: self.init(.galleryDraftUnknown)
    case .noPhotos: self.init(.galleryNoPhotos)
    // No `field`: it would point into the params of `gallery.publish`, which has no texts.
    case .titleMissing: self.init(.galleryTitleMissing)
    case .titleTooLong(let bytes, let limit):
      self.init(
        .galleryTitleTooLong,
        details: ["bytes": .integer(bytes), "limit": .integer(limit)])
    case .textTooLong(let bytes, let limit):
      self.init(
        .galleryTextTooLong,
        details: ["bytes": .integer(bytes), "limit": .integer(limit)])
    case .tooManyPhotos(let count, let limit):
      self.init(
        .galleryTooManyPhotos, params: ["limit": .integer(limit)],
        details: ["count": .integer(count)])
    case .photo(let number, let id, let failure):
      self.init(failure, name: name(id), number: number)
    case .upload(let number, _, let fault):
      self.init(
        fault, .galleryUploadFailed, "Photo {number} could not be uploaded",
        params: ["number": .integer(number)], account: account)
    case .commit(let fault):
      self.init(
        fault, .galleryCommitFailed, "The gallery could not be published", account: account)
    case .changedElsewhere: self.init(.galleryChangedElsewhere)
    case .store(let fault): self.init(keeping: fault)
    case .cancelled: self.init(.requestCancelled)
    }
  }

  /// A published gallery that could not be opened or deleted.
  package init(_ error: PublishedGalleryError, account: String) {
    switch error {
    case .unknown: self.init(.galleryUnknown, field: "/gallery")
    case .changedElsewhere: self.init(.galleryChangedElsewhere)
    case .call(let fault): self.init(fault, account: account)
    case .store(let fault): self.init(fault)
    }
  }

  /// A gallery that is up and whose Bluesky post is not.
  package init(crossPost fault: CallFault, account: String) {
    let inner = Problem(fault, account: account)
    switch fault {
    case .sessionExpired, .scopeMissing, .store, .remote(.offline), .remote(.rateLimited),
      .remote(.tls):
      self = inner
    case .refused(_, let error, let message):
      self.init(
        .galleryCrossPostFailed, params: ["reason": .text(message ?? error ?? "no reason given")],
        fallback: "Your server refused the post: {reason}. The gallery itself is published.",
        cause: inner.kind)
    default:
      self.init(
        .galleryCrossPostFailed, retryAfterMs: inner.retryAfterMs, cause: inner.kind)
    }
  }

  /// A call that failed while a gallery was sent. Faults with a kind of their own keep it; the rest
  /// become the step's kind with their cause.
  private init(
    _ fault: CallFault, _ step: ErrorKind, _ failed: String, params: [String: PlainValue] = [:],
    account: String
  ) {
    let inner = Problem(fault, account: account)
    let kept: String
    switch fault {
    case .store(let fault):
      self.init(keeping: fault)
      return
    case .sessionExpired:
      kept = "Your session has ended. The draft is kept; sign in again as {account} to publish it."
    case .scopeMissing:
      kept =
        "{account} has not allowed this app to publish. The draft is kept; sign in again to allow "
        + "it."
    case .remote(.offline):
      kept = "You are offline. The draft is kept; publish it when you are connected again."
    case .remote(.rateLimited):
      kept = "{host} asks for a pause. The draft is kept; try again a little later."
    case .remote(.tls):
      kept =
        "The connection to {host} cannot be trusted, so it was not used. The draft is kept; check "
        + "this computer's date and network, then try again."
    default:
      let (cause, advice) = Self.words(fault)
      let own = params.merging(inner.message.params) { own, _ in own }
      self.init(
        step, params: own, fallback: "\(failed): \(cause). The draft is kept; \(advice).",
        retryAfterMs: inner.retryAfterMs, details: inner.details, cause: inner.kind)
      return
    }
    self.init(
      inner.kind, params: inner.message.params, fallback: kept, retryAfterMs: inner.retryAfterMs,
      details: inner.details)
  }

  /// What stopped a step of sending, and what to do about it.
  private static func words(_ fault: CallFault) -> (cause: String, advice: String) {
    switch fault {
    case .remote(.timeout): ("{host} took too long to answer", "try again")
    case .remote(.unreachable):
      ("{host} cannot be reached", "check your connection and try again")
    case .remote(.dropped):
      ("the connection to {host} broke", "check your connection and try again")
    case .remote(.badResponse):
      ("{host} gave an answer this app does not understand", "try again later")
    case .accountInactive:
      ("{account} is not active at its server", "activate it there, then try again")
    case .refused: ("your server refused it: {reason}", "mend that, then try again")
    case .cancelled: ("it was stopped", "try again")
    default: ("{host} has a problem of its own", "try again later")
    }
  }

  /// A fault of the data folder while a gallery was sent.
  private init(keeping fault: StoreFault) {
    let inner = Problem(fault)
    let kept =
      switch fault {
      case .locked:
        "The app is already running. The draft is kept; close the other one, then try again."
      case .corrupt:
        "What is stored could not be read: the file is damaged. The draft is kept in it; see "
          + "“grain-core doctor”."
      case .full: "The disk is full. The draft is kept; free some space, then try again."
      case .unwritable:
        "The app's data folder cannot be written to. The draft is kept; check the folder's "
          + "permissions, then try again."
      case .newer:
        "Your data was written by a newer version of this app. The draft is kept; update the app."
      case .keyLocked:
        "Your keyring is locked. The draft is kept; unlock the keyring, then try again."
      case .keyUnavailable:
        "Your accounts cannot be opened: {reason}. The draft is kept; see “grain-core doctor”."
      }
    self.init(
      inner.kind, params: inner.message.params, fallback: kept, retryAfterMs: inner.retryAfterMs,
      details: inner.details)
  }
}

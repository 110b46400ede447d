package import GrainServices
package import GrainSnapshots

extension Problem {
  /// A gallery that is not up yet; every sentence says that nothing was lost.
  package init(_ error: PublishError, name: (String) -> String) {
    switch error {
    case .draftUnknown: self.init(.galleryDraftUnknown)
    case .noPhotos: self.init(.galleryNoPhotos)
    case .titleMissing: self.init(.galleryTitleMissing, field: "/title")
    case .titleTooLong(let bytes, let limit):
      self.init(
        .galleryTitleTooLong, field: "/title",
        details: ["bytes": .integer(bytes), "limit": .integer(limit)])
    case .textTooLong(let bytes, let limit):
      self.init(
        .galleryTextTooLong, field: "/description",
        details: ["bytes": .integer(bytes), "limit": .integer(limit)])
    case .tooManyPhotos(let count, let limit):
      self.init(
        .galleryTooManyPhotos, params: ["limit": .integer(limit)],
        details: ["count": .integer(count)])
    case .photo(let number, let id, let failure):
      self.init(failure, name: name(id), number: number)
    case .upload(let number, _, let fault):
      self = Self.wrapping(
        fault, .galleryUploadFailed, params: ["number": .integer(number)])
    case .commit(let fault):
      self = Self.wrapping(fault, .galleryCommitFailed, params: [:])
    case .store(let fault): self.init(fault)
    case .cancelled: self.init(.requestCancelled)
    }
  }

  /// One picture that cannot be published.
  package init(_ failure: PhotoFailure, name: String, number: Int? = nil) {
    var params: [String: PlainValue] = ["name": .text(name)]
    if let number { params["number"] = .integer(number) }
    switch failure {
    case .unreadable: self.init(.galleryPhotoUnreadable, params: params)
    case .damaged:
      self.init(
        .galleryPhotoUnreadable, params: params,
        fallback: "{name} is damaged and cannot be published. Choose another copy.")
    case .notAPicture(let found):
      self.init(
        .galleryPhotoUnsupported, params: params,
        fallback: "{name} is not a picture. Choose a JPEG, PNG or WebP file.",
        details: found.map { ["found": .text($0)] })
    case .unsupported(let kind):
      self.init(.galleryPhotoUnsupported, params: params, details: ["found": .text(kind)])
    case .tooLarge(let bytes, let width, let height):
      self.init(
        .galleryPhotoTooLarge, params: params,
        fallback:
          "{name} is too large, and no program to make it smaller is installed. "
          + "Install libvips-tools or imagemagick, or choose a smaller copy.",
        details: [
          "bytes": .integer(bytes), "width": .integer(width), "height": .integer(height),
        ])
    case .sourceTooLarge(let limit):
      params["limit"] = .integer(limit / 1_000_000)
      self.init(
        .galleryPhotoTooLarge, params: params,
        fallback: "{name} is larger than {limit} MB. Choose a smaller copy.")
    case .conversionWithoutTool(let kind):
      params["kind"] = .text(kind.uppercased())
      self.init(
        .galleryPhotoUnsupported, params: params,
        fallback:
          "{name} is a {kind} picture, which must be converted first, and no program for that is "
          + "installed. Install libvips-tools or imagemagick, or use a JPEG, PNG or WebP copy.",
        details: ["found": .text(kind)])
    case .toolFailed:
      self.init(
        .galleryPhotoTooLarge, params: params,
        fallback: "{name} is too large and could not be made smaller. Choose a smaller copy.")
    }
  }

  /// Faults with a kind of their own keep it; the rest become the step's kind with their cause.
  private static func wrapping(
    _ fault: CallFault, _ kind: ErrorKind, params: [String: PlainValue]
  ) -> Problem {
    let inner = Problem(fault)
    switch fault {
    case .sessionExpired, .scopeMissing, .store, .remote(.offline), .remote(.rateLimited),
      .remote(.tls):
      return inner
    case .refused(_, let error, let message):
      var words = params
      words["reason"] = .text(message ?? error ?? "no reason given")
      return Problem(
        kind, params: words,
        fallback: "Your server refused it: {reason}. Nothing was lost; try again.",
        cause: inner.kind)
    default:
      return Problem(
        kind, params: params, retryAfterMs: inner.retryAfterMs, cause: inner.kind)
    }
  }
}

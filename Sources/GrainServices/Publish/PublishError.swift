package import ATSyntax

/// Why a gallery is not up yet. The draft is always kept.
package enum PublishError: Error, Equatable, Sendable {
  case draftUnknown
  case noPhotos
  case titleMissing
  /// The title in UTF-8 bytes, as the record's limit counts (G118).
  case titleTooLong(bytes: Int, limit: Int)
  /// The description in UTF-8 bytes.
  case textTooLong(bytes: Int, limit: Int)
  case tooManyPhotos(count: Int, limit: Int)
  /// A picture that cannot be published; `number` counts from one, as a person would.
  case photo(number: Int, id: String, PhotoFailure)
  case upload(number: Int, id: String, CallFault)
  case commit(CallFault)
  /// The published gallery is not as it was when the draft was opened over it; nothing was written.
  case changedElsewhere
  case store(StoreFault)
  /// The person stopped it.
  case cancelled
}

/// How far publishing has come. Source: grain-product §12.
package enum PublishProgress: Equatable, Sendable {
  case preparing(done: Int, of: Int)
  /// Bytes of the whole gallery: those at the server or on their way there, and all.
  case uploading(done: Int, of: Int, sentBytes: Int64, totalBytes: Int64)
  case committing
  /// The gallery is up; what is told now is about its Bluesky post.
  case crossPost(CrossPostStep, gallery: ATURI)

  /// Whether a person would see no difference.
  func looksLike(_ other: PublishProgress) -> Bool {
    switch (self, other) {
    case (.uploading(let done, _, _, _), .uploading(let otherDone, _, _, _)):
      done == otherDone && percent == other.percent
    default: self == other
    }
  }

  /// Whole percent of the way, rounded down; preparing and uploading are half each.
  package var percent: Int? {
    switch self {
    case .preparing(_, 0), .uploading(_, 0, _, _): nil
    case .preparing(let done, let count): 50 * done / count
    case .uploading(let done, let count, let sent, let total):
      // Bytes move the bar between two photographs; it never falls behind those that are done.
      50 + max(50 * done / count, total > 0 ? min(50, Int(50 * sent / total)) : 0)
    case .committing, .crossPost: 100
    }
  }
}

/// What becomes of the Bluesky post of a gallery that is up (FB-D11).
package enum CrossPostStep: Equatable, Sendable {
  /// It is being sent.
  case pending
  /// It is in the repository.
  case posted
  /// It is not, as far as anybody can tell; the draft stays, so that it can be sent alone.
  case failed(CallFault)
}

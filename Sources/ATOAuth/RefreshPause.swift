import Foundation

/// How long to let an authorization server rest after failed refreshes.
///
/// The pause doubles with each failure, from half a second to eight. A longer one that the server asks
/// for is not waited out: attempts before its end fail at once.
struct RefreshPause: Sendable {
  /// What to do before an attempt.
  struct Wait: Equatable, Sendable {
    /// How long to sleep first.
    var duration: Duration
    /// Set when the attempt is refused instead: what is left of the time the server asked for.
    var refusedFor: Duration?
  }

  private static let longest = Duration.seconds(8)

  private(set) var lastReason = RefreshFailure.Reason.badResponse("none")
  private var failures = 0
  private var resumesAt: Date?

  mutating func failed(_ reason: RefreshFailure.Reason, retryAfter: Duration?, at now: Date) {
    failures += 1
    lastReason = reason
    let own = min(.milliseconds(500) * (1 << min(failures - 1, 4)), Self.longest)
    resumesAt = now.addingTimeInterval(max(retryAfter ?? .zero, own) / .seconds(1))
  }

  /// - Returns: `nil` when an attempt may be made at once.
  func wait(at now: Date) -> Wait? {
    guard let resumesAt, resumesAt > now else { return nil }
    let left = Duration.seconds(resumesAt.timeIntervalSince(now))
    return left > Self.longest
      ? Wait(duration: .zero, refusedFor: left) : Wait(duration: left, refusedFor: nil)
  }
}

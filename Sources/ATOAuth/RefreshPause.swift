package import Foundation
import SystemClients

/// How long to let an authorization server rest after failed refreshes, for the one who owns a grant's
/// refresh.
///
/// The pause doubles with each failure, from half a second to eight, each up to a quarter shorter by
/// chance: calls in a row try once each without hammering a server in trouble, and many clients do not
/// come back to it in one moment (FB-A4, FB-A6, wire §14). A longer pause that the server asks for is not
/// waited out: attempts before its end fail at once. Start over with a new value after a success.
package struct RefreshPause: Sendable {
  /// What to do before an attempt.
  package enum Step: Equatable, Sendable {
    /// Try now.
    case attempt
    /// Sleep this long, then try.
    case sleep(Duration)
    /// Do not try: fail for the last reason, with what is left of the time the server asked for.
    case fail(RefreshFailure.Reason, retryAfter: Duration)
  }

  private static let longest = Duration.seconds(8)

  private var failures = 0
  private var last: (reason: RefreshFailure.Reason, rest: Rest)?

  /// No failure yet.
  package init() {}

  /// Notes a failed attempt; `chance`, from 0 to 1, says how much shorter the rest is.
  package mutating func failed(
    _ reason: RefreshFailure.Reason, retryAfter: Duration?, chance: Double = 0, at now: Date
  ) {
    let full = min(.milliseconds(500) * (1 << min(failures, 4)), Self.longest)
    let own = full * (1 - chance / 4)
    failures += 1
    last = (reason, Rest(of: max(retryAfter ?? .zero, own), from: now))
  }

  /// What to do before an attempt at this time.
  package func step(at now: Date) -> Step {
    guard let last, let left = last.rest.left(at: now) else { return .attempt }
    return left > Self.longest ? .fail(last.reason, retryAfter: left) : .sleep(left)
  }
}

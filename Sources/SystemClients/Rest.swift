package import Foundation

/// A stretch of wall-clock time with a known beginning, such as the pause a server has asked for.
///
/// A clock that shows less than the beginning was set back, and how much is left nobody knows then: such a
/// rest counts as over, or one of seconds would become one of hours (A44).
package struct Rest: Equatable, Sendable {
  /// When it began.
  package let beganAt: Date
  /// When it is over.
  package let endsAt: Date

  /// A rest that begins at this moment.
  package init(of duration: Duration, from now: Date) {
    beganAt = now
    endsAt = now.addingTimeInterval(duration / .seconds(1))
  }

  /// What is left of it; `nil` when it is over.
  package func left(at now: Date) -> Duration? {
    guard beganAt <= now, now < endsAt else { return nil }
    return .seconds(endsAt.timeIntervalSince(now))
  }
}

import SystemClients

/// What the Pixiv-like service is told to do wrong; all off at first. Lost answers, 5xx and the like are the
/// network's.
package final class PixivFaults: Sendable {
  /// Where the members of a token answer stand.
  package enum AnswerShape: Sendable {
    /// At the top and under `response`, as seen most often.
    case both
    /// At the top only.
    case top
    /// Under `response` only.
    case nested
  }

  /// The faults in force.
  package struct Switches: Sendable {
    /// A protection service answers everything but the pages with an HTML page and 403 (FB-G4).
    package var blocks = false
    /// Every answer of the API and the token endpoint is `Rate Limit`, with this status.
    package var rateLimitStatus: Int?
    /// See ``AnswerShape``.
    package var answerShape = AnswerShape.both
    /// A refresh gives a new refresh token, and the old one is worth nothing.
    package var replacesRefreshToken = false
    /// Token answers have no refresh token.
    package var leavesRefreshTokenOut = false

    /// No fault.
    package init() {}
  }

  private let switches = Locked(Switches())

  /// A service without faults.
  package init() {}

  /// The faults in force now.
  package var current: Switches { switches.withLock { $0 } }

  /// Changes the faults; the next request meets them.
  package func set(_ change: (inout Switches) -> Void) {
    switches.withLock { change(&$0) }
  }

  /// Turns every fault off.
  package func clear() { set { $0 = Switches() } }
}

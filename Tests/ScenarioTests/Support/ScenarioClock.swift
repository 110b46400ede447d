import Foundation
import SystemClients

/// The clock of a core in a scenario: the real time plus what the test adds to it.
///
/// While ``skipsPauses`` is set, pauses are written down and skipped; otherwise they are real.
final class ScenarioClock: Sendable {
  private static let longestPause = Duration.seconds(60)

  private struct State {
    var ahead: TimeInterval = 0
    var skipsPauses = false
    var pauses: [Duration] = []
  }

  private let state = Locked(State())

  /// Seconds this clock is ahead of the real one.
  var ahead: TimeInterval {
    get { state.withLock(\.ahead) }
    set { state.withLock { $0.ahead = newValue } }
  }

  /// Whether pauses of a minute or less are skipped: those between attempts are meant, but a core that
  /// starts or ends needs its real patience.
  var skipsPauses: Bool {
    get { state.withLock(\.skipsPauses) }
    set { state.withLock { $0.skipsPauses = newValue } }
  }

  /// The pauses that were skipped.
  var pauses: [Duration] { state.withLock(\.pauses) }

  var clock: SystemClock {
    SystemClock(
      now: { [self] in Date().addingTimeInterval(ahead) },
      sleep: { [self] duration in
        guard skipsPauses, duration <= Self.longestPause else {
          return try await Task.sleep(for: duration)
        }
        state.withLock { $0.pauses.append(duration) }
        await Task.yield()
        try Task.checkCancellation()
      })
  }
}

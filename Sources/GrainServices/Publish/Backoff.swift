package import SystemClients

/// How long to wait before a repeat: 0.5, 1, 2 s, a quarter more or less by chance, and never less
/// than the server asked for. Source: grain-product §12, Retry.
package struct Backoff: Sendable {
  /// Requests in all, the first one included.
  package static let attempts = 4
  /// A pause the server asks for beyond this is not waited out: the person learns of it instead.
  package static let longestPause = Duration.seconds(60)

  private let clock: SystemClock
  private let random: SystemRandom

  /// Pauses by this clock and this chance.
  package init(clock: SystemClock, random: SystemRandom) {
    self.clock = clock
    self.random = random
  }

  /// The pause after attempt number `attempt`, counted from 1.
  package func pause(after attempt: Int, retryAfter: Duration?) -> Duration {
    let base = Duration.milliseconds(500 << min(attempt - 1, 4))
    let jittered = base * (0.75 + 0.5 * random.unit())
    return max(jittered, retryAfter ?? .zero)
  }

  /// Whether what met this fault is worth repeating on its own.
  package static func isWorthRepeating(_ fault: CallFault) -> Bool {
    fault.isTransient && (fault.retryAfter ?? .zero) <= longestPause
  }

  /// Repeats `work` while it fails with a transient fault.
  ///
  /// - Throws: the last fault; `cancelled` when the caller gave up during a pause.
  package func repeating<T: Sendable>(
    _ work: @Sendable () async throws(CallFault) -> T
  ) async throws(CallFault) -> T {
    var attempt = 1
    while true {
      do throws(CallFault) {
        return try await work()
      } catch {
        guard Self.isWorthRepeating(error), attempt < Self.attempts else { throw error }
        try await wait(after: attempt, for: error)
        attempt += 1
      }
    }
  }

  /// Waits out the pause that follows a fault.
  package func wait(after attempt: Int, for fault: CallFault) async throws(CallFault) {
    do {
      try await clock.sleep(pause(after: attempt, retryAfter: fault.retryAfter))
    } catch {
      throw .cancelled
    }
  }
}

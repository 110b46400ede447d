package import Foundation

/// The machine's clock: an input every test must be able to fix.
package struct SystemClock: Sendable {
  /// The wall-clock time.
  package var now: @Sendable () -> Date

  /// Returns after the duration, or throws `CancellationError` as soon as the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void

  /// A clock made of two closures.
  package init(
    now: @escaping @Sendable () -> Date,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The real clock. Sleeping is measured on a monotonic clock: setting the time does not stretch it.
  package static let live = SystemClock(
    now: { Date() },
    sleep: { try await Task.sleep(for: $0) })
}

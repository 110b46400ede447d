import ATOAuth
import Foundation
import OAuth
import SystemClients

/// Keeps the sign-in that waits for its browser across a restart.
struct AttemptShelf: Sendable {
  let store: AccountStore
  let clock: SystemClock

  /// Keeps an attempt in place of an older one.
  ///
  /// A store that fails costs the restart only: this run goes on without it.
  func keep(_ attempt: AuthorizationAttempt) async {
    try? await store.keep(attempt)
  }

  /// Forgets the attempt, before anything is done with its callback: it is good once, also for the
  /// next run (atproto-wire §7.3).
  func take() async throws(StoreFault) {
    try await store.dropAttempt()
  }

  /// Forgets an attempt that has come to nothing.
  func drop() async {
    // What stays is refused by its time, and by the server.
    try? await store.dropAttempt()
  }

  /// The attempt an earlier run left and whether its time is over; one that is over is forgotten here.
  ///
  /// An answer that was to come to a port of ours cannot be had any more: such an attempt is dropped.
  func left() async -> (attempt: AuthorizationAttempt, isExpired: Bool)? {
    let kept: AuthorizationAttempt?
    do throws(StoreFault) {
      kept = try await store.keptAttempt()
    } catch {
      // Out of reach: there is nothing to go on with now.
      return nil
    }
    guard let attempt = kept else { return nil }
    guard let scheme = attempt.route?.scheme, !["http", "https"].contains(scheme) else {
      await drop()
      return nil
    }
    guard clock.now() < attempt.expiresAt else {
      await drop()
      return (attempt, true)
    }
    return (attempt, false)
  }
}

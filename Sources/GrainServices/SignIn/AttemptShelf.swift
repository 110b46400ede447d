import Foundation
import OAuth
import OpenSSLCrypto
import SystemClients

/// Keeps the sign-in that waits for its browser across a restart, whoever the provider is.
struct AttemptShelf: Sendable {
  let store: AccountStore
  let clock: SystemClock

  /// Keeps an attempt in place of an older one.
  ///
  /// A store that fails costs the restart only: this run goes on without it.
  func keep(_ attempt: Secret) async {
    try? await store.keepAttempt(attempt)
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

  /// The page an earlier run left and whether its time is over; one that is over is forgotten here.
  ///
  /// What no provider can go on with is dropped; so is an attempt whose answer was to come to a port of
  /// ours, which cannot be had any more.
  ///
  /// `reopen` reads what a provider kept.
  func left(
    _ reopen: (Secret) async -> LeftPage?
  ) async -> (left: LeftPage, isExpired: Bool)? {
    let kept: Secret?
    do throws(StoreFault) {
      kept = try await store.keptAttempt()
    } catch {
      // Out of reach: there is nothing to go on with now.
      return nil
    }
    guard let kept else { return nil }
    guard let left = await reopen(kept),
      !["http", "https"].contains(left.page.expected.route.scheme)
    else {
      await drop()
      return nil
    }
    guard clock.now() < left.page.expiresAt else {
      await drop()
      return (left, true)
    }
    return (left, false)
  }
}

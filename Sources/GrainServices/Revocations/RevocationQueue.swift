package import ATOAuth
import Foundation
import HTTPTransport
import OAuth
package import SystemClients

/// Ends grants at their servers, now or when the network is back (G59, G103, FB-A27).
///
/// What a server does not take is tried again at the next launch and after each sign-in, until it
/// was asked a few times or the session has ended of itself (G111). Nothing local waits for it.
package actor RevocationQueue {
  /// How often a server is asked.
  package static let attempts = 5
  /// How long a revocation is worth sending: no session of a public client lives longer (G111).
  package static let lifetime = Duration.seconds(14 * 86_400)

  private let store: AccountStore
  private let grants: GrantClient
  private let clock: SystemClock
  private let log: Log
  private let work = BackgroundWork()
  private var underWay: Set<String> = []

  /// The queue of a store.
  package init(store: AccountStore, grants: GrantClient, clock: SystemClock, log: Log) {
    self.store = store
    self.grants = grants
    self.clock = clock
    self.log = log
  }

  /// Tries everything that is left, in the background.
  package func drainLater() {
    work.start { [weak self] in await self?.drain() }
  }

  /// Returns when nothing is being tried.
  package func settled() async { await work.ended() }

  /// Stops trying; what is left stays for the next launch.
  package func stop() async { await work.cancel() }

  /// Tries everything that is left, one after the other, each once.
  package func drain() async {
    do throws(StoreFault) {
      for queued in try await store.revocations() where !Task.isCancelled {
        await attempt(queued)
      }
    } catch {
      log.write(.error, "accounts", "revocations could not be read")
    }
  }

  /// Tries one, in the time a revocation may take; it is in the store until a server took it.
  package func attempt(_ queued: QueuedRevocation) async {
    guard underWay.insert(queued.id).inserted else { return }
    defer { underWay.remove(queued.id) }
    do throws(StoreFault) {
      guard isWorthSending(queued) else {
        log.write(.warn, "accounts", "revocation given up")
        return try await store.revocationEnded(queued.id)
      }
      switch await outcome(queued.revocation) {
      case .done: try await store.revocationEnded(queued.id)
      case .refused: try await store.revocationFailed(queued.id)
      case .unsent: break
      }
    } catch {
      // It stays as it was; a server that is asked again for the same token answers success.
      log.write(.error, "accounts", "a revocation's end could not be noted")
    }
  }

  private func isWorthSending(_ queued: QueuedRevocation) -> Bool {
    queued.attempts < Self.attempts
      && clock.now() < queued.addedAt.addingTimeInterval(Self.lifetime / .seconds(1))
  }

  private enum Outcome {
    case done, refused
    /// Nothing left this machine: that costs no attempt.
    case unsent
  }

  private func outcome(_ revocation: Revocation) async -> Outcome {
    guard let error = await grants.revoke(revocation) else { return .done }
    log.write(.warn, "accounts", "revocation did not go through")
    switch error {
    case .transport(.offline), .transport(.cancelled): return .unsent
    default: break
    }
    // The line a refresh draws as well: a refusal of the token means that the session is over.
    if case .ended = RefreshFailure(error) { return .done }
    return .refused
  }
}

import Foundation
package import SystemClients

/// Ends grants at their servers, now or when the network is back (G59, G103, FB-A27).
///
/// What a server does not take is tried again at the next launch and after each sign-in, until it
/// was asked a few times or the session has ended of itself (G111). Nothing local waits for it.
package actor RevocationQueue {
  /// How often a server is asked.
  package static let attempts = 5

  private let store: AccountStore
  private let sources: AccountSources
  private let clock: SystemClock
  private let log: Log
  private let work = BackgroundWork()
  private var underWay: Set<String> = []

  /// The queue of a store.
  package init(store: AccountStore, sources: AccountSources, clock: SystemClock, log: Log) {
    self.store = store
    self.sources = sources
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
      let outcome = await sources[queued.provider].revoke(queued.request)
      if outcome != .done { log.write(.warn, "accounts", "revocation did not go through") }
      switch outcome {
      case .done, .unreadable: try await store.revocationEnded(queued.id)
      case .refused: try await store.revocationFailed(queued.id)
      case .unsent: break
      }
    } catch {
      // It stays as it was; a server that is asked again for the same token answers success.
      log.write(.error, "accounts", "a revocation's end could not be noted")
    }
  }

  private func isWorthSending(_ queued: QueuedRevocation) -> Bool {
    guard queued.attempts < Self.attempts else { return false }
    guard let lifetime = sources[queued.provider].credentialsLast else { return true }
    return clock.now() < queued.addedAt.addingTimeInterval(lifetime / .seconds(1))
  }
}

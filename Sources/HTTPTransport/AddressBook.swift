import Foundation
import Synchronization
import SystemClients

/// Looks hosts up before they are contacted and refuses those the policy does not allow.
///
/// libcurl looks the name up again and nothing shows the address it takes, so a name that changes
/// in between slips through: a limit of this transport. A good verdict holds for half a minute,
/// less than libcurl itself remembers an address.
final class AddressBook: Sendable {
  typealias Verdict = Result<Void, HTTPError>

  private struct State {
    var allowedSince: [String: Date] = [:]
    var waiting: [String: [@Sendable (Verdict) -> Void]] = [:]
  }

  private static let lifetime: TimeInterval = 30
  private static let capacity = 1000

  private let policy: NetworkPolicy
  private let lookup: HostLookup
  private let isBehindProxy: Bool
  private let clock: SystemClock
  private let state = Mutex(State())

  init(policy: NetworkPolicy, lookup: HostLookup, isBehindProxy: Bool, clock: SystemClock) {
    self.policy = policy
    self.lookup = lookup
    self.isBehindProxy = isBehindProxy
    self.clock = clock
  }

  /// Calls back once, on this thread or another, with leave to contact the host or the reason why
  /// not. Callers who ask for the same name meanwhile share one look-up.
  func check(_ host: String, then report: @escaping @Sendable (Verdict) -> Void) {
    let now = clock.now()
    enum Next { case answer, wait, lookUp }
    let next = state.withLock { state -> Next in
      if let since = state.allowedSince[host], (0..<Self.lifetime) ~= now.timeIntervalSince(since) {
        return .answer
      }
      if state.waiting[host] != nil {
        state.waiting[host]?.append(report)
        return .wait
      }
      state.waiting[host] = [report]
      return .lookUp
    }
    switch next {
    case .answer: report(.success(()))
    case .wait: break
    // The resolver may block for many seconds: never on a thread of a shared pool.
    case .lookUp: Thread.detachNewThread { [self] in settle(host, verdict(host)) }
    }
  }

  private func verdict(_ host: String) -> Verdict {
    do throws(HTTPError) {
      // One bad address is enough: which one libcurl takes is its own choice.
      for address in try lookup.addresses(host) where !policy.allows(address) {
        throw .addressRefused(host)
      }
      return .success(())
    } catch {
      // Behind a proxy only the proxy may know the name.
      if isBehindProxy, error != .addressRefused(host) { return .success(()) }
      return .failure(error)
    }
  }

  private func settle(_ host: String, _ verdict: Verdict) {
    let now = clock.now()
    let waiting = state.withLock { state in
      if case .success = verdict {
        if state.allowedSince.count >= Self.capacity { state.allowedSince = [:] }
        state.allowedSince[host] = now
      }
      return state.waiting.removeValue(forKey: host) ?? []
    }
    for report in waiting { report(verdict) }
  }
}

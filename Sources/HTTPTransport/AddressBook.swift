import Foundation
import SystemClients

/// Looks names up and remembers the answer for half a minute.
///
/// The addresses found here are the ones checked and the ones connected to: a name that changes
/// its address in between gains nothing.
final class AddressBook: Sendable {
  typealias Answer = Result<[IPAddress], HTTPError>

  private struct State {
    var known: [String: (addresses: [IPAddress], since: Date)] = [:]
    var waiting: [String: [@Sendable (Answer) -> Void]] = [:]
  }

  private static let lifetime: TimeInterval = 30
  private static let capacity = 1000

  private let lookup: HostLookup
  private let clock: SystemClock
  private let state = Locked(State())

  init(lookup: HostLookup, clock: SystemClock) {
    self.lookup = lookup
    self.clock = clock
  }

  /// Calls back once, on this thread or another. Callers who ask for the same name meanwhile share
  /// one look-up.
  func find(_ host: String, then report: @escaping @Sendable (Answer) -> Void) {
    if let address = IPAddress(host) { return report(.success([address])) }
    // The name is fixed to this machine (RFC 6761 §6.3), whatever a resolver says.
    if host == "localhost" {
      return report(.success(["127.0.0.1", "::1"].compactMap { IPAddress($0) }))
    }
    enum Next {
      case answer([IPAddress])
      case wait, lookUp
    }
    let now = clock.now()
    let next = state.withLock { state -> Next in
      if let known = state.known[host],
        (0..<Self.lifetime) ~= now.timeIntervalSince(known.since)
      {
        return .answer(known.addresses)
      }
      if state.waiting[host] != nil {
        state.waiting[host]?.append(report)
        return .wait
      }
      state.waiting[host] = [report]
      return .lookUp
    }
    switch next {
    case .answer(let addresses): report(.success(addresses))
    case .wait: break
    // The resolver may block for many seconds: never on a thread of a shared pool.
    case .lookUp: Thread.detachNewThread { [self] in settle(host, answer(host)) }
    }
  }

  private func answer(_ host: String) -> Answer {
    do throws(HTTPError) {
      let addresses = try lookup.addresses(host)
      return addresses.isEmpty ? .failure(.cannotFindHost(host)) : .success(addresses)
    } catch {
      return .failure(error)
    }
  }

  private func settle(_ host: String, _ answer: Answer) {
    let now = clock.now()
    let waiting = state.withLock { state in
      if case .success(let addresses) = answer {
        if state.known.count >= Self.capacity { state.known = [:] }
        state.known[host] = (addresses, now)
      }
      return state.waiting.removeValue(forKey: host) ?? []
    }
    for report in waiting { report(answer) }
  }
}

import Foundation
import SystemClients

/// How many requests each address may still make (P33): a window that slides with the clock.
final class RequestAllowance: Sendable {
  private let limit: Int
  private let window: TimeInterval
  private let times = Locked<[String: [Date]]>([:])

  init(limit: Int, window: Duration) {
    self.limit = limit
    self.window = window / .seconds(1)
  }

  /// Counts a request of an address (`host:port`; the port does not matter).
  ///
  /// - Returns: `nil` when it may go on, else after how many whole seconds the next one may.
  func refusal(_ peer: String, now: Date) -> Int? {
    let address = String(peer.prefix(upTo: peer.lastIndex(of: ":") ?? peer.endIndex))
    return times.withLock { times in
      let recent = (times[address] ?? []).filter { now.timeIntervalSince($0) < window && $0 <= now }
      guard recent.count < limit else {
        times[address] = recent
        let wait = recent.first.map { window - now.timeIntervalSince($0) } ?? window
        return max(1, Int(wait.rounded(.up)))
      }
      times[address] = recent + [now]
      return nil
    }
  }
}

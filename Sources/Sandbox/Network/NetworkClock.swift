import Foundation
import SystemClients

/// The clock of all servers of one network, which a test may set wrong.
final class NetworkClock: Sendable {
  private let base: SystemClock
  private let offset = Locked(TimeInterval(0))

  init(_ base: SystemClock) { self.base = base }

  /// Seconds the servers are ahead of everybody else.
  var skew: TimeInterval {
    get { offset.withLock { $0 } }
    set { offset.withLock { $0 = newValue } }
  }

  var clock: SystemClock {
    SystemClock(now: { self.base.now() + self.skew }, sleep: base.sleep)
  }
}

package import Foundation
package import SystemClients

/// A clock that stands still until it is told how far to go: the time of the test profile
/// (bridge-protocol §13).
package final class VirtualClock: Sendable {
  private struct Sleeper {
    let deadline: Duration
    let waiter: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var elapsed: Duration
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var next = 0
  }

  /// 2026-01-01T00:00:00.000Z, where every test begins.
  package static let beginning = Date(timeIntervalSince1970: 1_767_225_600)

  /// Whoever slept gets this many turns before time goes on: what follows a pause may be a pause too.
  private static let turns = 64

  private let state: Locked<State>

  /// A clock at the beginning, or some time after it.
  package init(elapsed: Duration = .zero) {
    state = Locked(State(elapsed: elapsed))
  }

  /// How long after the beginning it is.
  package var elapsed: Duration { state.withLock(\.elapsed) }

  /// The time it shows.
  package var now: Date { Self.beginning + elapsed / .seconds(1) }

  /// The door to hand to whoever needs a clock.
  package var clock: SystemClock {
    SystemClock(now: { self.now }, sleep: { try await self.sleep($0) })
  }

  /// Lets time pass: everybody who waits for a moment within it goes on at that moment, in order.
  package func advance(by duration: Duration) async {
    let target = elapsed + max(.zero, duration)
    while let waiter = nextWaiter(until: target) {
      waiter.resume()
      for _ in 0..<Self.turns { await Task.yield() }
    }
    state.withLock { $0.elapsed = max($0.elapsed, target) }
    for _ in 0..<Self.turns { await Task.yield() }
  }

  private func nextWaiter(until target: Duration) -> CheckedContinuation<Void, any Error>? {
    state.withLock { state in
      let due = state.sleepers.filter { $0.value.deadline <= target }
      guard
        let first = due.min(by: { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) })
      else { return nil }
      state.sleepers[first.key] = nil
      state.elapsed = max(state.elapsed, first.value.deadline)
      return first.value.waiter
    }
  }

  private func sleep(_ duration: Duration) async throws {
    try Task.checkCancellation()
    guard duration > .zero else { return }
    let key = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(key) != nil { return true }
          state.sleepers[key] = Sleeper(deadline: state.elapsed + duration, waiter: waiter)
          return false
        }
        if isCancelled { waiter.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: key)
        // Cancelled before it lay down: it will find this.
        if sleeper == nil { state.cancelled.insert(key) }
        return sleeper
      }
      sleeper?.waiter.resume(throwing: CancellationError())
    }
    state.withLock { _ = $0.cancelled.remove(key) }
  }
}

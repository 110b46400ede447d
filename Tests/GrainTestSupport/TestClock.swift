package import Foundation
package import SystemClients

/// A clock that moves only when the test says so.
///
/// Wait for the code under test to fall asleep with `sleepers(atLeast:)`, then `advance(by:)`.
package final class TestClock: Sendable {
  private struct Sleeper: Sendable {
    let id: Int
    let wakesAt: Date
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State: Sendable {
    var now: Date
    var nextID = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
  }

  private let state: Watched<State>

  /// A clock that stands at that time: 1 March 2026, noon UTC, unless told otherwise.
  package init(at start: Date = Date(timeIntervalSince1970: 1_772_366_400)) {
    state = Watched(State(now: start))
  }

  /// The door to this clock.
  package var clock: SystemClock {
    SystemClock(now: { [self] in now }, sleep: { [self] in try await sleep($0) })
  }

  /// The virtual time.
  package var now: Date { state.value.now }

  /// How many tasks are asleep.
  package var sleeperCount: Int { state.value.sleepers.count }

  /// Moves the time forward, waking sleepers in the order of their time and then of their coming.
  ///
  /// After each wake-up other tasks get a few turns, so one that falls asleep again at once does so
  /// at the time it was woken, and is woken again if that still lies within the duration.
  package func advance(by duration: Duration) async {
    let end = now.addingTimeInterval(duration / .seconds(1))
    while let sleeper = takeFirst(until: end) {
      sleeper.continuation.resume()
      for _ in 0..<20 { await Task.yield() }
    }
    state.change { $0.now = max($0.now, end) }
  }

  /// Sets the wall clock, as an administrator would: nobody is woken.
  package func set(_ time: Date) {
    state.change { $0.now = time }
  }

  /// Returns once that many tasks are asleep, or the task is cancelled.
  package func sleepers(atLeast count: Int) async {
    await state.wait { $0.sleepers.count >= count }
  }

  private func sleep(_ duration: Duration) async throws {
    try Task.checkCancellation()
    guard duration > .zero else { return }
    let id = state.change { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = state.change { state in
          if state.cancelled.remove(id) != nil { return true }
          let wakesAt = state.now.addingTimeInterval(duration / .seconds(1))
          state.sleepers.append(Sleeper(id: id, wakesAt: wakesAt, continuation: continuation))
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let sleeper = state.change { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Removes the sleeper whose turn is next and moves the time to it.
  private func takeFirst(until end: Date) -> Sleeper? {
    state.change { state in
      guard
        let next = state.sleepers.min(by: { ($0.wakesAt, $0.id) < ($1.wakesAt, $1.id) }),
        next.wakesAt <= end
      else { return nil }
      state.sleepers.removeAll { $0.id == next.id }
      state.now = max(state.now, next.wakesAt)
      return next
    }
  }
}

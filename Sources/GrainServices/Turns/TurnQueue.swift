import SystemClients

/// Lets one caller at a time through work that awaits, in the order they came.
///
/// An actor is re-entrant: what it read before an `await` may be gone after it. Work done in a turn
/// meets nobody else's half-done work.
final class TurnQueue: Sendable {
  private typealias Waiting = (id: Int, resume: CheckedContinuation<Bool, Never>)

  private struct State {
    var isTaken = false
    var nextID = 0
    var waiting: [Waiting] = []
    /// Callers that were cancelled before they had begun to wait.
    var gaveUp: Set<Int> = []
  }

  private let state = Locked(State())

  /// How many wait for their turn.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Does the work when its turn has come.
  func run<Value, Failure: Error>(
    _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    _ = await take(nextID())
    defer { pass() }
    return try await work()
  }

  /// Waits for a turn; whoever got one must ``pass()`` it on.
  ///
  /// - Returns: `false` when the calling task was cancelled before its turn came.
  func take() async -> Bool {
    let id = nextID()
    defer { state.withLock { _ = $0.gaveUp.remove(id) } }
    return await withTaskCancellationHandler {
      await take(id)
    } onCancel: {
      giveUp(id)
    }
  }

  /// Ends a turn; the one who has waited longest is next.
  func pass() {
    let next = state.withLock { state -> Waiting? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      // The turn is handed over, not freed: nobody can slip in between.
      return state.waiting.removeFirst()
    }
    next?.resume.resume(returning: true)
  }

  private func nextID() -> Int {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  private func take(_ id: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> Bool? in
        if state.gaveUp.remove(id) != nil { return false }
        if state.isTaken {
          state.waiting.append((id, continuation))
          return nil
        }
        state.isTaken = true
        return true
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  private func giveUp(_ id: Int) {
    let waiting = state.withLock { state -> Waiting? in
      guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
        // It is about to wait, or its turn has come already.
        state.gaveUp.insert(id)
        return nil
      }
      return state.waiting.remove(at: index)
    }
    waiting?.resume.resume(returning: false)
  }
}

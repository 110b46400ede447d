import SystemClients

/// The person's wish to stop, told at once to all work that may be cut off at any moment.
///
/// Unlike cancelling a task it leaves alone what must come to its end, such as a commit.
final class StopSignal: Sendable {
  private struct State {
    var isRaised = false
    var nextID = 0
    var stoppable: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Locked(State())

  /// Whether somebody wants to stop.
  var isRaised: Bool { state.withLock(\.isRaised) }

  /// Asks to stop; once is enough.
  func raise() {
    let stoppable = state.withLock { state in
      state.isRaised = true
      return state.stoppable.values
    }
    for cancel in stoppable { cancel() }
  }

  /// Does work in a task that is cancelled when the signal is raised, or was before.
  func stoppable<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let task = Task { () async -> Result<Value, Failure> in
      do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
    }
    let id = state.withLock { state in
      state.nextID += 1
      state.stoppable[state.nextID] = { task.cancel() }
      return state.nextID
    }
    defer { state.withLock { _ = $0.stoppable.removeValue(forKey: id) } }
    // Raised between the two: nobody has told the task.
    if isRaised { task.cancel() }
    return try await task.value.get()
  }
}

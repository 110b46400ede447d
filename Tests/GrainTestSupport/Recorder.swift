import SystemClients

/// Collects values from any task or thread, in the order of their arrival.
package final class Recorder<Value: Sendable>: Sendable {
  private typealias Watcher = (
    condition: @Sendable ([Value]) -> Bool, continuation: CheckedContinuation<Void, Never>
  )

  private struct State {
    var values: [Value] = []
    var watchers: [Watcher] = []
  }

  private let state = Locked(State())

  /// Nothing recorded yet.
  package init() {}

  /// What was recorded so far.
  package var values: [Value] { state.withLock(\.values) }

  /// Adds a value.
  package func record(_ value: Value) {
    let ready = state.withLock { state in
      state.values.append(value)
      let values = state.values
      let ready = state.watchers.filter { $0.condition(values) }.map(\.continuation)
      state.watchers.removeAll { $0.condition(values) }
      return ready
    }
    for watcher in ready { watcher.resume() }
  }

  /// Returns once the values satisfy a condition, which is asked again with every new one.
  package func wait(until condition: @escaping @Sendable ([Value]) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if condition(state.values) { return true }
        state.watchers.append((condition, continuation))
        return false
      }
      if isDone { continuation.resume() }
    }
  }
}

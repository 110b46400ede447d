import SystemClients

/// A value that tasks can wait on: each until what it waits for is so, or the task is cancelled, as that of a
/// test is when its time is over.
final class Watched<Value: Sendable>: Sendable {
  private struct Watcher {
    let condition: @Sendable (Value) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var value: Value
    var watchers: [Int: Watcher] = [:]
    var lastID = 0
  }

  private let state: Locked<State>

  init(_ value: Value) { state = Locked(State(value: value)) }

  /// What it is now.
  var value: Value { state.withLock(\.value) }

  /// Changes it, and wakes who has waited for that.
  func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    let (result, ready) = try state.withLock { state in
      let result = try body(&state.value)
      let value = state.value
      let ready = state.watchers.filter { $1.condition(value) }
      for id in ready.keys { state.watchers[id] = nil }
      return (result, ready.values.map(\.continuation))
    }
    for continuation in ready { continuation.resume() }
    return result
  }

  /// Returns once the condition holds, which is asked again after every change.
  func wait(until condition: @escaping @Sendable (Value) -> Bool) async {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if condition(state.value) || Task.isCancelled { return true }
          state.watchers[id] = Watcher(condition: condition, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let watcher = state.withLock { $0.watchers.removeValue(forKey: id) }
      watcher?.continuation.resume()
    }
  }
}

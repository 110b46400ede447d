/// Work that nobody waits for, in the hands of the one it is done for: known, and cancelled with it.
package final class BackgroundWork: Sendable {
  private struct State {
    var isOver = false
    var nextID = 0
    var tasks: [Int: Task<Void, Never>] = [:]
  }

  private let state = Locked(State())

  /// Nothing is under way yet.
  package init() {}

  /// Begins a piece of work; nothing begins any more after ``cancel()``.
  package func start(_ work: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.nextID += 1
      let id = state.nextID
      // It cannot take itself off the list before it is on it: both need the lock.
      state.tasks[id] = Task { [weak self] in
        await work()
        self?.forget(id)
      }
    }
  }

  /// Returns when nothing is under way, not even what began meanwhile.
  package func ended() async {
    while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
  }

  /// Cancels everything for good, and returns when it has stopped.
  package func cancel() async {
    let tasks = state.withLock { state in
      state.isOver = true
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  private func forget(_ id: Int) { state.withLock { $0.tasks[id] = nil } }
}

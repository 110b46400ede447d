import SystemClients

/// Holds tasks up until the test opens it, and tells the test who has arrived.
package final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var arrivals = 0
    var held: [CheckedContinuation<Void, Never>] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Locked(State())

  /// A closed gate.
  package init() {}

  /// How many tasks have come so far, let through or not.
  package var arrivalCount: Int { state.withLock(\.arrivals) }

  /// Arrives, and returns once the gate is open. Takes no notice of cancellation.
  package func pass() async {
    await withCheckedContinuation { continuation in
      let (isOpen, ready) = state.withLock { state in
        state.arrivals += 1
        let count = state.arrivals
        let ready = state.watchers.filter { $0.count <= count }.map(\.continuation)
        state.watchers.removeAll { $0.count <= count }
        if !state.isOpen { state.held.append(continuation) }
        return (state.isOpen, ready)
      }
      for watcher in ready { watcher.resume() }
      if isOpen { continuation.resume() }
    }
  }

  /// Lets through all who wait and all who come.
  package func open() {
    let held = state.withLock { state in
      state.isOpen = true
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Returns once that many tasks have come.
  package func arrivals(atLeast count: Int) async {
    await withCheckedContinuation { continuation in
      let isEnough = state.withLock { state in
        if state.arrivals >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isEnough { continuation.resume() }
    }
  }
}

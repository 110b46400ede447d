/// Holds tasks up until the test opens it, and tells the test who has arrived.
package final class Gate: Sendable {
  private struct State: Sendable {
    var isOpen = false
    var arrivals = 0
    var held: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Watched(State())

  /// A closed gate.
  package init() {}

  /// How many tasks have come so far, let through or not.
  package var arrivalCount: Int { state.value.arrivals }

  /// Arrives, and returns once the gate is open. Takes no notice of cancellation.
  package func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.change { state in
        state.arrivals += 1
        if !state.isOpen { state.held.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Lets through all who wait and all who come.
  package func open() {
    let held = state.change { state in
      state.isOpen = true
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Returns once that many tasks have come, or the task is cancelled.
  package func arrivals(atLeast count: Int) async {
    await state.wait { $0.arrivals >= count }
  }
}

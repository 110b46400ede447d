/// A way through in a test that can be shut, and shut again: whoever comes then waits.
package actor Turnstile {
  private var isOpen: Bool
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var watchers: [(count: Int, resume: CheckedContinuation<Void, Never>)] = []

  /// Open, unless told otherwise.
  package init(open: Bool = true) { isOpen = open }

  /// Goes through, or waits until the gate is opened; a cancelled task waits like any other.
  package func pass() async {
    if isOpen { return }
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      let ready = watchers.filter { $0.count <= waiting.count }
      watchers.removeAll { $0.count <= waiting.count }
      for watcher in ready { watcher.resume.resume() }
    }
  }

  /// Whoever comes from now on waits.
  package func shut() { isOpen = false }

  /// Lets through all who wait and all who come.
  package func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Returns once that many wait.
  package func arrivals(_ count: Int = 1) async {
    if waiting.count >= count { return }
    await withCheckedContinuation { watchers.append((count, $0)) }
  }
}

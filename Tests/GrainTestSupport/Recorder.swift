import Synchronization

/// Collects values from any task or thread, in the order of their arrival.
package final class Recorder<Value: Sendable>: Sendable {
  private let recorded = Mutex<[Value]>([])

  /// Nothing recorded yet.
  package init() {}

  /// What was recorded so far.
  package var values: [Value] { recorded.withLock { $0 } }

  /// Adds a value.
  package func record(_ value: Value) {
    recorded.withLock { $0.append(value) }
  }
}

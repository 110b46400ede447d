/// Collects values from any task or thread, in the order of their arrival.
package final class Recorder<Value: Sendable>: Sendable {
  private let recorded = Watched<[Value]>([])

  /// Nothing recorded yet.
  package init() {}

  /// What was recorded so far.
  package var values: [Value] { recorded.value }

  /// Adds a value.
  package func record(_ value: Value) { recorded.change { $0.append(value) } }

  /// Returns once the values satisfy a condition, which is asked again with every new one, or the task is
  /// cancelled.
  package func wait(until condition: @escaping @Sendable ([Value]) -> Bool) async {
    await recorded.wait(until: condition)
  }
}

import Foundation

/// Runs what blocks on a thread of its own: the tests share as few threads as the machine has cores, and two
/// that wait keep everybody waiting.
package func onThread<Value: Sendable>(
  _ work: @escaping @Sendable () -> Value
) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: work()) }
  }
}

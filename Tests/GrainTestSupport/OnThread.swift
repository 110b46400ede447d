import Foundation

/// Runs what blocks on a thread of its own: the tests share as few threads as the machine has cores, and two
/// that wait keep everybody waiting.
///
/// - Throws: what the work throws.
package func onThread<Value: Sendable, Failure: Error>(
  _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      continuation.resume(returning: Result { () throws(Failure) in try work() })
    }
  }
  return try result.get()
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A value that one thread at a time can reach.
///
/// What `Synchronization.Mutex` is for, over a pthread lock: the thread sanitizer cannot see that one's lock
/// on Linux (Swift 6.3) and takes every second access for a race, so it would find no real one here.
///
/// `@unchecked Sendable`: the value is touched between lock and unlock only, and is `Sendable` itself.
package final class Locked<Value: Sendable>: @unchecked Sendable {
  // Behind a pointer: a value without size would share its address with its neighbour.
  private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  /// Holds this value first.
  package init(_ initial: Value) {
    value.initialize(to: initial)
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Runs `body` with the value, while nobody else can reach it.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }
}

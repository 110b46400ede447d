#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import SystemClients

/// A thread of its own for calls that block; the concurrency runtime's few threads must not.
enum SystemThread {
  /// Runs `body` on a new thread with all signals blocked: they are for the rest of the program, and a write
  /// to a closed pipe then fails with EPIPE instead of ending the process. Those of a crash are not: it would
  /// end the process without the program's last words.
  ///
  /// - Throws: `DescriptorError` when the process may have no more threads.
  static func start(_ body: @escaping @Sendable () -> Void) throws(DescriptorError) {
    let context = Unmanaged.passRetained(Box(body)).toOpaque()
    var blocked = sigset_t()
    var before = sigset_t()
    sigfillset(&blocked)
    for crash in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { sigdelset(&blocked, crash) }
    // Set here and inherited, so that the thread never runs a moment without it.
    pthread_sigmask(SIG_SETMASK, &blocked, &before)
    let status = create(context)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard status == 0 else {
      Unmanaged<Box>.fromOpaque(context).release()
      throw DescriptorError(errno: status)
    }
  }

  fileprivate final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static func create(_ context: UnsafeMutableRawPointer) -> Int32 {
    #if canImport(Darwin)
      var thread: pthread_t?
      let status = pthread_create(&thread, nil, threadEntry, context)
      if let thread { pthread_detach(thread) }
    #else
      var thread = pthread_t()
      let status = pthread_create(&thread, nil, threadEntry, context)
      if status == 0 { pthread_detach(thread) }
    #endif
    return status
  }
}

/// Where a new thread begins. A function, because a closure in its place crashes the compiler (Swift 6.3.1).
private func threadEntry(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let box = Unmanaged<SystemThread.Box>.fromOpaque(context).takeRetainedValue()
  CrashStack.during { box.body() }
  return nil
}

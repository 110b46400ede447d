import Foundation

/// A stack for whatever handles a crash: where a thread's own has run out, a handler has no other place, and the
/// system ends the process without a word.
///
/// Each thread has to ask for its own (sigaltstack(2)). Threads that others start go without: those of the
/// concurrency runtime's pool are Dispatch's, which tells nobody when it starts one.
package enum CrashStack {
  private static let bytes = 64 * 1024

  /// Runs `body` while the calling thread has such a stack.
  package static func during(_ body: () -> Void) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
    var stack = stack_t()
    stack.ss_sp = memory
    stack.ss_size = bytes
    // If it is refused the thread is where all the others are.
    _ = sigaltstack(&stack, nil)
    body()
    var none = stack_t()
    none.ss_flags = Int32(SS_DISABLE)
    _ = sigaltstack(&none, nil)
    memory.deallocate()
  }
}

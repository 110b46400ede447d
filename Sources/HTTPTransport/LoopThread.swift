import Foundation
import SystemClients

/// Starts the thread of a loop. It blocks in `poll(2)`, so it must be none of a shared pool; and
/// OpenSSL writes to its sockets without sparing it the signal of a broken pipe.
package enum LoopThread {
  /// Runs the loop on a thread of that name, which ends with it.
  package static func start(_ name: String, _ loop: @escaping @Sendable () -> Void) {
    let thread = Thread {
      blockBrokenPipeSignal()
      CrashStack.during { loop() }
    }
    thread.name = name
    thread.start()
  }
}

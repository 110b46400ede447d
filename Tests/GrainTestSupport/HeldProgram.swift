import Foundation
import Glibc
package import SystemClients

/// A program a test holds on to, with calls that block; what it says on standard error is dropped.
///
/// Foundation's `Process` learns of an end through `select(2)`, which knows no descriptor above 1023:
/// among two thousand open ones of a whole test run it waits for ever.
package final class HeldProgram: Sendable {
  private static let silently = #"exec "$0" "$@" 2>/dev/null"#

  private let program: InteractiveProgram
  private let input: Locked<Int32?>

  /// Starts it; `environment` is all of it, that of the test program unless given.
  ///
  /// - Throws: when it cannot be started.
  package init(
    _ executable: String, _ arguments: [String],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ProgramError) {
    program = try InteractiveProgram(
      "/bin/sh", ["-c", Self.silently, executable] + arguments, environment: environment)
    close(program.errorOutput)
    input = Locked(program.input)
  }

  deinit {
    end()
    close(program.output)
  }

  /// What it has said since it was last asked; waits until there is something. Empty at its end.
  package func said() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(program.output, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      return Array(buffer.prefix(max(0, count)))
    }
  }

  /// Closes its input and reads what it says until it has ended.
  package func allSaid() -> [UInt8] {
    closeInput()
    var all: [UInt8] = []
    while true {
      let piece = said()
      if piece.isEmpty { break }
      all += piece
    }
    end()
    return all
  }

  /// Closes its input and waits for its end.
  package func end() {
    closeInput()
    var facts = siginfo_t()
    // Somebody else collects it; that it is gone altogether is as good.
    while waitid(P_PID, id_t(program.processID), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  private func closeInput() {
    let open = input.withLock { input in
      defer { input = nil }
      return input
    }
    if let open { close(open) }
  }
}

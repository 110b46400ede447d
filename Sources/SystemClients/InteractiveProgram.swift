import Foundation

/// A started program one talks with: our ends of its three pipes, and its end.
///
/// Whoever takes an end closes it. The program is killed when nobody refers to it any more.
package final class InteractiveProgram: Sendable {
  /// The program's process.
  package let processID: Int32
  /// What is written here, it reads; blocks while its pipe is full.
  package let input: Int32
  /// What it writes to standard output.
  package let output: Int32
  /// What it writes to standard error.
  package let errorOutput: Int32

  private struct Life {
    var status: Int32?
    var waiters: [CheckedContinuation<Int32, Never>] = []
  }

  private let life = Locked(Life())

  /// Starts a program with no descriptor of ours but its three pipes, in a process group of its own.
  ///
  /// - Throws: `notFound` or `failedToStart`.
  package init(
    _ executable: String, _ arguments: [String], environment: [String: String]
  ) throws(ProgramError) {
    let (stdin, stdout, stderr) = (try Pipe(), try Pipe(), try Pipe())
    do {
      processID = try ChildProcess.spawn(
        ProgramInvocation(
          executable: executable, arguments: arguments, environment: environment,
          timeLimit: .zero),
        input: stdin.reading, output: stdout.writing, errors: stderr.writing)
    } catch {
      for pipe in [stdin, stdout, stderr] { pipe.close() }
      throw error
    }
    for end in [stdin.reading, stdout.writing, stderr.writing] { close(end) }
    (input, output, errorOutput) = (stdin.writing, stdout.reading, stderr.reading)
    let (life, processID) = (life, processID)
    // A thread of its own: what waits for a process must not keep a thread of the tasks.
    Thread.detachNewThread {
      // Looked at first and collected under the lock: no signal can meet a process id that has
      // become somebody else's.
      var facts = siginfo_t()
      while waitid(P_PID, id_t(processID), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      let (waiters, ended) = life.withLock { life in
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        let ended = signal == 0 ? (status >> 8) & 0xFF : -signal
        life.status = ended
        defer { life.waiters = [] }
        return (life.waiters, ended)
      }
      for waiter in waiters { waiter.resume(returning: ended) }
    }
  }

  deinit { send(SIGKILL) }

  /// Sends a signal, unless the program has ended.
  package func send(_ signal: Int32) {
    life.withLock { if $0.status == nil { kill(processID, signal) } }
  }

  /// Waits for its end: the exit status, minus the signal's number if a signal ended it.
  package func status() async -> Int32 {
    await withCheckedContinuation { continuation in
      let known = life.withLock { life in
        if life.status == nil { life.waiters.append(continuation) }
        return life.status
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}

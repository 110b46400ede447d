import CLinux
import Foundation
import Glibc
import SystemClients

/// A started program with our ends of its pipes; killed when nobody refers to it any more.
final class ChildProgram: Sendable {
  let processID: pid_t
  /// Where to write what it reads; whoever takes it closes it.
  let input: Int32
  /// Where to read what it writes; whoever takes it closes it.
  let output: Int32
  private let life: Life

  /// Starts a program with no descriptor of ours but its three pipes.
  init(_ executable: String, _ arguments: [String], environment: [String: String]) throws {
    let (stdin, stdout, stderr) = (try PipeEnds(), try PipeEnds(), try PipeEnds())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, stdin.reading, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, stdout.writing, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, stderr.writing, STDERR_FILENO)
    grain_spawn_close_from(&actions, STDERR_FILENO + 1)
    var argv = ([executable] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var processID: pid_t = 0
    let code = posix_spawn(&processID, executable, &actions, nil, &argv, &envp)
    for end in [stdin.reading, stdout.writing, stderr.writing] { close(end) }
    guard code == 0 else {
      for end in [stdin.writing, stdout.reading, stderr.reading] { close(end) }
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL)
    }
    self.processID = processID
    input = stdin.writing
    output = stdout.reading
    life = Life(processID, errors: stderr.reading)
  }

  deinit { life.send(SIGKILL) }

  /// Sends a signal, unless the program has ended.
  func send(_ signal: Int32) { life.send(signal) }

  /// What it has written to standard error so far.
  var errors: [UInt8] { life.errors }

  /// Waits for its end.
  ///
  /// - Returns: the exit status; minus the signal's number if a signal ended it.
  func status() async throws -> Int32 {
    try await within("the end of process \(processID)") { [life] in await life.status() }
  }
}

/// The two threads that follow a program: to the end of its standard error, and to its own end.
private final class Life: Sendable {
  private struct State {
    var status: Int32?
    var errors: [UInt8] = []
    var errorsEnded = false
    var watchers: [CheckedContinuation<Int32, Never>] = []
  }

  private let processID: pid_t
  private let state = Locked(State())

  init(_ processID: pid_t, errors: Int32) {
    self.processID = processID
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(errors, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        state.withLock { $0.errors += buffer[..<count] }
      }
      close(errors)
    }
    Thread.detachNewThread { [self] in
      // Looked at first and collected under the lock: no signal can meet a process id that has
      // become somebody else's.
      var facts = siginfo_t()
      while waitid(P_PID, id_t(processID), &facts, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      let (watchers, ended) = state.withLock { state in
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        let ended = signal == 0 ? (status >> 8) & 0xFF : -signal
        state.status = ended
        defer { state.watchers = [] }
        return (state.watchers, ended)
      }
      for watcher in watchers { watcher.resume(returning: ended) }
    }
  }

  var errors: [UInt8] { state.withLock(\.errors) }

  func send(_ signal: Int32) {
    state.withLock { state in
      if state.status == nil { kill(processID, signal) }
    }
  }

  func status() async -> Int32 {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state in
        if state.status == nil { state.watchers.append(continuation) }
        return state.status
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}

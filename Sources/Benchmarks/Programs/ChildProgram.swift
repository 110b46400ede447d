import CLinux
import Foundation
import Glibc

/// A started program with our ends of its standard input and output; what it says on standard error
/// is thrown away. It is killed if nobody waits for its end.
final class ChildProgram {
  let processID: pid_t
  /// Where to write what it reads; whoever takes it closes it.
  let input: Int32
  /// Where to read what it writes; whoever takes it closes it.
  let output: Int32
  private var hasEnded = false

  /// Starts a program with no descriptor of ours but its pipes.
  init(_ executable: String, _ arguments: [String], environment: [String: String]) throws {
    let (stdin, stdout) = (try Self.pipe(), try Self.pipe())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, stdin.reading, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, stdout.writing, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    grain_spawn_close_from(&actions, STDERR_FILENO + 1)
    var argv = ([executable] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var processID: pid_t = 0
    let code = posix_spawn(&processID, executable, &actions, nil, &argv, &envp)
    close(stdin.reading)
    close(stdout.writing)
    guard code == 0 else {
      close(stdin.writing)
      close(stdout.reading)
      throw BenchError("\(executable) does not start: \(String(cString: strerror(code)))")
    }
    self.processID = processID
    input = stdin.writing
    output = stdout.reading
  }

  deinit {
    guard !hasEnded else { return }
    kill(processID, SIGKILL)
    var status: Int32 = 0
    waitpid(processID, &status, 0)
  }

  /// Waits for its end, which must come within ten seconds.
  ///
  /// - Throws: when it does not come, or comes with a status other than 0.
  func waitForEnd() throws {
    let handle = grain_pidfd_open(processID)
    defer { if handle >= 0 { close(handle) } }
    var event = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
    while poll(&event, 1, 10_000) < 0, errno == EINTR {}
    guard event.revents != 0 else { throw BenchError("process \(processID) does not end") }
    var status: Int32 = 0
    waitpid(processID, &status, 0)
    hasEnded = true
    if status != 0 { throw BenchError("process \(processID) ended with \(status)") }
  }

  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard grain_pipe_cloexec(&ends) == 0 else { throw BenchError("no descriptors are left") }
    return (ends[0], ends[1])
  }
}

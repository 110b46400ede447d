import CLinux
import Glibc

/// A started program and our ends of its three pipes.
final class ChildProcess: Sendable {
  private let invocation: ProgramInvocation
  private let processID: pid_t
  private let input: Int32
  private let output: Int32
  private let errorOutput: Int32
  /// Becomes readable when the run is cancelled.
  private let wakeUp: Pipe
  private let isCancelled = Locked(false)

  /// Starts the program in a process group of its own.
  init(_ invocation: ProgramInvocation) throws(ProgramError) {
    self.invocation = invocation
    let input = try Pipe()
    let output: Pipe
    let errorOutput: Pipe
    do {
      output = try Pipe()
    } catch {
      input.close()
      throw error
    }
    do {
      errorOutput = try Pipe()
    } catch {
      input.close()
      output.close()
      throw error
    }
    do {
      wakeUp = try Pipe()
    } catch {
      for pipe in [input, output, errorOutput] { pipe.close() }
      throw error
    }
    do {
      processID = try Self.spawn(
        invocation, input: input.reading, output: output.writing, errors: errorOutput.writing)
    } catch {
      for pipe in [input, output, errorOutput, wakeUp] { pipe.close() }
      throw error
    }
    Glibc.close(input.reading)
    Glibc.close(output.writing)
    Glibc.close(errorOutput.writing)
    self.input = input.writing
    self.output = output.reading
    self.errorOutput = errorOutput.reading
    for descriptor in [self.input, self.output, self.errorOutput] {
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }
  }

  /// Makes `communicate` kill the program and return; may be called at any time, from anywhere.
  func cancel() {
    isCancelled.withLock { isCancelled in
      guard !isCancelled else { return }
      isCancelled = true
      var byte: UInt8 = 0
      Glibc.write(wakeUp.writing, &byte, 1)
    }
  }

  /// Feeds the program, collects what it says and waits for its end; blocks. Called once.
  func communicate() -> Result<ProgramResult, ProgramError> {
    blockBrokenPipeSignal()
    let handle = grain_pidfd_open(processID)
    var conversation = Conversation(invocation, input: input, output: output, errors: errorOutput)
    defer {
      conversation.closeAll()
      if handle >= 0 { close(handle) }
      // Under the lock: a late `cancel` must not write to a descriptor that is somebody else's.
      isCancelled.withLock { isCancelled in
        isCancelled = true
        wakeUp.close()
      }
    }
    let outcome = conversation.run(
      process: processID, handle: handle, cancellation: wakeUp.reading)
    if case .failure = outcome {
      kill(-processID, SIGKILL)
      var status: Int32 = 0
      while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    }
    return outcome
  }

  static func spawn(
    _ invocation: ProgramInvocation, input: Int32, output: Int32, errors: Int32
  ) throws(ProgramError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    grain_spawn_close_from(&actions, STDERR_FILENO + 1)
    if let folder = invocation.workingFolder { grain_spawn_in_folder(&actions, folder) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Neither our ignored signals nor our blocked ones are the program's business.
    var all = sigset_t()
    sigfillset(&all)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var processID: pid_t = 0
    let arguments = [invocation.executable] + invocation.arguments
    let environment = invocation.environment.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value)" }
    let code = withCStrings(arguments) { argv in
      withCStrings(environment) { envp in
        posix_spawn(&processID, invocation.executable, &actions, &attributes, argv, envp)
      }
    }
    switch code {
    case 0: return processID
    case ENOENT: throw .notFound(invocation.executable)
    default: throw .failedToStart(errno: code)
    }
  }

  /// The strings as a null-terminated array of C strings.
  private static func withCStrings<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
  ) -> Value {
    var pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    return body(pointers)
  }
}

/// A pipe whose ends close on exec and lie above the standard descriptors, so that giving them
/// those numbers in the child can never collide.
struct Pipe: Sendable {
  let reading: Int32
  let writing: Int32

  init() throws(ProgramError) {
    var ends: [Int32] = [-1, -1]
    guard grain_pipe_cloexec(&ends) == 0 else { throw .failedToStart(errno: errno) }
    for index in ends.indices where ends[index] <= STDERR_FILENO {
      let moved = grain_duplicate_cloexec(ends[index], STDERR_FILENO + 1)
      let code = errno
      Glibc.close(ends[index])
      ends[index] = moved
      guard moved >= 0 else {
        Glibc.close(ends[1 - index])
        throw .failedToStart(errno: code)
      }
    }
    reading = ends[0]
    writing = ends[1]
  }

  func close() {
    Glibc.close(reading)
    Glibc.close(writing)
  }
}

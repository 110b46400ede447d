import Glibc

/// The talk with a started program: one poll loop over its pipes, its end, and cancellation.
struct Conversation {
  private let deadline: ContinuousClock.Instant
  private let outputLimit: Int
  private var input: Int32
  private var output: Int32
  private var errors: Int32
  private var unsent: ArraySlice<UInt8>
  private var result = ProgramResult(status: 0)

  init(_ invocation: ProgramInvocation, input: Int32, output: Int32, errors: Int32) {
    deadline = .now + invocation.timeLimit
    outputLimit = invocation.outputLimit
    unsent = invocation.input[...]
    self.input = input
    self.output = output
    self.errors = errors
  }

  mutating func closeAll() {
    Self.close(&input)
    Self.close(&output)
    Self.close(&errors)
  }

  /// Ends with the program's result, or with the reason to kill it.
  ///
  /// The program's end counts, not the end of its output: a daemon it left behind may hold the
  /// pipes open for ever. What is in the pipes by then is still read.
  mutating func run(
    process: pid_t, handle: Int32, cancellation: Int32
  ) -> Result<ProgramResult, ProgramError> {
    if unsent.isEmpty { Self.close(&input) }
    while true {
      var events = [
        pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
        pollfd(fd: handle, events: Int16(POLLIN), revents: 0),
        pollfd(fd: cancellation, events: Int16(POLLIN), revents: 0),
      ]
      let left = Int32(clamping: Int((deadline - .now) / .milliseconds(1)) + 1)
      guard left > 0 else { return .failure(.timedOut) }
      // Without a process handle (a kernel or a container that has none) its end is asked for.
      let wait = handle < 0 ? min(left, 20) : left
      guard poll(&events, nfds_t(events.count), wait) >= 0 || errno == EINTR else {
        return .failure(.failedToStart(errno: errno))
      }
      if events[4].revents != 0 { return .failure(.cancelled) }
      if events[0].revents != 0 { send() }
      guard exchange() else { return .failure(.outputTooLarge) }

      guard events[3].revents != 0 || handle < 0 else { continue }
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { continue }
      guard exchange() else { return .failure(.outputTooLarge) }
      let signal = status & 0x7F
      result.status = signal == 0 ? (status >> 8) & 0xFF : -signal
      return .success(result)
    }
  }

  private mutating func send() {
    let count = unsent.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    if count > 0 { unsent = unsent.dropFirst(count) }
    let isGone = count < 0 && errno != EAGAIN && errno != EINTR
    if unsent.isEmpty || isGone { Self.close(&input) }
  }

  /// Reads what both pipes hold; false when standard output passed the limit.
  private mutating func exchange() -> Bool {
    Self.drain(&output, into: &result.output, keeping: outputLimit + 1)
    Self.drain(&errors, into: &result.errorOutput, keeping: outputLimit)
    return result.output.count <= outputLimit
  }

  private static func drain(_ descriptor: inout Int32, into bytes: inout [UInt8], keeping: Int) {
    var chunk = [UInt8](repeating: 0, count: 65536)
    // Bounded, so that an endless writer cannot keep us from looking at the clock.
    for _ in 0..<64 where descriptor >= 0 {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else { return close(&descriptor) }
      bytes += chunk[..<min(count, max(0, keeping - bytes.count))]
    }
  }

  private static func close(_ descriptor: inout Int32) {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }
}

import Glibc

/// The one thread of a ``FolderSocket``: waits for its connections with `poll(2)` and answers each
/// once. Time is measured on the monotonic clock: these are real sockets with real silences.
struct FolderSocketLoop: ~Copyable {
  private struct Caller {
    let descriptor: Int32
    let deadline: ContinuousClock.Instant
    var message: [UInt8] = []
  }

  private let listener: Int32
  private let waking: Int32
  private let limits: FolderSocket.Limits
  private let answer: ([UInt8]) -> [UInt8]
  private var callers: [Caller] = []

  init(
    listener: Int32, waking: Int32, limits: FolderSocket.Limits,
    answer: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.listener = listener
    self.waking = waking
    self.limits = limits
    self.answer = answer
  }

  /// Serves until the other end of the waking pipe is closed; then everything is.
  mutating func run() {
    _ = fcntl(listener, F_SETFL, O_NONBLOCK)
    while serve() {}
    for caller in callers { close(caller.descriptor) }
    close(listener)
    close(waking)
  }

  /// One turn; false when it is over.
  private mutating func serve() -> Bool {
    var events = [
      pollfd(fd: waking, events: Int16(POLLIN), revents: 0),
      pollfd(
        fd: callers.count < limits.connections ? listener : -1, events: Int16(POLLIN), revents: 0),
    ]
    for caller in callers {
      events.append(pollfd(fd: caller.descriptor, events: Int16(POLLIN), revents: 0))
    }
    _ = poll(&events, nfds_t(events.count), waitingTime())
    if events[0].revents != 0 { return false }
    let now = ContinuousClock.now
    var staying: [Caller] = []
    for (caller, event) in zip(callers, events.dropFirst(2)) {
      var caller = caller
      if caller.deadline > now, event.revents == 0 || hears(&caller) {
        staying.append(caller)
      } else {
        close(caller.descriptor)
      }
    }
    callers = staying
    if events[1].revents != 0 { accept(now) }
    return true
  }

  private mutating func accept(_ now: ContinuousClock.Instant) {
    let descriptor = Glibc.accept(listener, nil, nil)
    guard descriptor >= 0 else {
      // Out of descriptors: the listener stays readable, so leave the others their time.
      if errno == EMFILE || errno == ENFILE { usleep(100_000) }
      return
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    guard FolderSocket.isOurs(descriptor) else {
      close(descriptor)
      return
    }
    callers.append(Caller(descriptor: descriptor, deadline: now + limits.time))
  }

  /// Takes what is there; false when the caller has been answered, or is not to be.
  private func hears(_ caller: inout Caller) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(caller.descriptor, &buffer, buffer.count, 0)
    if count < 0 { return errno == EAGAIN || errno == EINTR }
    guard count == 0 else {
      caller.message += buffer[..<count]
      return caller.message.count <= limits.messageBytes
    }
    let words = answer(caller.message)
    // Short, and the first thing sent: it fits the socket's buffer, or the caller is gone.
    send(caller.descriptor, words, words.count, Int32(MSG_NOSIGNAL))
    return false
  }

  /// Milliseconds until the first caller's time is over, rounded up.
  private func waitingTime() -> Int32 {
    guard let next = callers.map(\.deadline).min() else { return -1 }
    return Int32(clamping: max(0, Int((next - .now) / .milliseconds(1)) + 1))
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The end we write to, without ever blocking in the write itself.
///
/// The descriptor's own mode is left alone: `O_NONBLOCK` belongs to the open file, which a shell may share
/// with other programs. So a socket is asked per call, and anything else gets at most what `poll` promises
/// to fit (`PIPE_BUF`).
struct OutputDescriptor: Sendable {
  enum Outcome: Equatable {
    case wrote(Int)
    case full
    case closed
    case failed(Int32)
  }

  /// What ended a wait.
  enum Wait: Equatable {
    case writable
    case woken
    case timedOut
    case closed
  }

  let descriptor: Int32
  let wake: WakeSignal
  private let kind: Kind

  private enum Kind: Sendable { case socket, blocking, nonBlocking }

  /// What fits at once wherever there is room at all.
  static let pieceBytes = Int(PIPE_BUF)

  init(descriptor: Int32, wake: WakeSignal) {
    self.descriptor = descriptor
    self.wake = wake
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    let isSocket = getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0
    let flags = fcntl(descriptor, F_GETFL)
    kind = isSocket ? .socket : flags != -1 && flags & O_NONBLOCK != 0 ? .nonBlocking : .blocking
  }

  /// Writes as much as fits, from an offset on. Never looks at the wake signal: that is for the thread that
  /// waits, and this may be another one.
  func write(_ bytes: [UInt8], from offset: Int) -> Outcome {
    if kind == .blocking {
      var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&polled, 1, 0) > 0 else { return .full }
      if Self.isClosed(polled) { return .closed }
    }
    let count = bytes.withUnsafeBytes { buffer in
      let start = buffer.baseAddress?.advanced(by: offset)
      let left = buffer.count - offset
      return switch kind {
      case .socket: send(descriptor, start, left, Int32(MSG_DONTWAIT))
      case .nonBlocking: systemWrite(descriptor, start, left)
      case .blocking: systemWrite(descriptor, start, min(left, Self.pieceBytes))
      }
    }
    if count >= 0 { return .wrote(count) }
    switch errno {
    case EINTR: return .wrote(0)
    case EAGAIN, EWOULDBLOCK, ENOBUFS: return .full
    case EPIPE, ECONNRESET: return .closed
    default: return .failed(errno)
    }
  }

  /// Waits for room, for a wake-up, or just for time to pass.
  ///
  /// - Parameters:
  ///   - room: whether room ends the wait; if not, only the peer's leaving does.
  ///   - limit: how long at most; `nil` for as long as it takes.
  /// - Returns: what ended it.
  func wait(forRoom room: Bool, limit: Duration?) -> Wait {
    var polled = [
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: room ? Int16(POLLOUT) : 0, revents: 0),
    ]
    let ready = poll(&polled, 2, limit.map(Self.milliseconds) ?? -1)
    if ready < 0 { return .woken }  // EINTR: the caller looks again
    if ready == 0 { return .timedOut }
    let isWoken = polled[0].revents != 0
    if isWoken { wake.clear() }
    if Self.isClosed(polled[1]) { return .closed }
    // Room before news: a stream of news must not keep the pipe empty.
    return room && polled[1].revents & Int16(POLLOUT) != 0 ? .writable : .woken
  }

  private static func isClosed(_ polled: pollfd) -> Bool {
    polled.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
  }

  private static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    guard seconds < 1_000_000 else { return -1 }
    // Rounded up: waking before the time would only mean waiting again.
    return Int32(
      max(0, seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }

  private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, start, count)
    #elseif canImport(Musl)
      Musl.write(descriptor, start, count)
    #else
      Darwin.write(descriptor, start, count)
    #endif
  }
}

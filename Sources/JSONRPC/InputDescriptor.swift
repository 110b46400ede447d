#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The end we read from: a pipe, a file, a terminal or a socket, all alike (FB-F6).
struct InputDescriptor {
  enum Outcome: Equatable {
    case bytes(Int)
    case end
    case failed(Int32)
    /// Somebody wants the thread's attention.
    case woken
  }

  let descriptor: Int32
  let wake: WakeSignal

  /// Waits for bytes and reads what there is.
  func read(into buffer: inout [UInt8]) -> Outcome {
    while true {
      var polled = [
        pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&polled, 2, -1) >= 0 else {
        if errno == EINTR { continue }
        return .failed(errno)
      }
      if polled[0].revents != 0 {
        wake.clear()
        return .woken
      }
      let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, $0) }
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      switch errno {
      case EINTR, EAGAIN, EWOULDBLOCK: continue
      case ECONNRESET, EIO: return .end  // the other end of a socket or terminal is gone
      default: return .failed(errno)
      }
    }
  }

  private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      Musl.read(descriptor, buffer.baseAddress, buffer.count)
    #else
      Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }
}

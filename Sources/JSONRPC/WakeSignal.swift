#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Interrupts a `poll`: a pipe to ourselves.
final class WakeSignal: Sendable {
  /// Becomes readable when raised.
  let descriptor: Int32
  private let writeEnd: Int32

  /// - Throws: `DescriptorError` when the process has no descriptors left.
  init() throws(DescriptorError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw DescriptorError(errno: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writeEnd) = (ends[0], ends[1])
  }

  deinit {
    _ = close(descriptor)
    _ = close(writeEnd)
  }

  func raise() {
    var byte: UInt8 = 1
    // A full pipe is a raised signal already.
    _ = write(writeEnd, &byte, 1)
  }

  /// Waits until it is raised, and clears it.
  func wait() {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if poll(&polled, 1, -1) > 0 { clear() }
  }

  func clear() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while read(descriptor, buffer.baseAddress, buffer.count) == buffer.count {}
    }
  }
}

/// A call on a descriptor that failed.
package struct DescriptorError: Error, Hashable, Sendable {
  /// Why.
  package let errno: Int32
}

import Dispatch
import Foundation
import Glibc

/// Writes log lines to a descriptor from a thread of its own, so a reader who never reads cannot
/// stall the core (bridge protocol §11).
///
/// Waiting lines take 256 KiB at most: past that the oldest is dropped, and a line `lines dropped`
/// with their number precedes the next one written.
package final class StderrSink: Sendable {
  private struct State {
    var lines: [[UInt8]] = []
    var bytes = 0
    var dropped = 0
    var isWriting = false
    var isClosed = false
    var waiting: [DispatchSemaphore] = []
  }

  private let descriptor: Int32
  private let backlogLimit: Int
  private let clock: SystemClock
  private let state = Locked(State())
  private let work = DispatchSemaphore(value: 0)

  /// Starts the writer; the descriptor stays the caller's and must outlive the sink.
  package init(
    descriptor: Int32 = STDERR_FILENO, backlogLimit: Int = 256 * 1024, clock: SystemClock = .live
  ) {
    self.descriptor = descriptor
    self.backlogLimit = backlogLimit
    self.clock = clock
    Thread.detachNewThread { [self] in writeUntilClosed() }
  }

  /// The door to this sink.
  package var sink: LogSink {
    LogSink { [self] line in enqueue(line) }
  }

  /// Waits until all lines handed over so far are written, at most that long; blocks its thread.
  ///
  /// - Returns: whether everything was written.
  package func flush(within limit: Duration) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let isIdle = state.withLock { state in
      if state.lines.isEmpty, !state.isWriting { return true }
      state.waiting.append(done)
      return false
    }
    if isIdle { return true }
    let nanoseconds = Int(limit / .nanoseconds(1))
    return done.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
  }

  /// Ends the writer thread once the waiting lines are written; lines handed over later are lost.
  package func close() {
    state.withLock { $0.isClosed = true }
    work.signal()
  }

  private func enqueue(_ line: [UInt8]) {
    state.withLock { state in
      state.lines.append(line)
      state.bytes += line.count + 1
      while state.bytes > backlogLimit, !state.lines.isEmpty {
        state.bytes -= state.lines.removeFirst().count + 1
        state.dropped += 1
      }
    }
    work.signal()
  }

  private func writeUntilClosed() {
    blockBrokenPipeSignal()
    while true {
      work.wait()
      while let batch = takeBatch() { write(batch) }
      if state.withLock({ $0.isClosed && $0.lines.isEmpty }) { return }
    }
  }

  /// All waiting lines as one piece of text, or `nil` when there are none.
  private func takeBatch() -> [UInt8]? {
    let now = clock.now()
    return state.withLock { state in
      guard !state.lines.isEmpty else {
        state.isWriting = false
        for waiting in state.waiting { waiting.signal() }
        state.waiting = []
        return nil
      }
      var batch: [UInt8] = []
      batch.reserveCapacity(state.bytes + 128)
      if state.dropped > 0 {
        batch += LogLine.encode(
          time: now, level: .warn, target: "log", message: "lines dropped",
          encodedFields: "{\"count\":\(state.dropped)}")
        batch.append(UInt8(ascii: "\n"))
      }
      for line in state.lines {
        batch += line
        batch.append(UInt8(ascii: "\n"))
      }
      state.lines = []
      state.bytes = 0
      state.dropped = 0
      state.isWriting = true
      return batch
    }
  }

  private func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        // Somebody who shares the descriptor made it non-blocking.
        var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&event, 1, 1000)
      } else if count < 0, errno == EINTR {
        continue
      } else {
        return  // The reader is gone; there is nobody left to tell.
      }
    }
  }
}

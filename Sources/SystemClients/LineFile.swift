import Dispatch
import Foundation
import Glibc

/// Writes lines to a file, a pipe or a FIFO from a thread of its own: a place that is full, or that nobody
/// empties, costs lines and never the time of whoever has something to write down.
///
/// Waiting lines take `backlogLimit` bytes at most; past that, new ones are left out. Where lines were left
/// out, or could not be written, `gap` makes the line that says so in their place. A line that is in the
/// file is whole, except where a pipe broke within it.
package final class LineFile: Sendable {
  /// What befell the lines.
  package enum Notice: Equatable, Sendable {
    /// From here on lines are missing: the reader is too slow (`nil`), or writing fails with this `errno`.
    case gapBegan(errno: Int32?)
    /// Lines are written again; so many are missing.
    case gapEnded(lines: Int)
  }

  private enum Entry: Sendable {
    case line([UInt8])
    /// So many lines were left out here.
    case missing(Int)
  }

  private struct State {
    var waiting: [Entry] = []
    var bytes = 0
    /// Left out since the last line that was taken.
    var missing = 0
    var isClosed = false
    /// Tells whoever closes that the thread is done.
    var done: DispatchSemaphore?
  }

  private let backlogLimit: Int
  private let gap: @Sendable (_ lines: Int) -> [UInt8]
  private let notice: @Sendable (Notice) -> Void
  private let state = Locked(State())
  private let work = DispatchSemaphore(value: 0)

  /// Makes or empties the file, readable by its owner alone, and starts the thread. A FIFO without a reader
  /// is opened once there is one.
  ///
  /// - Parameters:
  ///   - path: where to write.
  ///   - backlogLimit: how many bytes may wait.
  ///   - gap: the line that stands for missing ones (no line feed).
  ///   - notice: told of gaps, on the writing thread or on that of whoever adds a line.
  /// - Throws: why nothing can be written there.
  package init(
    _ path: String, backlogLimit: Int = 8 << 20,
    gap: @escaping @Sendable (_ lines: Int) -> [UInt8],
    notice: @escaping @Sendable (Notice) -> Void = { _ in }
  ) throws(FileError) {
    self.backlogLimit = backlogLimit
    self.gap = gap
    self.notice = notice
    // Without waiting: the opening of a FIFO nobody reads would never return.
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let descriptor = open(path, flags | O_NONBLOCK, 0o600)
    let code = errno
    var facts = stat()
    let isUnread = code == ENXIO && stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO
    guard descriptor >= 0 || isUnread else { throw .writing(path, errno: code) }
    Thread.detachNewThread { [self] in
      blockBrokenPipeSignal()
      var opened = descriptor
      while opened < 0 {
        opened = open(path, flags & ~O_CREAT)
        // It has gone meanwhile: nothing is ever written, and everything counts as missing.
        if opened < 0, errno != EINTR { break }
      }
      writeUntilClosed(LineWriter(descriptor: opened))
    }
  }

  /// Hands over a line (no line feed); returns at once.
  package func add(_ line: [UInt8]) {
    let isFirstMissing = state.withLock { state -> Bool in
      if state.isClosed { return false }
      // A line larger than the whole backlog is taken when nothing else waits.
      let fits = state.bytes == 0 || state.bytes + line.count <= backlogLimit
      guard fits else {
        state.missing += 1
        return state.missing == 1
      }
      if state.missing > 0 { state.waiting.append(.missing(state.missing)) }
      state.missing = 0
      state.waiting.append(.line(line))
      state.bytes += line.count
      return false
    }
    if isFirstMissing { notice(.gapBegan(errno: nil)) }
    work.signal()
  }

  /// Takes no more lines and waits for the rest to be written, at most that long; blocks its thread.
  ///
  /// - Returns: whether every line that was handed over since the last gap is written.
  @discardableResult
  package func close(within limit: Duration) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let isOver = state.withLock { state in
      defer { state.isClosed = true }
      if state.isClosed { return true }
      if state.missing > 0 { state.waiting.append(.missing(state.missing)) }
      state.missing = 0
      state.done = done
      return false
    }
    if isOver { return true }
    work.signal()
    let nanoseconds = Int(limit / .nanoseconds(1))
    return done.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
  }

  // MARK: On the thread

  private func writeUntilClosed(_ writer: LineWriter) {
    var writer = writer
    var lost = 0
    while true {
      work.wait()
      for entry in takeAll() {
        switch entry {
        case .missing(let count): lost += count
        case .line(let line):
          write(line, &writer, &lost)
          state.withLock { $0.bytes -= line.count }
        }
      }
      let done = state.withLock { state in
        state.isClosed && state.waiting.isEmpty ? state.done : nil
      }
      guard let done else { continue }
      // The end of the file tells of a gap at its end, where there is room for it.
      if lost > 0, writer.write(gap(lost)) == nil { notice(.gapEnded(lines: lost)) }
      writer.close()
      done.signal()
      return
    }
  }

  private func takeAll() -> [Entry] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  private func write(_ line: [UInt8], _ writer: inout LineWriter, _ lost: inout Int) {
    var failure: Int32?
    if lost > 0 {
      failure = writer.write(gap(lost))
      if failure == nil {
        notice(.gapEnded(lines: lost))
        lost = 0
      }
    }
    if failure == nil { failure = writer.write(line) }
    guard let failure else { return }
    lost += 1
    if lost == 1 { notice(.gapBegan(errno: failure)) }
  }
}

/// Whole lines to one descriptor.
private struct LineWriter {
  private let descriptor: Int32
  private let isFile: Bool
  /// Where the next line begins, in a file.
  private var end: off_t = 0

  /// - Parameter descriptor: taken over; negative where there is none.
  init(descriptor: Int32) {
    self.descriptor = descriptor
    var facts = stat()
    isFile = fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
  }

  /// Writes a line and its line feed; waits for a pipe that is full.
  ///
  /// - Returns: why it could not be; a file then ends before the line.
  mutating func write(_ line: [UInt8]) -> Int32? {
    guard descriptor >= 0 else { return ENXIO }
    let bytes = line + [UInt8(ascii: "\n")]
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count > 0 {
        written += count
      } else if count < 0, errno == EAGAIN {
        var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&event, 1, -1)
      } else if count < 0, errno == EINTR {
        continue
      } else {
        let code = count < 0 ? errno : EIO
        takeBack()
        return code
      }
    }
    end += off_t(bytes.count)
    return nil
  }

  /// Half a line is none.
  private func takeBack() {
    guard isFile else { return }
    _ = ftruncate(descriptor, end)
    lseek(descriptor, end, SEEK_SET)
  }

  func close() {
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
  }
}

import Foundation
import Glibc

/// A talk with a started program, one line a message; whoever waits blocks their thread.
final class LineTalk {
  let program: ChildProgram
  /// The most that is read at a time.
  var readStep = Int.max
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  /// What was read and not yet given out lies between the two.
  private var start = 0
  private var end = 0
  private var hasClosed = false

  /// Takes over the pipes of a program.
  init(_ program: ChildProgram) {
    self.program = program
  }

  deinit {
    closeInput()
    close(program.output)
  }

  /// Writes it all, so many bytes at a time; the next ones once those before were read.
  func send(_ bytes: [UInt8], step: Int = .max) throws {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        write(program.input, $0.baseAddress, min($0.count, step))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw BenchError("process \(program.processID) reads no more") }
      written += count
      while step != .max, try unread() > 0 { sched_yield() }
    }
  }

  /// How many bytes were written and are not read yet.
  private func unread() throws -> Int32 {
    var count: Int32 = 0
    guard ioctl(program.input, UInt(FIONREAD), &count) == 0 else {
      throw BenchError("a pipe does not say what is in it")
    }
    return count
  }

  /// The next line, without its end.
  func line() throws -> [UInt8] {
    var searched = start
    while true {
      if let end = newline(from: searched) {
        defer { start = end + 1 }
        return Array(buffer[start..<end])
      }
      let known = end - start
      try readMore()
      searched = start + known
    }
  }

  /// Waits for a line and takes as many as are there.
  ///
  /// - Returns: how many.
  func skipLines() throws -> Int {
    var count = 0
    while count == 0 {
      while let end = newline(from: start) {
        start = end + 1
        count += 1
      }
      if count == 0 { try readMore() }
    }
    return count
  }

  /// Closes its input and waits for its end.
  func finish() throws {
    closeInput()
    while try readMore(orEnd: true) { start = end }
    try program.waitForEnd()
  }

  private func closeInput() {
    if !hasClosed { close(program.input) }
    hasClosed = true
  }

  private func newline(from place: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, place < end,
        let found = memchr(base + place, 0x0A, end - place)
      else { return nil }
      return found - UnsafeMutableRawPointer(mutating: base)
    }
  }

  @discardableResult
  private func readMore(orEnd: Bool = false) throws -> Bool {
    if start > 0 {
      buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        memmove(base, base + start, end - start)
      }
      end -= start
      start = 0
    }
    if end == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
    var event = pollfd(fd: program.output, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&event, 1, 30_000)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { throw BenchError("process \(program.processID) says nothing") }
      let count = buffer.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.map { read(program.output, $0 + end, min(bytes.count - end, readStep)) }
          ?? 0
      }
      if count < 0, errno == EINTR { continue }
      if count <= 0, orEnd { return false }
      guard count > 0 else { throw BenchError("process \(program.processID) has ended") }
      end += count
      return true
    }
  }
}

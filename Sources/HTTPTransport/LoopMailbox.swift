import Glibc
import SystemClients

/// Brings letters to a thread that waits in `poll(2)`, from any task or thread.
package final class LoopMailbox<Letter: Sendable>: Sendable {
  private struct State {
    var letters: [Letter] = []
    var isClosed = false
    var closing: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())
  private let reading: Int32
  private let writing: Int32

  /// An empty mailbox.
  ///
  /// - Throws: `POSIXFailure` when the process has no descriptors left.
  package init() throws(POSIXFailure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXFailure() }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    reading = ends[0]
    writing = ends[1]
  }

  /// Readable when there may be letters.
  package var descriptor: Int32 { reading }

  /// Leaves a letter.
  ///
  /// - Returns: false if the loop has ended and the letter is lost.
  @discardableResult
  package func post(_ letter: Letter) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.letters.append(letter)
      // A full pipe wakes the loop just as well.
      var byte: UInt8 = 0
      write(writing, &byte, 1)
      return true
    }
  }

  /// All letters, for the loop.
  package func take() -> [Letter] {
    var buffer = [UInt8](repeating: 0, count: 512)
    while read(reading, &buffer, buffer.count) > 0 {}
    return state.withLock { state in
      defer { state.letters = [] }
      return state.letters
    }
  }

  /// The loop has ended: nobody will take letters any more. Returns those that were left.
  @discardableResult
  package func close() -> [Letter] {
    let (letters, closing) = state.withLock { state in
      state.isClosed = true
      Glibc.close(reading)
      Glibc.close(writing)
      defer {
        state.letters = []
        state.closing = []
      }
      return (state.letters, state.closing)
    }
    for continuation in closing { continuation.resume() }
    return letters
  }

  /// Returns when the loop has ended.
  package func closed() async {
    await withCheckedContinuation { continuation in
      let isClosed = state.withLock { state in
        if !state.isClosed { state.closing.append(continuation) }
        return state.isClosed
      }
      if isClosed { continuation.resume() }
    }
  }
}

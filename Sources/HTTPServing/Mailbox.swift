import Glibc
import Synchronization

/// Brings answers and the order to stop to the loop of a server, from any task or thread.
final class Mailbox: Sendable {
  enum Letter: Sendable {
    /// The handler's answer to the request under way on that connection.
    case answer(HTTPServerResponse, connection: Int)
    case stop
    /// Take nothing new and stop once what is under way has been answered, or after that time.
    case finish(within: Duration)
  }

  private struct State {
    var letters: [Letter] = []
    var connections = 0
    var isClosed = false
    var closing: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let reading: Int32
  private let writing: Int32

  init() throws(HTTPServerError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .cannotListen(errno: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    reading = ends[0]
    writing = ends[1]
  }

  /// Readable when there may be letters.
  var descriptor: Int32 { reading }

  /// How many connections the loop has open.
  var connections: Int {
    get { state.withLock { $0.connections } }
    set { state.withLock { $0.connections = newValue } }
  }

  /// Leaves a letter; one for a loop that has ended is dropped.
  func post(_ letter: Letter) {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.letters.append(letter)
      // A full pipe wakes the loop just as well.
      var byte: UInt8 = 0
      write(writing, &byte, 1)
    }
  }

  /// All letters, for the loop.
  func take() -> [Letter] {
    var buffer = [UInt8](repeating: 0, count: 512)
    while read(reading, &buffer, buffer.count) > 0 {}
    return state.withLock { state in
      defer { state.letters = [] }
      return state.letters
    }
  }

  /// The loop has ended: nobody will take letters any more.
  func close() {
    let closing = state.withLock { state in
      state.isClosed = true
      state.connections = 0
      Glibc.close(reading)
      Glibc.close(writing)
      defer { state.closing = [] }
      return state.closing
    }
    for continuation in closing { continuation.resume() }
  }

  /// Returns when the loop has ended.
  func closed() async {
    await withCheckedContinuation { continuation in
      let isClosed = state.withLock { state in
        if !state.isClosed { state.closing.append(continuation) }
        return state.isClosed
      }
      if isClosed { continuation.resume() }
    }
  }
}

import Foundation
package import StrictJSON

/// The byte side of a shell: a thread that reads lines, and whole messages written one at a time.
package final class ShellConnection: Sendable {
  /// Which way a message went.
  package enum Direction: Sendable { case sent, received }

  /// Messages from the core in their order; ends with the connection.
  package let messages: AsyncStream<JSONValue>
  private let output: Output
  private let watch: @Sendable (Direction, JSONValue) -> Void

  /// Takes over two file descriptors; both are closed when the core ends the connection, the output earlier
  /// by ``closeOutput()``.
  ///
  /// - Parameters:
  ///   - input: what the core writes.
  ///   - output: what the core reads.
  ///   - watch: sees every message in both directions, in order per direction.
  package init(
    input: Int32, output: Int32,
    watch: @escaping @Sendable (Direction, JSONValue) -> Void = { _, _ in }
  ) {
    let writing = Output(output)
    self.output = writing
    self.watch = watch
    let (messages, feed) = AsyncStream.makeStream(of: JSONValue.self)
    self.messages = messages
    let thread = Thread {
      Self.read(input, into: feed, watch)
      writing.close()
    }
    thread.name = "shell reader"
    thread.start()
  }

  /// Writes one message.
  ///
  /// - Throws: `ended` when the core does not read any more.
  package func send(_ message: JSONValue) throws(ShellError) { try send([message]) }

  /// Writes messages, all in one go.
  ///
  /// - Throws: `ended` when the core does not read any more.
  package func send(_ messages: [JSONValue]) throws(ShellError) {
    var bytes: [UInt8] = []
    for message in messages {
      watch(.sent, message)
      bytes += message.serialized()
      bytes.append(0x0A)
    }
    if !output.write(bytes) { throw .ended }
  }

  /// Closes our writing end: the core sees the end of its input. Once closed it stays so.
  package func closeOutput() { output.close() }

  /// The end we write to; whole messages, until it is closed.
  private final class Output: @unchecked Sendable {
    // Safe: the descriptor is touched under the lock alone.
    private var descriptor: Int32?
    private let lock = NSLock()

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// - Returns: `false` when the core does not read any more.
    func write(_ bytes: [UInt8]) -> Bool {
      lock.withLock {
        guard let descriptor else { return false }
        var written = 0
        while written < bytes.count {
          let count = bytes[written...].withUnsafeBytes {
            Foundation.write(descriptor, $0.baseAddress, $0.count)
          }
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { return false }
          written += count
        }
        return true
      }
    }

    /// A number that was closed may be somebody else's by now: it is closed once.
    func close() {
      lock.withLock {
        if let descriptor { Foundation.close(descriptor) }
        descriptor = nil
      }
    }
  }

  private static func read(
    _ input: Int32, into feed: AsyncStream<JSONValue>.Continuation,
    _ watch: @Sendable (Direction, JSONValue) -> Void
  ) {
    var pending: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = buffer.withUnsafeMutableBytes { Foundation.read(input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      pending += buffer[..<count]
      var rest = pending[...]
      // What was there before holds no line end: only the new part is searched.
      var searched = pending.count - count
      while let end = rest[searched...].firstIndex(of: 0x0A) {
        let line = Array(rest[..<end])
        rest = rest[(end + 1)...]
        searched = end + 1
        do {
          let message = try JSONParser.parse(line, limits: .document)
          watch(.received, message)
          feed.yield(message)
        } catch {
          // A core that writes anything but JSON has broken the protocol: the session is over.
          feed.finish()
        }
      }
      if rest.startIndex > 0 { pending = Array(rest) }
    }
    close(input)
    feed.finish()
  }
}

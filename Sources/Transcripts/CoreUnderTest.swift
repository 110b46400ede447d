import Foundation
import JSONRPC
import StrictJSON
import SystemClients

/// One run of a core with our ends of its pipes.
final class CoreUnderTest: Sendable {
  /// Where the core's messages go.
  private let inbox: Inbox
  private let program: InteractiveProgram
  private let input: Locked<Int32?>
  private let errors = Locked<[UInt8]>([])
  private let trail: MessageTrail
  /// While it is off, nothing is read: the shell has stopped listening.
  private let listening = ReadingGate()

  private static let errorBytes = 65_536
  /// How long the core may take to read on.
  private static let readingLimit = Duration.seconds(10)

  /// Starts a core; its messages arrive at the inbox.
  init(
    _ executable: String, _ arguments: [String], environment: [String: String], inbox: Inbox,
    trail: MessageTrail
  ) throws(ProgramError) {
    ignoreWriteSignals()
    self.inbox = inbox
    self.trail = trail
    let program = try InteractiveProgram(executable, arguments, environment: environment)
    self.program = program
    // Our end alone: a core that reads no more must not hold the runner up.
    _ = fcntl(program.input, F_SETFL, O_NONBLOCK)
    input = Locked(program.input)
    let (frames, feed) = AsyncStream.makeStream(of: JSONValue?.self)
    Thread.detachNewThread { [listening] in
      Self.read(program.output, listening, feed)
    }
    Thread.detachNewThread { [errors] in Self.drain(program.errorOutput, into: errors) }
    Task { [inbox, trail] in
      for await frame in frames {
        guard let frame else { continue }
        trail.add("←", frame)
        await inbox.take(frame)
      }
      await inbox.finish()
    }
  }

  /// Writes one message.
  ///
  /// - Returns: `false` when the core does not read any more.
  func send(_ message: JSONObject) -> Bool {
    trail.add("→", .object(message))
    var whole: JSONObject = ["jsonrpc": "2.0"]
    for (name, value) in message.members { whole[name] = value }
    return write(whole.serialized() + [0x0A])
  }

  /// Writes bytes as they are.
  func send(raw bytes: [UInt8]) -> Bool {
    trail.add("→ (raw)", .string(String(decoding: bytes.prefix(200), as: UTF8.self)))
    return write(bytes)
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    guard let descriptor = input.withLock(\.self) else { return false }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&room, 1, Int32(Self.readingLimit / .milliseconds(1))) == 0 { return false }
        continue
      }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  /// Ends the core's input.
  func closeInput() {
    if let descriptor = input.withLock({ $0.take() }) { close(descriptor) }
  }

  /// Stops or goes on listening.
  func listen(_ isOn: Bool) { listening.set(isOn) }

  /// Goes away without a word: neither writes nor reads any more.
  func abandon() {
    listening.abandon()
    closeInput()
  }

  /// Sends a signal.
  func send(_ signal: Int32) { program.send(signal) }

  /// How it ended; `nil` when it did not in that time.
  func status(within limit: Duration) async -> Int32? {
    let (results, feed) = AsyncStream.makeStream(of: [Int32].self)
    let ending = Task { [program] in feed.yield([await program.status()]) }
    let timer = Task {
      // Cancelled when the end came first.
      try? await SystemClock.live.sleep(limit)
      feed.yield([])
    }
    defer {
      ending.cancel()
      timer.cancel()
    }
    for await result in results { return result.first }
    return nil
  }

  /// The last lines of its log.
  var lastLogLines: [String] {
    String(decoding: errors.withLock(\.self), as: UTF8.self).split(separator: "\n").suffix(5)
      .map(String.init)
  }

  // MARK: The threads

  private static func read(
    _ descriptor: Int32, _ gate: ReadingGate, _ feed: AsyncStream<JSONValue?>.Continuation
  ) {
    var splitter = FrameSplitter(framing: .auto, limit: 64 << 20)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while gate.waitUntilOpen() {
      let count = buffer.withUnsafeMutableBytes {
        Foundation.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      splitter.push(buffer[..<count]) { feed.yield(message($0)) }
    }
    splitter.finish { feed.yield(message($0)) }
    close(descriptor)
    feed.finish()
  }

  private static func message(_ event: FrameSplitter.Event) -> JSONValue? {
    guard case .frame(let bytes) = event else { return nil }
    do {
      return try JSONParser.parse(Array(bytes), limits: .document)
    } catch {
      // Nothing but messages may come; whoever expects the next one sees this in its place.
      return ["unreadable": .string(String(decoding: bytes.prefix(200), as: UTF8.self))]
    }
  }

  private static func drain(_ descriptor: Int32, into errors: Locked<[UInt8]>) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = buffer.withUnsafeMutableBytes {
        Foundation.read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      errors.withLock { errors in
        errors += buffer[..<count]
        errors.removeFirst(max(0, errors.count - errorBytes))
      }
    }
    close(descriptor)
  }
}

/// Keeps a reading thread waiting while the shell does not listen.
private final class ReadingGate: Sendable {
  private let condition = NSCondition()
  nonisolated(unsafe) private var isOpen = true  // touched only under the condition
  nonisolated(unsafe) private var isAbandoned = false  // touched only under the condition

  func set(_ isOpen: Bool) {
    condition.withLock { self.isOpen = isOpen }
    condition.broadcast()
  }

  func abandon() {
    condition.withLock { isAbandoned = true }
    condition.broadcast()
  }

  /// - Returns: `false` when nobody will read any more.
  func waitUntilOpen() -> Bool {
    condition.withLock {
      while !isOpen, !isAbandoned { condition.wait() }
      return !isAbandoned
    }
  }
}

import Foundation
import StrictJSON
import SystemClients

@testable import JSONRPC
import SystemClients

/// The other side of a connection: writes bytes as told, reads only when told.
final class Peer: Sendable {
  let connection: RPCConnection
  private let writeEnd: Locked<Int32?>
  private let readEnd: Locked<Int32?>
  private let stream: AsyncStream<[UInt8]>
  private let sink: AsyncStream<[UInt8]>.Continuation
  private let received = Locked<[JSONValue]>([])

  /// A connection over two pipes, or over one socket.
  init(
    overSocket: Bool = false, reading: Bool = true, _ configuration: RPCConfiguration = .init()
  ) throws {
    signal(SIGPIPE, SIG_IGN)  // for our own writes; the connection's threads look after themselves
    var ends: [Int32] = [-1, -1]
    var other: [Int32] = [-1, -1]
    if overSocket {
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0
      else { throw DescriptorError(errno: errno) }
      other = [dup(ends[1]), dup(ends[0])]
    } else {
      guard pipe(&ends) == 0, pipe(&other) == 0 else { throw DescriptorError(errno: errno) }
    }
    (stream, sink) = AsyncStream.makeStream(of: [UInt8].self)
    connection = try RPCConnection.start(
      input: ends[0], output: other[1], configuration: configuration)
    writeEnd = Locked(ends[1])
    readEnd = Locked(other[0])
    if reading { try startReading() }
  }

  deinit {
    connection.close()
    closeInput()
    closeOutput()
  }

  // MARK: Writing

  func send(_ bytes: [UInt8]) {
    guard let descriptor = writeEnd.withLock(\.self) else { return }
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset)
      }
      guard count > 0 else { return }
      offset += count
    }
  }

  func send(_ line: String) { send(Array(line.utf8) + [0x0A]) }

  func request(_ id: Int, _ method: String, _ params: JSONObject = [:]) {
    let message: JSONObject = [
      "jsonrpc": "2.0", "id": JSONValue(id), "method": .string(method), "params": .object(params),
    ]
    send(message.serialized() + [0x0A])
  }

  func closeInput() {
    guard let descriptor = writeEnd.withLock({ $0.take() }) else { return }
    shutdown(descriptor, Int32(SHUT_WR))  // a socket has another descriptor that stays open
    close(descriptor)
  }

  // MARK: Reading

  /// Closes the reading end, as a peer that is gone would; only before `startReading()`.
  func closeOutput() {
    if let descriptor = readEnd.withLock({ $0.take() }) { close(descriptor) }
  }

  func startReading(chunk: Int = 65_536) throws {
    guard let descriptor = readEnd.withLock({ $0.take() }) else { return }
    let sink = sink
    try SystemThread.start {
      var splitter = FrameSplitter(framing: .auto, limit: .max - 1)
      var buffer = [UInt8](repeating: 0, count: chunk)
      while true {
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { break }
        splitter.push(buffer[..<count]) { event in
          if case .frame(let bytes) = event { sink.yield(Array(bytes)) }
        }
      }
      close(descriptor)
      sink.finish()
    }
  }

  /// The next message; `nil` when the connection has closed its end.
  func next() async throws -> JSONValue? {
    var iterator = stream.makeAsyncIterator()
    guard let bytes = await iterator.next() else { return nil }
    return try JSONParser.parse(bytes, limits: .document)
  }

  /// All messages until the connection closes its end.
  func rest() async throws -> [JSONValue] {
    var messages: [JSONValue] = []
    while let message = try await next() { messages.append(message) }
    return messages
  }

  /// Sends a ping and collects what comes until its answer; that one is left out.
  func untilPong() async throws -> [JSONValue] {
    send(#"{"jsonrpc":"2.0","id":"pong","method":"ping"}"#)
    var messages: [JSONValue] = []
    while let message = try await next(), message["id"] != "pong" { messages.append(message) }
    return messages
  }
}

extension RPCConfiguration {
  /// With a `ping` that is answered at once.
  static func test(_ change: (inout RPCConfiguration) -> Void = { _ in }) -> RPCConfiguration {
    var configuration = RPCConfiguration()
    configuration.immediateRequests["ping"] = { _, _ in .result([:]) }
    change(&configuration)
    return configuration
  }
}

/// A clock that tests move.
final class ManualClock: Sendable {
  private let time = Locked(Duration.seconds(1_000))

  var clock: MonotonicClock {
    MonotonicClock(now: { self.time.withLock(\.self) }, runsByItself: false)
  }

  func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

/// A value several threads add to.
final class Record<Value: Sendable>: Sendable {
  private let stored: Locked<Value>

  init(_ value: Value) { stored = Locked(value) }

  var value: Value { stored.withLock(\.self) }

  func change(_ change: (inout Value) -> Void) { stored.withLock { change(&$0) } }
}

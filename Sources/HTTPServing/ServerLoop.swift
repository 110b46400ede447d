import Glibc
import HTTPTransport

/// The one thread of a server: waits for its sockets with `poll(2)`, reads and writes them, and
/// starts a task for each request.
///
/// Time is measured on the monotonic clock: these are real sockets with real silences.
struct ServerLoop: ~Copyable {
  typealias Handler = @Sendable (HTTPServerRequest) async -> HTTPServerResponse

  /// What comes from other tasks.
  enum Letter: Sendable {
    /// The handler's answer to the request under way on that connection.
    case answer(HTTPServerResponse, connection: Int)
    case stop
    /// Take nothing new and stop once what is under way has been answered, or after that time.
    case finish(within: Duration)
  }

  private let listener: TCPSocket
  private let tls: TLSContext?
  private let mailbox: LoopMailbox<Letter>
  private let status: ServerStatus
  private let limits: HTTPServerLimits
  private let handler: Handler
  private var connections: [Int: Connection] = [:]
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var lastID = 0
  private var acceptsAfter = ContinuousClock.now
  /// Set once the port is closed and only answers under way are still waited for.
  private var finishesBy: ContinuousClock.Instant?

  init(
    listener: TCPSocket, tls: TLSContext?, mailbox: LoopMailbox<Letter>, status: ServerStatus,
    limits: HTTPServerLimits, handler: @escaping Handler
  ) {
    self.listener = listener
    self.tls = tls
    self.mailbox = mailbox
    self.status = status
    self.limits = limits
    self.handler = handler
  }

  /// Serves until a letter says stop; then everything is closed.
  mutating func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)
    defer { buffer.deallocate() }
    while serve(buffer) {}
    for task in tasks.values { task.cancel() }
    for connection in connections.values { connection.close() }
    if finishesBy == nil { listener.close() }
    status.connections = 0
    mailbox.close()
  }

  /// One turn; false after the order to stop.
  private mutating func serve(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    let ids = Array(connections.keys)
    var events = [
      pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(
        fd: finishesBy == nil && acceptsAfter <= .now ? listener.descriptor : -1,
        events: Int16(POLLIN), revents: 0),
    ]
    for id in ids { events.append(event(connections[id])) }
    _ = poll(&events, nfds_t(events.count), waitingTime())
    let now = ContinuousClock.now

    var goesOn = true
    if events[0].revents != 0 {
      for letter in mailbox.take() {
        switch letter {
        case .stop: goesOn = false
        case .finish(let time):
          if finishesBy == nil { listener.close() }
          finishesBy = min(finishesBy ?? now + time, now + time)
        case .answer(let response, let id):
          tasks[id] = nil
          connections[id]?.answer(response, now: now)
          attend(id)
        }
      }
    }
    for (id, event) in zip(ids, events.dropFirst(2)) where event.revents != 0 {
      let isWriting = connections[id]?.wantsToWrite == true
      if isWriting {
        connections[id]?.write(now: now)
      } else {
        connections[id]?.read(buffer, now: now)
      }
      attend(id)
    }
    if events[1].revents != 0 { acceptWaiting(now: now) }
    for (id, connection) in connections where connection.deadline <= now {
      connections[id]?.expire(now: now)
      attend(id)
    }
    if let finishesBy {
      closeIdle(buffer, now: now)
      if connections.isEmpty || finishesBy <= now { goesOn = false }
    }
    status.connections = connections.count
    return goesOn
  }

  /// Closes every connection whose answer has gone out, or that has not finished asking. What is here
  /// unread is taken first: closing over it would reset the connection and could destroy the answer.
  private mutating func closeIdle(
    _ buffer: UnsafeMutableRawBufferPointer, now: ContinuousClock.Instant
  ) {
    for (id, connection) in connections where connection.isBetweenRequests {
      if connection.stage == .draining { connections[id]?.read(buffer, now: now) }
      connections.removeValue(forKey: id)?.close()
    }
  }

  private func event(_ connection: Connection?) -> pollfd {
    guard let connection, connection.wantsToRead || connection.wantsToWrite else {
      // Not even its end is of interest now; polled, a hung-up socket would wake us for ever.
      return pollfd(fd: -1, events: 0, revents: 0)
    }
    let wanted = connection.wantsToWrite ? POLLOUT : POLLIN
    return pollfd(fd: connection.channel.socket.descriptor, events: Int16(wanted), revents: 0)
  }

  /// Milliseconds until the first deadline, rounded up.
  private func waitingTime() -> Int32 {
    var next = connections.values.map(\.deadline).min()
    if let finishesBy { next = min(next ?? finishesBy, finishesBy) }
    if acceptsAfter > .now { next = min(next ?? acceptsAfter, acceptsAfter) }
    guard let next else { return -1 }
    return Int32(clamping: max(0, Int((next - .now) / .milliseconds(1)) + 1))
  }

  private mutating func acceptWaiting(now: ContinuousClock.Instant) {
    // Bounded, so that a flood of connections does not keep the others waiting.
    for _ in 0..<64 {
      guard let (socket, peer) = listener.accept() else {
        // Out of descriptors: the listener stays readable, so look away for a moment.
        if errno == EMFILE || errno == ENFILE { acceptsAfter = now + .milliseconds(100) }
        return
      }
      guard makeRoom() else {
        socket.close()
        continue
      }
      guard let channel = try? channel(socket) else {
        socket.close()  // Out of memory for TLS: nothing to tell the other side in plain text.
        continue
      }
      lastID += 1
      connections[lastID] = Connection(channel, peer: peer, limits: limits, now: now)
    }
  }

  private func channel(_ socket: TCPSocket) throws(HTTPError) -> ByteChannel {
    guard let tls else { return ByteChannel(socket) }
    return try ByteChannel(socket, tls)
  }

  /// Closes the oldest connection without a request under way if the house is full.
  private mutating func makeRoom() -> Bool {
    guard connections.count >= limits.connections else { return true }
    guard let id = connections.filter(\.value.isExpendable).keys.min() else { return false }
    connections.removeValue(forKey: id)?.close()
    return true
  }

  /// Does what the connection's new stage asks for.
  private mutating func attend(_ id: Int) {
    guard let connection = connections[id] else { return }
    switch connection.stage {
    case .finished:
      connection.close()
      connections[id] = nil
    case .working where tasks[id] == nil:
      guard let request = connection.pending else { return }
      tasks[id] = Task { [handler, mailbox] in
        let response = await handler(request)
        mailbox.post(.answer(response, connection: id))
      }
    case .securing, .reading, .working, .delayed, .writing, .draining: break
    }
  }
}

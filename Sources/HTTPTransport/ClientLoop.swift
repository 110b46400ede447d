import Glibc

/// The one thread of a client: dials, writes and reads with `poll(2)`, and keeps connections for
/// the next request.
///
/// Time is measured on the monotonic clock: these are real sockets with real silences. The deadline
/// of a request is measured by its caller, on the caller's clock.
struct ClientLoop: ~Copyable {
  enum Letter: Sendable {
    case start(ClientJob)
    /// Nobody waits for that request any more.
    case abandon(Int)
    case stop
  }

  /// How long a connection is kept without a request.
  static let idleTime = Duration.seconds(60)
  /// How many connections may lead to one place; further requests wait for their turn.
  private static let connectionsPerKey = 8

  private let mailbox: LoopMailbox<Letter>
  private let trustAnchors: String?
  private var tls: TLSContext?
  private var connections: [Int: ClientConnection] = [:]
  private var waiting: [ClientJob] = []
  private var lastID = 0

  init(mailbox: LoopMailbox<Letter>, trustAnchors: String?) {
    self.mailbox = mailbox
    self.trustAnchors = trustAnchors
  }

  /// Works until a letter says stop; requests under way then end as cancelled.
  mutating func run() {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 16)
    defer { buffer.deallocate() }
    while turn(buffer) {}
    var unanswered = waiting
    for id in connections.keys {
      if let job = connections[id]?.job { unanswered.append(job) }
      connections[id]?.close()
    }
    for case .start(let job) in mailbox.close() { unanswered.append(job) }
    for job in unanswered { job.exchange.settle(.failure(.cancelled)) }
  }

  /// One turn; false after the order to stop.
  private mutating func turn(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var events = [pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)]
    var owners = [0]
    for (id, connection) in connections {
      for event in connection.interest {
        events.append(event)
        owners.append(id)
      }
    }
    _ = poll(&events, nfds_t(events.count), waitingTime())
    let now = ContinuousClock.now

    var happened: [Int: [Int32: Int32]] = [:]
    for (owner, event) in zip(owners, events).dropFirst() where event.revents != 0 {
      happened[owner, default: [:]][event.fd] = Int32(event.revents)
    }
    for id in connections.keys where (connections[id]?.deadline).map({ $0 <= now }) ?? false {
      happened[id, default: [:]] = happened[id] ?? [:]
    }
    for (id, events) in happened { advance(id, events, buffer, now: now) }

    if events[0].revents != 0 {
      for letter in mailbox.take() {
        switch letter {
        case .stop: return false
        case .start(let job): waiting.append(job)
        case .abandon(let id): abandon(id)
        }
      }
    }
    assign(now: now)
    return true
  }

  private mutating func advance(
    _ id: Int, _ events: [Int32: Int32], _ buffer: UnsafeMutableRawBufferPointer,
    now: ContinuousClock.Instant
  ) {
    var context = tls
    connections[id]?.advance(events, buffer, now: now) { [trustAnchors] () throws(HTTPError) in
      if let context { return context }
      let made = try TLSContext(trustAnchors: trustAnchors)
      context = made
      return made
    }
    tls = context
    sweep(id)
  }

  /// Drops a connection that has ended.
  private mutating func sweep(_ id: Int) {
    guard let connection = connections[id], case .finished = connection.stage else { return }
    connections[id] = nil
    if let job = connection.rejected { waiting.insert(job, at: 0) }
  }

  private mutating func abandon(_ job: Int) {
    waiting.removeAll { $0.id == job }
    for id in connections.keys where connections[id]?.job?.id == job {
      connections[id]?.close()
      sweep(id)
    }
  }

  /// Gives waiting requests their connections, in the order of their coming.
  private mutating func assign(now: ContinuousClock.Instant) {
    guard !waiting.isEmpty else { return }
    var still: [ClientJob] = []
    for job in waiting where job.exchange.isOpen {
      if let id = connections.filter({ $0.value.suits(job, now: now) }).keys.max() {
        connections[id]?.carry(job)
        sweep(id)
      } else if makeRoom(for: job.key) {
        lastID += 1
        connections[lastID] = ClientConnection(job, now: now)
      } else {
        still.append(job)
      }
    }
    waiting = still
  }

  /// Whether one more connection may lead there; an idle one that did not suit makes way.
  private mutating func makeRoom(for key: ClientJob.Key) -> Bool {
    let there = connections.filter { $0.value.key == key }
    guard there.count >= Self.connectionsPerKey else { return true }
    for (id, connection) in there {
      guard case .idle = connection.stage else { continue }
      connections[id]?.close()
      connections[id] = nil
      return true
    }
    return false
  }

  /// Milliseconds until something happens by itself, rounded up.
  private func waitingTime() -> Int32 {
    guard let next = connections.values.compactMap(\.deadline).min() else { return -1 }
    return Int32(clamping: max(0, Int((next - .now) / .milliseconds(1)) + 1))
  }
}

import HTTPTransport

/// One connection of a server: reads a request, waits for its answer, writes that, and so on.
struct Connection {
  enum Stage: Equatable {
    /// The two sides agree on keys; nothing was said yet.
    case securing(wantsToWrite: Bool)
    /// Waiting for a request or reading one.
    case reading
    /// The handler is at work.
    case working
    /// The answer waits for its time (a fault that was asked for).
    case delayed
    /// The answer is going out.
    case writing
    /// The last answer has gone out; what the other side still sends is dropped for a moment. To
    /// close at once with bytes unread would reset the connection and could destroy the answer.
    case draining
    /// To be closed.
    case finished
  }

  /// How long a connection drains.
  private static let drainTime = Duration.seconds(1)

  let channel: ByteChannel
  private(set) var stage: Stage
  /// When the stage ends by itself.
  private(set) var deadline: ContinuousClock.Instant
  /// The request whose answer is awaited.
  private(set) var pending: HTTPServerRequest?

  private let limits: HTTPServerLimits
  private var parser: RequestParser
  private var output: [UInt8] = []
  private var sent = 0
  private var keepsAlive = false

  init(
    _ channel: ByteChannel, peer: String, limits: HTTPServerLimits, now: ContinuousClock.Instant
  ) {
    self.channel = channel
    self.limits = limits
    parser = RequestParser(limits: limits, peer: peer)
    stage = channel.speaksTLS ? .securing(wantsToWrite: false) : .reading
    // A new connection is about to send a request: it gets the time of a header, not of a silence,
    // and with TLS both have to come in that time.
    deadline = now + limits.headerTime
  }

  /// Whether the connection may be closed to make room.
  var isExpendable: Bool { isBetweenRequests && !parser.isInsideBody }

  /// Whether no request has come whole whose answer is still to go out.
  var isBetweenRequests: Bool {
    switch stage {
    case .securing, .reading, .draining: true
    case .working, .delayed, .writing, .finished: false
    }
  }

  var wantsToRead: Bool {
    [.securing(wantsToWrite: false), .reading, .draining].contains(stage)
  }
  var wantsToWrite: Bool { [.securing(wantsToWrite: true), .writing].contains(stage) }

  /// Reads what is there, at most a quarter of a megabyte a turn, so that others get theirs.
  mutating func read(_ buffer: UnsafeMutableRawBufferPointer, now: ContinuousClock.Instant) {
    shakeHands()
    if case .securing = stage { return }
    for _ in 0..<4 where wantsToRead {
      switch channel.receive(buffer) {
      case .wouldBlock: return
      case .ended, .lost: return stage = .finished
      case .bytes(let count):
        guard stage == .reading else { continue }
        let wasInsideHead = parser.isInsideHead
        parser.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        parse(now: now)
        if stage != .reading { return }
        if parser.isInsideBody {
          deadline = now + limits.stallTime
        } else if !wasInsideHead {
          // From its first byte on, and for a new connection from its opening.
          deadline = min(deadline, now + limits.headerTime)
        }
      }
    }
  }

  /// Takes the handler's answer.
  mutating func answer(_ response: HTTPServerResponse, now: ContinuousClock.Instant) {
    guard stage == .working, let request = pending else { return }
    pending = nil
    let asksToClose = response.headers["Connection"]?.lowercased() == "close"
    keepsAlive = keepsAlive && !asksToClose && response.fault != .truncate
    output = ResponseEncoder.encode(response, method: request.method, keepsAlive: keepsAlive)
    switch response.fault {
    case .dropBeforeAnswer: stage = .finished
    case .reset:
      output = []
      resets = true
      stage = .finished
    case .delay(let time):
      stage = .delayed
      deadline = now + time
    case .truncate, nil:
      startWriting(now: now)
    }
  }

  /// Writes what the socket takes.
  mutating func write(now: ContinuousClock.Instant) {
    if case .securing = stage { return shakeHands() }
    while sent < output.count {
      switch channel.send(output[sent...]) {
      case .wouldBlock: return
      case .ended, .lost: return stage = .finished
      case .bytes(let count):
        sent += count
        deadline = now + limits.stallTime
      }
    }
    output = []
    sent = 0
    guard keepsAlive else {
      channel.finishSending()
      stage = .draining
      return deadline = now + Self.drainTime
    }
    stage = .reading
    deadline = now + limits.idleTime
    parse(now: now)  // The next request may be here already, in whole or in part.
    if stage == .reading, parser.isInsideHead || parser.isInsideBody {
      deadline = now + limits.headerTime
    }
  }

  /// The stage's time is over.
  mutating func expire(now: ContinuousClock.Instant) {
    switch stage {
    case .delayed: startWriting(now: now)
    case .reading where parser.isInsideHead || parser.isInsideBody: refuse(408, now: now)
    case .working: deadline = now + .seconds(3600)  // The handler takes the time it takes.
    case .securing, .reading, .writing, .draining, .finished: stage = .finished
    }
  }

  func close() {
    resets ? channel.reset() : channel.close()
  }

  private var resets = false

  /// Carries the handshake on, if one is under way.
  private mutating func shakeHands() {
    guard case .securing = stage else { return }
    switch channel.handshake() {
    case .done: stage = .reading
    case .wantsToRead: stage = .securing(wantsToWrite: false)
    case .wantsToWrite: stage = .securing(wantsToWrite: true)
    case .refused, .lost: stage = .finished
    }
  }

  private mutating func parse(now: ContinuousClock.Instant) {
    let step = parser.next()
    if parser.takeContinue(), case .incomplete = step {
      // Best effort: a client that gets no leave sends its body after a second all the same.
      _ = channel.send(ResponseEncoder.goOn[...])
    }
    switch step {
    case .incomplete: break
    case .refused(let status): refuse(status, now: now)
    case .request(let request, let keepsAlive):
      pending = request
      self.keepsAlive = keepsAlive
      stage = .working
      deadline = now + .seconds(3600)
    }
  }

  private mutating func refuse(_ status: Int, now: ContinuousClock.Instant) {
    keepsAlive = false
    output = ResponseEncoder.refusal(status: status)
    startWriting(now: now)
  }

  private mutating func startWriting(now: ContinuousClock.Instant) {
    stage = .writing
    deadline = now + limits.stallTime
    write(now: now)
  }
}

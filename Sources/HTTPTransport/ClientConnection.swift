import Glibc
import SystemClients

/// One connection of the client, from the first dialling to its end; carries one request at a time.
///
/// Belongs to the loop's thread.
struct ClientConnection {
  enum Stage {
    case dialing(Dialer)
    /// Asking the proxy for a tunnel.
    case tunnelling
    case securing(wantsToWrite: Bool)
    case exchanging
    /// Kept for the next request, since then.
    case idle(since: ContinuousClock.Instant)
    case finished
  }

  /// What a connection needs from outside to become secure.
  typealias SecureContext = () throws(HTTPError) -> TLSContext

  private static let chunk = 64 * 1024

  let key: ClientJob.Key
  private(set) var stage: Stage
  /// The request under way.
  private(set) var job: ClientJob?
  /// A request this connection could not carry and another one may.
  private(set) var rejected: ClientJob?

  private var channel: ByteChannel?
  private var parser = ResponseParser(method: "", bodyLimit: 0)
  private var output: ArraySlice<UInt8> = []
  private var sent: Int64 = 0
  private var isReused = false
  private var canSend = true

  init(_ job: ClientJob, now: ContinuousClock.Instant) {
    key = job.key
    self.job = job
    let port = job.key.proxy?.port ?? job.key.port
    stage = .dialing(Dialer(job.addresses, port: port, now: now))
  }

  // MARK: What to wait for.

  /// The descriptors and events that matter now.
  var interest: [pollfd] {
    func event(_ socket: TCPSocket, _ events: Int32) -> pollfd {
      pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
    }
    switch stage {
    case .dialing(let dialer): return dialer.sockets.map { event($0, POLLOUT) }
    case .securing(let wantsToWrite):
      return channel.map { [event($0.socket, wantsToWrite ? POLLOUT : POLLIN)] } ?? []
    case .tunnelling, .exchanging:
      let writes = canSend && hasOutput
      return channel.map { [event($0.socket, writes ? POLLIN | POLLOUT : POLLIN)] } ?? []
    case .idle: return channel.map { [event($0.socket, POLLIN)] } ?? []
    case .finished: return []
    }
  }

  /// When something happens by itself.
  var deadline: ContinuousClock.Instant? {
    switch stage {
    case .dialing(let dialer): dialer.nextAttempt
    case .idle(let since): since + ClientLoop.idleTime
    case .tunnelling, .securing, .exchanging, .finished: nil
    }
  }

  // MARK: What happens.

  /// Carries on with whatever is ready.
  mutating func advance(
    _ events: [Int32: Int32], _ buffer: UnsafeMutableRawBufferPointer,
    now: ContinuousClock.Instant, secure: SecureContext
  ) {
    switch stage {
    case .dialing(var dialer):
      let progress = dialer.advance(ready: { events[$0.descriptor] != nil }, now: now)
      stage = .dialing(dialer)
      switch progress {
      case .pending: break
      case .failed: fail(HostLookup.hasNetwork() || isLocal ? .cannotConnect(key.host) : .offline)
      case .connected(let socket): connected(socket, secure)
      }
    case .securing: shakeHands()
    case .tunnelling, .exchanging:
      let happened = events.values.first ?? 0
      if happened & POLLOUT != 0 { write() }
      if happened & ~POLLOUT != 0 { read(buffer, now: now, secure) }
    case .idle(let since):
      // Only its end, or tickets of TLS, can come now.
      guard !events.isEmpty, channel?.receive(buffer) == .wouldBlock,
        now < since + ClientLoop.idleTime
      else { return close() }
    case .finished: break
    }
  }

  /// Whether the kept connection may carry that request.
  ///
  /// Many servers close a silent connection after five seconds, some exactly when the next request
  /// is on its way: one that nobody may repeat gets a connection that is surely alive.
  func suits(_ job: ClientJob, now: ContinuousClock.Instant) -> Bool {
    guard case .idle(let since) = stage, job.key == key, !job.needsFreshConnection else {
      return false
    }
    return job.isSafe || now - since < .seconds(4)
  }

  /// Carries a further request.
  mutating func carry(_ job: ClientJob) {
    self.job = job
    isReused = true
    startExchange()
  }

  /// Ends the connection; a request under way is not answered by that.
  mutating func close() {
    if case .dialing(var dialer) = stage { dialer.close() }
    channel?.close()
    channel = nil
    job = nil
    stage = .finished
  }

  // MARK: Getting there.

  private var isLocal: Bool { key.host == "localhost" || IPAddress(key.host)?.isLoopback == true }

  private mutating func connected(_ socket: TCPSocket, _ secure: SecureContext) {
    channel = ByteChannel(socket)
    guard let proxy = key.proxy else { return makeSecure(secure) }
    let target = key.host.contains(":") ? "[\(key.host)]:\(key.port)" : "\(key.host):\(key.port)"
    var head = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
    if let authorization = proxy.authorization {
      head += "Proxy-Authorization: \(authorization)\r\n"
    }
    output = Array((head + "\r\n").utf8)[...]
    parser = ResponseParser(method: "CONNECT", bodyLimit: 0)
    stage = .tunnelling
    write()
  }

  private mutating func makeSecure(_ secure: SecureContext) {
    guard let channel, let name = key.secureName else { return startExchange() }
    do throws(HTTPError) {
      self.channel = try ByteChannel(channel.socket, try secure(), host: name)
      shakeHands()
    } catch {
      fail(error)
    }
  }

  private mutating func shakeHands() {
    switch channel?.handshake() ?? .lost {
    case .done: startExchange()
    case .wantsToRead: stage = .securing(wantsToWrite: false)
    case .wantsToWrite: stage = .securing(wantsToWrite: true)
    case .refused(let reason): fail(.tls(reason))
    case .lost: fail(.cannotConnect(key.host))
    }
  }

  // MARK: Request and response.

  private var hasOutput: Bool { !output.isEmpty || bodyOffset < (job?.body?.length ?? 0) }

  /// How much of the body has been taken for sending.
  private var bodyOffset: Int64 = 0

  private mutating func startExchange() {
    guard let job else { return close() }
    parser = ResponseParser(method: job.method, bodyLimit: job.bodyLimit)
    // A small body goes out with the head, in one piece.
    output = job.head[...]
    bodyOffset = 0
    sent = 0
    canSend = true
    stage = .exchanging
    refill(Self.chunk)
    write()
  }

  private mutating func refill(_ count: Int) {
    guard case .exchanging = stage, let body = job?.body, bodyOffset < body.length else { return }
    do throws(HTTPError) {
      let bytes = try body.read(from: bodyOffset, atMost: count)
      bodyOffset += Int64(bytes.count)
      output = output.isEmpty ? bytes : output + bytes
    } catch {
      fail(error)
    }
  }

  private mutating func write() {
    // Bounded, so that a fast upload does not keep the others waiting.
    for _ in 0..<16 {
      if output.isEmpty { refill(Self.chunk) }
      guard canSend, !output.isEmpty, let channel else { return }
      switch channel.send(output) {
      case .wouldBlock: return
      case .ended, .lost:
        // The answer may be there all the same: a server that refuses a large body says so and
        // closes before it has read everything.
        canSend = false
        return
      case .bytes(let count):
        output = output.dropFirst(count)
        sent += Int64(count)
        reportProgress()
      }
    }
  }

  private func reportProgress() {
    guard case .exchanging = stage, let job, job.body != nil else { return }
    let bodySent = sent - Int64(job.head.count)
    if bodySent > 0 { job.exchange.didSend(bodySent) }
  }

  private mutating func read(
    _ buffer: UnsafeMutableRawBufferPointer, now: ContinuousClock.Instant, _ secure: SecureContext
  ) {
    for _ in 0..<16 {
      guard let channel else { return }
      switch channel.receive(buffer) {
      case .wouldBlock: return
      case .ended:
        return parser.end() ? complete(now: now, secure) : lose()
      case .lost: return lose()
      case .bytes(let count):
        do throws(MessageFault) {
          try parser.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        } catch {
          return fail(HTTPError(error))
        }
        if parser.isComplete { return complete(now: now, secure) }
      }
    }
  }

  private mutating func complete(now: ContinuousClock.Instant, _ secure: SecureContext) {
    guard let job, let status = parser.status else { return close() }
    if case .tunnelling = stage {
      return status == 200 ? makeSecure(secure) : fail(.cannotConnect(key.host))
    }
    guard parser.headers.items("Content-Encoding").allSatisfy({ $0 == "identity" }) else {
      return fail(.badResponse("content coding"))
    }
    job.exchange.settle(
      .success(
        HTTPResponse(
          status: status, headers: parser.headers, body: parser.bodyBytes,
          receivedAt: job.clock.now())))
    guard parser.keepsAlive, canSend, !hasOutput else { return close() }
    self.job = nil
    parser = ResponseParser(method: "", bodyLimit: 0)
    stage = .idle(since: now)
  }

  /// The connection broke before the answer was complete.
  private mutating func lose() {
    guard let job else { return close() }
    let nothingCame = !parser.hasStarted
    if isReused, nothingCame, job.isRepeatable || sent == 0 {
      // The server closed a silent connection just when we used it.
      rejected = job
      rejected?.needsFreshConnection = true
      return close()
    }
    if case .exchanging = stage, sent > 0 { return fail(.connectionLost) }
    fail(.cannotConnect(key.host))
  }

  private mutating func fail(_ error: HTTPError) {
    job?.exchange.settle(.failure(error))
    close()
  }
}

extension HTTPError {
  init(_ fault: MessageFault) {
    self =
      switch fault {
      case .malformed(let what): .badResponse(what)
      case .lineTooLong: .badResponse("header too long")
      case .bodyTooLarge: .bodyTooLarge
      }
  }
}

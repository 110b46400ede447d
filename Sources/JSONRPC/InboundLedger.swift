import StrictJSON

/// What the peer sent and nobody has taken yet, which of its requests are unanswered, and which of ours are.
///
/// A pure machine, guarded by the connection's lock.
struct InboundLedger: Sendable {
  /// Whoever waits for an answer to a request of ours; `nil` if the answer is to come with the messages.
  typealias Waiter = (@Sendable (RPCAnswer) -> Void)?

  /// What became of a message.
  enum Admission {
    case queued
    /// Tell the peer.
    case refused(RPCFault)
    /// Tell nobody but the log.
    case ignored(RPCNote)
    /// Somebody waits for just this.
    case answered(@Sendable (RPCAnswer) -> Void, RPCAnswer)
  }

  private struct Waiting: Sendable {
    let message: IncomingMessage
    let bytes: Int
  }

  private let configuration: RPCConfiguration
  private var inFlight: [RequestID: Duration] = [:]
  private var waiting = FIFO<Waiting>()
  private var waitingBytes = 0
  private var own: [RequestID: Waiter] = [:]
  private var ownCount = 0

  var ignoredNotifications = 0
  /// Nothing more will come.
  var isFinished = false

  init(configuration: RPCConfiguration) { self.configuration = configuration }

  var inFlightCount: Int { inFlight.count }

  func oldestPending(now: Duration) -> Duration {
    inFlight.values.min().map { now - $0 } ?? .zero
  }

  func isInFlight(_ id: RequestID) -> Bool { inFlight[id] != nil }

  // MARK: The peer's messages

  mutating func admit(_ message: IncomingMessage, bytes: Int, now: Duration) -> Admission {
    let isFull = waitingBytes + bytes > configuration.maximumWaitingBytes
    switch message {
    case .request(let id, _, _):
      guard inFlight[id] == nil else { return .refused(.duplicateID(id)) }
      guard !isFull, inFlight.count < configuration.maximumInFlight else {
        return .refused(
          .overloaded(retryAfterMilliseconds: configuration.retryAfterMilliseconds))
      }
      inFlight[id] = now
      queue(message, bytes)
    case .notification(let method, _):
      if !isFull {
        queue(message, bytes)
      } else if configuration.keptNotifications.contains(method) {
        queue(.notification(method: method, params: [:]), 0)
      } else {
        ignoredNotifications += 1
        return .ignored(
          .ignored(.overloaded(retryAfterMilliseconds: configuration.retryAfterMilliseconds)))
      }
    case .response(let id, let result, let error):
      guard let waiter = own.removeValue(forKey: id) else {
        return .ignored(.unknownResponse(id))
      }
      if let waiter { return .answered(waiter, RPCAnswer(result: result, error: error)) }
      queue(message, bytes)
    case .withdrawn: break  // only ever made here
    }
    return .queued
  }

  mutating func take() -> IncomingMessage? {
    guard let first = waiting.popFirst() else { return nil }
    waitingBytes -= first.bytes
    return first.message
  }

  /// Takes back a request that nobody has looked at; its place in the queue stays.
  mutating func withdraw(_ id: RequestID) -> Bool {
    waiting.replaceFirst { waiting in
      guard case .request(id, _, _) = waiting.message else { return nil }
      return Waiting(message: .withdrawn(id: id), bytes: waiting.bytes)
    }
  }

  /// - Returns: whether the request was unanswered until now.
  mutating func answer(_ id: RequestID) -> Bool { inFlight.removeValue(forKey: id) != nil }

  mutating func dropWaiting() {
    _ = waiting.removeAll()
    waitingBytes = 0
  }

  private mutating func queue(_ message: IncomingMessage, _ bytes: Int) {
    waiting.append(Waiting(message: message, bytes: bytes))
    waitingBytes += bytes
  }

  // MARK: Our own requests

  mutating func openRequest(waiter: Waiter) -> RequestID {
    ownCount += 1
    let id = RequestID.string("\(configuration.ownIDPrefix)\(ownCount)")
    own[id] = .some(waiter)
    return id
  }

  /// Whoever still waits, now that no answer can come.
  mutating func abandonRequests() -> [@Sendable (RPCAnswer) -> Void] {
    defer { own = [:] }
    return own.values.compactMap(\.self)
  }
}

import StrictJSON
import SystemClients

/// One ordered JSON-RPC connection over two descriptors.
///
/// A reader thread and a writer thread do the input and output; the reader never waits for the writer, and
/// neither for whoever takes the messages. Messages are taken one by one with `next()`, in order of arrival
/// (O1).
/// Everything else may be called from anywhere, returns at once, and does nothing after the end.
///
/// A connection lives until `close(_:)`; it owns its descriptors and closes them when its threads are done.
///
/// - SeeAlso: bridge protocol §§1, 2, 8
package final class RPCConnection: Sendable {
  struct State: Sendable {
    var lanes: OutboundLanes
    var inbound: InboundLedger
    var consumer: CheckedContinuation<IncomingMessage?, Never>?
    /// The framing, once the peer's first byte has shown it. Nothing is written before.
    var framing: Framing?
    var end: EndReason?
    /// Why nothing can be written any more.
    var outputEnd: EndReason?
    var inputIsOver = false
    var outputIsOver = false
    /// The writer thread waits and wants to hear of anything new to write.
    var writerWaits = false
    var pen = Pen.writer
    /// The writer thread wants the pen back.
    var writerWantsPen = false
    /// What the reader thread could not write to its end; goes before all else.
    var unfinished: [UInt8] = []
    /// The reader thread has queued verdicts and has not told the writer yet.
    var hasUntoldVerdicts = false
    var endWaiters: [CheckedContinuation<EndReason, Never>] = []
  }

  /// Who may write: one thread at a time, so messages leave whole and in order (FB-C10).
  enum Pen: Sendable {
    case writer
    /// The writer has nothing to write.
    case free
    case reader
  }

  let configuration: RPCConfiguration
  let output: OutputDescriptor
  let state: Locked<State>
  let readerWake: WakeSignal
  let writerWake: WakeSignal
  private let gate = Locked<Void>(())
  private let started: Duration

  private init(
    _ configuration: RPCConfiguration, output descriptor: Int32
  ) throws(DescriptorError) {
    self.configuration = configuration
    started = configuration.clock.now()
    readerWake = try WakeSignal()
    writerWake = try WakeSignal()
    output = OutputDescriptor(descriptor: descriptor, wake: writerWake)
    state = Locked(
      State(
        lanes: OutboundLanes(runLimit: configuration.controlRun),
        inbound: InboundLedger(configuration: configuration),
        framing: configuration.framing == .auto ? nil : configuration.framing))
  }

  /// Starts reading and writing.
  ///
  /// - Parameters:
  ///   - input: the descriptor to read from; owned from now on.
  ///   - output: the descriptor to write to, another one than `input`; owned from now on.
  ///   - configuration: limits and what is answered without asking.
  /// - Returns: a connection that has written nothing yet.
  /// - Throws: `DescriptorError` when the process has no descriptors or threads left.
  package static func start(
    input: Int32, output: Int32, configuration: RPCConfiguration
  ) throws(DescriptorError) -> RPCConnection {
    let connection = try RPCConnection(configuration, output: output)
    try SystemThread.start { connection.readerLoop(input) }
    do throws(DescriptorError) {
      try SystemThread.start { connection.writerLoop() }
    } catch {
      connection.close()
      throw error
    }
    return connection
  }

  // MARK: Taking messages

  /// The next message, in order of arrival; waits for one. For one consumer.
  ///
  /// - Returns: `nil` when nothing will come any more: after all that was read before the end of input, or at
  ///   once when the peer does not read us any more. Also when the task is cancelled. See `end`.
  package func next() async -> IncomingMessage? {
    // Waiting leads over another thread and back, also where there is nothing to wait for.
    if let message = takeAtOnce() { return message }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        deliver(wakesWriter: false) { state in
          state.consumer?.resume(returning: nil)
          state.consumer = nil
          if Task.isCancelled {
            continuation.resume(returning: nil)
          } else {
            state.consumer = continuation
          }
        }
      }
    } onCancel: {
      let consumer = state.withLock { $0.consumer.take() }
      consumer?.resume(returning: nil)
    }
  }

  /// A message that is there already and may be handed out now.
  private func takeAtOnce() -> IncomingMessage? {
    if Task.isCancelled { return nil }
    return state.withLock { state in mayTake(state) ? state.inbound.take() : nil }
  }

  /// Whether a message may be handed out; not while answers pile up.
  private func mayTake(_ state: State) -> Bool {
    !state.outputIsOver && state.lanes.controlBytes <= configuration.congestionBytes
  }

  /// Takes back a request nobody has taken yet: `next()` gives it out as `.withdrawn`, to be answered as
  /// cancelled in its turn.
  ///
  /// - Returns: `false` when `next()` has given it out, or it never was.
  @discardableResult
  package func withdraw(_ id: RequestID) -> Bool {
    state.withLock { $0.inbound.withdraw(id) }
  }

  /// Counts a notification nobody wanted.
  package func countIgnoredNotification() {
    state.withLock { $0.inbound.ignoredNotifications += 1 }
  }

  // MARK: How it goes

  /// Why the connection ended; `nil` while it has not.
  package var end: EndReason? { state.withLock { $0.end } }

  /// Why nothing can be written any more, which may be after the end of input; `nil` while it can.
  package var outputEnd: EndReason? { state.withLock { $0.outputEnd } }

  /// Waits for the end.
  package func ended() async -> EndReason {
    await withCheckedContinuation { continuation in
      let end = state.withLock { state in
        if state.end == nil { state.endWaiters.append(continuation) }
        return state.end
      }
      if let end { continuation.resume(returning: end) }
    }
  }

  /// How the connection is doing now.
  package var statistics: RPCStatistics {
    let now = configuration.clock.now()
    return state.withLock { state in
      RPCStatistics(
        uptime: now - started, oldestPending: state.inbound.oldestPending(now: now),
        inFlight: state.inbound.inFlightCount, subscriptions: state.lanes.subscriptionCount,
        queuedControlBytes: state.lanes.controlBytes, coalesced: state.lanes.coalesced,
        ignoredNotifications: state.inbound.ignoredNotifications)
    }
  }

  // MARK: State and verdicts in one instant

  /// Keeps the writer thread from looking at state meanwhile.
  ///
  /// Whoever makes a change visible to the `StateSource` and answers the request that caused it does both in
  /// here: then no snapshot can name the request before its verdict is queued (O4), and no frame can show
  /// half a change (O8). Must not be nested, and must return soon: the writer waits.
  package func withStateHeld<Result: Sendable>(_ body: () throws -> Result) rethrows -> Result {
    try gate.withLock { _ in try body() }
  }

  // MARK: The end

  /// Stops reading, as if the peer had closed its end; what it asked before can still be answered.
  package func stopReading() {
    endInput(.stopped)
    readerWake.raise()
  }

  /// Ends the connection at once: what is not written is dropped, `flush()` gives `false`. Harmless when it has
  /// ended already.
  package func close(_ reason: EndReason = .closed) { endOutput(reason) }

  /// Tells the writer thread that the clock was moved; for clocks that do not run by themselves.
  package func clockMoved() { writerWake.raise() }
}

// MARK: Between the threads

extension RPCConnection {
  /// Changes the state, then does what has become due: hands out a message, wakes the writer.
  ///
  /// - Parameters:
  ///   - wakesWriter: false where the change brings nothing to write. Each wake-up costs two system calls
  ///     and a change of threads, several times what the message itself costs.
  ///   - change: made under the lock.
  func deliver(wakesWriter: Bool = true, _ change: (inout State) -> Void) {
    var consumer: CheckedContinuation<IncomingMessage?, Never>?
    var message: IncomingMessage?
    var wakes = false
    var isStuck = false
    state.withLock { state in
      change(&state)
      isStuck = !state.outputIsOver && state.lanes.controlBytes > configuration.maximumControlBytes
      wakes = wakesWriter && state.writerWaits
      if wakes { state.writerWaits = false }
      let mayTake = mayTake(state)
      guard state.consumer != nil else { return }
      if mayTake { message = state.inbound.take() }
      if message != nil || state.inbound.isFinished && (mayTake || state.outputIsOver) {
        consumer = state.consumer.take()
      }
    }
    consumer?.resume(returning: message)
    if wakes { writerWake.raise() }
    if isStuck { endOutput(.peerStuck) }
  }

  /// Nothing more will be read.
  func endInput(_ reason: EndReason) {
    var abandoned: [@Sendable (RPCAnswer) -> Void] = []
    var waiters: [CheckedContinuation<EndReason, Never>] = []
    deliver { state in
      guard !state.inputIsOver else { return }
      state.inputIsOver = true
      state.inbound.isFinished = true
      if state.framing == nil { state.framing = .lines }
      if state.end == nil { state.end = reason }
      abandoned = state.inbound.abandonRequests()
      waiters = state.endWaiters.removeAllAndReturn()
    }
    for waiter in abandoned { waiter(.connectionEnded) }
    for waiter in waiters { waiter.resume(returning: reason) }
  }

  /// Nothing more will be written, so nothing more need be read either.
  func endOutput(_ reason: EndReason) {
    var dropped: [OutboundLanes.Entry] = []
    let isFirst = state.withLock { state in
      guard !state.outputIsOver else { return false }
      state.outputIsOver = true
      state.outputEnd = reason
      state.inbound.dropWaiting()
      dropped = state.lanes.removeAll()
      return true
    }
    guard isFirst else { return }
    for entry in dropped { entry.written?(false) }
    endInput(reason)
    deliver { _ in }
    readerWake.raise()
    writerWake.raise()
  }

  /// Runs while nobody else is inside `withStateHeld`.
  func withGate(_ body: () -> Void) { gate.withLock { _ in body() } }
}

extension Array {
  fileprivate mutating func removeAllAndReturn() -> [Element] {
    defer { self = [] }
    return self
  }
}

package import StrictJSON
import SystemClients

/// Where an event stands among state documents.
package enum EventOrder: Hashable, Sendable {
  /// All marked state is written before it (O5).
  case afterState
  /// It needs no state to be understood.
  case inTurn
}

/// How soon a change is to be shown.
package enum Urgency: Hashable, Sendable {
  /// At the subscription's pace.
  case paced
  /// Now, whatever the pace, and in one frame with all that is due: for changes a person must see as one.
  case now
}

extension RPCConnection {
  // MARK: Answers

  /// Answers a request with its result.
  ///
  /// Subscriptions opened here get their first snapshot after this answer, and those closed here get none
  /// after it (O3).
  ///
  /// - Parameters:
  ///   - id: the request; one that is not in flight any more gets no second answer, only a note.
  ///   - result: an object, maybe empty.
  ///   - opening: subscriptions that begin with this answer.
  ///   - closing: subscriptions that end with it.
  package func respond(
    _ id: RequestID, _ result: JSONObject, opening: [RPCSubscription] = [], closing: [String] = []
  ) {
    answer(id, EncodedMessage(answer: id, result), opening: opening, closing: closing)
  }

  /// Answers a request with an error; otherwise like `respond`.
  package func fail(_ id: RequestID, _ error: RPCErrorObject) {
    answer(id, EncodedMessage(failure: id, error), opening: [], closing: [])
  }

  private func answer(
    _ id: RequestID, _ message: EncodedMessage, opening: [RPCSubscription], closing: [String]
  ) {
    var isFirst = true
    let now = configuration.clock.now()
    deliver { state in
      isFirst = state.inbound.answer(id)
      guard isFirst, !state.outputIsOver else { return }
      state.lanes.addVerdict(message, now: now)
      for key in closing { state.lanes.close(key) }
      for subscription in opening { state.lanes.open(subscription) }
    }
    if !isFirst { configuration.note(.answeredTwice(id)) }
  }

  // MARK: Events

  /// Sends a notification. Events keep their order among themselves (W2).
  ///
  /// - Parameters:
  ///   - method: its name.
  ///   - params: its parameters.
  ///   - order: whether marked state goes first.
  ///   - closing: subscriptions that end with it, whose state is not flushed any more.
  ///   - endingProgress: tokens of which nothing is to follow.
  package func notify(
    _ method: String, _ params: JSONObject, order: EventOrder = .inTurn, closing: [String] = [],
    endingProgress: [String] = []
  ) {
    let message = EncodedMessage(notification: method, params)
    let now = configuration.clock.now()
    deliver { state in
      guard !state.outputIsOver else { return }
      for key in closing { state.lanes.close(key) }
      for token in endingProgress { state.lanes.endProgress(token) }
      state.lanes.addEvent(message, flushesState: order == .afterState, now: now)
    }
  }

  /// Sends a request whose response comes with the messages of `next()`, in order with them.
  ///
  /// - Parameters:
  ///   - method: its name.
  ///   - params: its parameters.
  ///   - order: whether marked state goes first.
  /// - Returns: its id; `nil` when the connection has ended and no answer can come.
  package func request(
    _ method: String, _ params: JSONObject, order: EventOrder = .inTurn
  ) -> RequestID? { send(method, params, order, waiter: nil) }

  /// Sends a request and waits for its answer, which may overtake messages that wait for `next()`.
  ///
  /// - Parameters:
  ///   - method: its name.
  ///   - params: its parameters.
  ///   - order: whether marked state goes first.
  /// - Returns: the answer, or that the connection ended before.
  package func ask(
    _ method: String, _ params: JSONObject, order: EventOrder = .inTurn
  ) async -> RPCAnswer {
    await withCheckedContinuation { continuation in
      let id = send(method, params, order) { continuation.resume(returning: $0) }
      if id == nil { continuation.resume(returning: .connectionEnded) }
    }
  }

  private func send(
    _ method: String, _ params: JSONObject, _ order: EventOrder, waiter: InboundLedger.Waiter
  ) -> RequestID? {
    var id: RequestID?
    let now = configuration.clock.now()
    deliver { state in
      guard !state.inputIsOver, !state.outputIsOver else { return }
      let opened = state.inbound.openRequest(waiter: waiter)
      state.lanes.addEvent(
        EncodedMessage(request: opened, method, params), flushesState: order == .afterState,
        now: now)
      id = opened
    }
    return id
  }

  // MARK: State

  /// Says that the state behind these subscriptions has changed; unknown ones are passed over. The document
  /// is built by the `StateSource` when it can be written.
  package func markDirty(_ keys: some Sequence<String>, urgency: Urgency = .paced) {
    deliver { state in
      for key in keys { state.lanes.mark(key, urgently: urgency == .now) }
    }
  }

  /// Ends subscriptions without a word.
  package func forget(_ keys: some Sequence<String>) {
    state.withLock { state in
      for key in keys { state.lanes.close(key) }
    }
  }

  // MARK: Progress

  /// Allows progress under this token, until `notify(…, endingProgress:)`.
  package func beginProgress(_ token: String) {
    state.withLock { $0.lanes.beginProgress(token) }
  }

  /// Replaces what is known about a token's progress; at most ten a second are written.
  ///
  /// - Parameters:
  ///   - token: one that was begun and has not ended; otherwise nothing happens.
  ///   - done: how far it is; less than before is passed over.
  ///   - message: the notification that says so.
  package func progress(_ token: String, done: Int, _ message: EncodedMessage) {
    deliver { $0.lanes.setProgress(token, done: done, message) }
  }

  // MARK: Waiting for the pipe

  /// Waits until all that was queued and marked before has been written, whatever the pace.
  ///
  /// - Returns: `false` when the connection ended before.
  package func flush() async -> Bool {
    await withCheckedContinuation { continuation in
      let now = configuration.clock.now()
      var isOver = false
      deliver { state in
        isOver = state.outputIsOver
        guard !isOver else { return }
        state.lanes.addEvent(
          nil, flushesState: true, written: { continuation.resume(returning: $0) }, now: now)
      }
      if isOver { continuation.resume(returning: false) }
    }
  }
}

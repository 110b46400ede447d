import SystemClients

/// What the reader thread writes itself. Handing an answer over to the writer takes three system calls and two
/// changes of threads, more than all the rest of a `ping`.
extension RPCConnection {
  /// Writes the verdicts that wait, if the writer has nothing to write and the pipe takes them without waiting.
  ///
  /// - Returns: `false` when the writer must be told of them.
  func writeAtOnce() -> Bool {
    let now = configuration.clock.now()
    guard let (entries, framing) = state.withLock({ takePen(&$0, now: now) }) else { return false }
    var bytes: [UInt8] = []
    for case let message? in entries.lazy.map(\.message) {
      configuration.observe?(.sent(message.bytes))
      message.append(to: &bytes, framing: framing)
    }
    var count = 0
    var end: EndReason?
    switch output.write(bytes, from: 0) {
    case .wrote(let taken): count = taken
    case .full: break
    case .closed: end = .outputClosed
    case .failed(let errno): end = .writeFailed(errno)
    }
    returnPen(unfinished: Array(bytes[count...]))
    if let end { endOutput(end) }
    return true
  }

  private func takePen(
    _ state: inout State, now: Duration
  ) -> (entries: [OutboundLanes.Entry], framing: Framing)? {
    // Who waits without having been woken has seen all but the verdicts of this read.
    guard state.pen == .free, state.writerWaits, !state.outputIsOver, let framing = state.framing,
      state.lanes.controlBytes <= OutputDescriptor.pieceBytes,
      case .control(let entries) = state.lanes.step(now: now)
    else { return nil }
    state.pen = .reader
    return (entries, framing)
  }

  private func returnPen(unfinished: [UInt8]) {
    let now = configuration.clock.now()
    var wakes = false
    deliver(wakesWriter: false) { state in
      state.pen = .free
      state.unfinished = unfinished
      if unfinished.isEmpty { state.lanes.written(now: now) }
      wakes = state.writerWantsPen || !unfinished.isEmpty
      state.writerWantsPen = false
      if wakes { state.writerWaits = false }
    }
    if wakes { writerWake.raise() }
  }
}

import SystemClients

/// The writer thread: it writes whatever the reader's `writeAtOnce` does not.
extension RPCConnection {
  func writerLoop() {
    var writer = Writer(
      connection: self, output: output, lastTaken: configuration.clock.now())
    writer.run()
    closeDescriptor(output.descriptor)
  }

  /// What the writer thread knows alone.
  private struct Writer {
    let connection: RPCConnection
    let output: OutputDescriptor
    /// When the pipe last took a byte.
    var lastTaken: Duration
    /// Bytes on their way, and who waits for them to be gone.
    var stream: [UInt8] = []
    var written: [OutboundLanes.Written] = []
    var framing = Framing.lines

    private enum Job {
      case stop
      case wait(Duration?)
      case waitForPen
      case control([OutboundLanes.Entry])
      case flush
    }

    private enum Room { case room, news, over }

    private static let keptCapacity = 2 * OutboundLanes.batchBytes

    init(connection: RPCConnection, output: OutputDescriptor, lastTaken: Duration) {
      self.connection = connection
      self.output = output
      self.lastTaken = lastTaken
    }

    private var clock: MonotonicClock { connection.configuration.clock }

    mutating func run() {
      while true {
        switch nextJob() {
        case .stop: return
        case .wait(let limit):
          if output.wait(forRoom: false, limit: limit) == .closed {
            connection.endOutput(.outputClosed)
          }
        case .waitForPen: output.wake.wait()
        case .control(let entries):
          for entry in entries { add(entry) }
          guard send() else { return }
        case .flush:
          // The document is built when the pipe can take it: until then newer changes join in.
          switch waitForRoom() {
          case .room: guard writeFrame() else { return }
          case .news: continue
          case .over: return
          }
        }
      }
    }

    private mutating func nextJob() -> Job {
      let now = clock.now()
      var framing = Framing.lines
      var unfinished: [UInt8] = []
      let job: Job = connection.state.withLock { state in
        // Also at the end: nobody may close what the reader is writing to.
        guard state.pen != .reader else {
          state.writerWantsPen = true
          return .waitForPen
        }
        state.pen = .writer
        guard !state.outputIsOver else { return .stop }
        state.writerWaits = true
        // The core writes nothing before the peer has shown how.
        guard let known = state.framing else { return .wait(nil) }
        framing = known
        swap(&unfinished, &state.unfinished)
        if !unfinished.isEmpty {
          state.writerWaits = false
          return .control([])
        }
        switch state.lanes.step(now: now) {
        case .control(let entries):
          state.writerWaits = false
          return .control(entries)
        case .flush: return .flush
        case .nothing(let until):
          state.pen = .free
          return .wait(until.flatMap { clock.runsByItself ? $0 - now : nil })
        }
      }
      self.framing = framing
      stream += unfinished
      return job
    }

    // MARK: Filling the stream

    private mutating func writeFrame() -> Bool {
      let now = clock.now()
      var flush = OutboundLanes.Flush()
      var frame: StateSource.Frame?
      connection.withGate {
        flush = connection.state.withLock { state in
          state.writerWaits = false
          return state.outputIsOver ? OutboundLanes.Flush() : state.lanes.takeFlush(now: now)
        }
        if !flush.subscriptions.isEmpty {
          frame = connection.configuration.state.capture(flush.subscriptions)
        }
      }
      for verdict in flush.verdicts { add(verdict) }
      while let message = frame?() {
        add(message)
        guard send() else { return false }
      }
      for message in flush.progress { add(message) }
      if let event = flush.event { add(event) }
      return send()
    }

    private mutating func add(_ entry: OutboundLanes.Entry) {
      if let done = entry.written { written.append(done) }
      if let message = entry.message { add(message) }
    }

    private mutating func add(_ message: EncodedMessage) {
      connection.configuration.observe?(.sent(message.bytes))
      message.append(to: &stream, framing: framing)
    }

    // MARK: Emptying it

    /// - Returns: `false` when nothing can be written any more.
    private mutating func send() -> Bool {
      var offset = 0
      while offset < stream.count {
        switch output.write(stream, from: offset) {
        case .wrote(let count):
          offset += count
          if count > 0 { lastTaken = clock.now() }
        case .full: if waitForRoom() == .over { return giveUp() }
        case .closed:
          connection.endOutput(.outputClosed)
          return giveUp()
        case .failed(let errno):
          connection.endOutput(.writeFailed(errno))
          return giveUp()
        }
      }
      stream.removeAll(keepingCapacity: stream.capacity <= Self.keptCapacity)
      let now = clock.now()
      connection.deliver { $0.lanes.written(now: now) }
      finish(true)
      return true
    }

    private mutating func giveUp() -> Bool {
      finish(false)
      return false
    }

    private mutating func finish(_ success: Bool) {
      for done in written { done(success) }
      written = []
    }

    /// Waits until the pipe has room, something new has come, or the peer is stuck or gone.
    private func waitForRoom() -> Room {
      let now = clock.now()
      let (isOver, since) = connection.state.withLock { state in
        state.writerWaits = true
        return (state.outputIsOver, state.lanes.controlSince)
      }
      guard !isOver else { return .over }
      let deadline = since.map { max($0, lastTaken) + connection.configuration.stuckAfter }
      let left = deadline.map { max(.zero, $0 - now) }
      switch output.wait(forRoom: true, limit: clock.runsByItself || left == .zero ? left : nil) {
      case .writable: return .room
      case .woken: return .news
      case .closed:
        connection.endOutput(.outputClosed)
        return .over
      case .timedOut:
        guard left == .zero else { return .news }
        connection.endOutput(.peerStuck)
        return .over
      }
    }
  }
}

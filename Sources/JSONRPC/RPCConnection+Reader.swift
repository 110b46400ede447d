#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import StrictJSON
import SystemClients

/// The reader thread: bytes in, messages out, and everything that must not wait for anybody.
extension RPCConnection {
  private static let bufferBytes = 65_536

  func readerLoop(_ descriptor: Int32) {
    let input = InputDescriptor(descriptor: descriptor, wake: readerWake)
    var splitter = FrameSplitter(
      framing: configuration.framing, limit: configuration.maximumMessageBytes)
    var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
    while !state.withLock({ $0.inputIsOver }) {
      switch input.read(into: &buffer) {
      case .bytes(let count):
        splitter.push(buffer[..<count]) { take($0) }
        learnFraming(splitter.chosen)
        tellWriter()
      case .end:
        splitter.finish { take($0) }
        learnFraming(splitter.chosen)
        tellWriter()
        endInput(.endOfInput)
      case .failed(let errno): endInput(.readFailed(errno))
      case .woken: break
      }
    }
    closeDescriptor(descriptor)
  }

  func closeDescriptor(_ descriptor: Int32) {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  private func learnFraming(_ framing: Framing?) {
    guard let framing else { return }
    let isNews = state.withLock { $0.framing == nil }
    if isNews { deliver { $0.framing = framing } }
  }

  private func take(_ event: FrameSplitter.Event) {
    switch event {
    case .frame(let bytes):
      configuration.observe?(.received(Array(bytes)))
      take(Envelope.read(bytes, limits: configuration.limits), bytes: bytes.count)
    case .tooLarge: refuse(.tooLarge, id: nil)
    case .lost(let fault): endInput(.framingLost(fault))
    }
  }

  private func take(_ reading: Envelope.Reading, bytes: Int) {
    switch reading {
    case .message(let message): take(message, bytes: bytes)
    case .refused(let fault, let id): refuse(fault, id: id)
    case .ignored(let fault):
      countIgnoredNotification()
      configuration.note(.ignored(fault))
    }
  }

  private func take(_ message: IncomingMessage, bytes: Int) {
    switch message {
    case .notification(let method, let params):
      if let act = configuration.immediateNotifications[method] { return act(params, self) }
    case .request(let id, let method, let params):
      if let reply = configuration.immediateRequests[method] {
        return answerAtOnce(id, params, reply)
      }
    case .response, .withdrawn: break
    }
    admit(message, bytes: bytes)
  }

  private func admit(_ message: IncomingMessage, bytes: Int) {
    let now = configuration.clock.now()
    var admission = InboundLedger.Admission.queued
    deliver(wakesWriter: false) { state in
      guard !state.inputIsOver else { return }
      admission = state.inbound.admit(message, bytes: bytes, now: now)
    }
    switch admission {
    case .queued: break
    case .refused(let fault): refuse(fault, of: message)
    case .ignored(let note): configuration.note(note)
    case .answered(let waiter, let answer): waiter(answer)
    }
  }

  private func answerAtOnce(
    _ id: RequestID, _ params: JSONObject, _ reply: (JSONObject, RPCStatistics) -> RPCReply
  ) {
    guard !state.withLock({ $0.inbound.isInFlight(id) }) else {
      return refuse(.duplicateID(id), id: nil)
    }
    switch reply(params, statistics) {
    case .result(let result): sendVerdict(EncodedMessage(answer: id, result))
    case .error(let error): sendVerdict(EncodedMessage(failure: id, error))
    }
  }

  private func refuse(_ fault: RPCFault, of message: IncomingMessage) {
    // An id in use names the other request, so this one is answered without.
    guard case .request(let id, _, _) = message, case .overloaded = fault else {
      return refuse(fault, id: nil)
    }
    refuse(fault, id: id)
  }

  private func refuse(_ fault: RPCFault, id: RequestID?) {
    if let id, state.withLock({ $0.inbound.isInFlight(id) }) {
      return refuse(.duplicateID(id), id: nil)
    }
    configuration.note(.refused(fault))
    sendVerdict(EncodedMessage(failure: id, configuration.describe(fault)))
  }

  private func sendVerdict(_ message: EncodedMessage) {
    let now = configuration.clock.now()
    deliver(wakesWriter: false) { state in
      guard !state.outputIsOver else { return }
      state.lanes.addVerdict(message, now: now)
      state.hasUntoldVerdicts = true
    }
  }

  /// Sees to all verdicts of one read together.
  private func tellWriter() {
    let hasVerdicts = state.withLock { state in
      defer { state.hasUntoldVerdicts = false }
      return state.hasUntoldVerdicts
    }
    if hasVerdicts && !writeAtOnce() { deliver { _ in } }
  }
}

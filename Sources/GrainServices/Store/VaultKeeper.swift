package import CredentialVault
package import SystemClients

/// Opens the vault of a core: at once where it can, else as soon as its key can be had.
///
/// A key that is locked away or out of reach ends nothing and changes nothing: it is asked for again
/// after growing pauses, and at once when the person is said to have unlocked it (FB-E6).
package actor VaultKeeper {
  /// Opens the vault, or says why not; called again and again, never twice at a time.
  package typealias Attempt = @Sendable () async throws(VaultError) -> VaultSealer

  /// The pauses between attempts double from the first to the longest.
  package static let pauses: ClosedRange<Duration> = .seconds(2) ... .seconds(300)

  /// What the account store seals with.
  package nonisolated let source = SealerSource(
    waitingFor: .keyUnavailable("the key has not come yet"))

  private let attempt: Attempt
  private let clock: SystemClock
  private let log: Log
  private var onChange: @Sendable () async -> Void = {}
  private var work: Task<Void, Never>?
  private var pause: Task<Void, any Error>?
  /// Attempts begun, and those ended.
  private var begun = 0
  private var ended = 0
  private var isAskedAgain = false
  private var waiting: [(id: Int, attempt: Int, resume: CheckedContinuation<Void, Never>)] = []
  private var nextID = 0

  /// A keeper that has not tried yet.
  package init(clock: SystemClock, log: Log, attempt: @escaping Attempt) {
    self.clock = clock
    self.log = log
    self.attempt = attempt
  }

  /// Tries for the first time, and goes on trying when the key is out of reach.
  ///
  /// - Parameter patience: how long to wait for the first outcome; a person may be typing.
  /// - Throws: a fault of the store itself. One of the key is no error: see ``source``.
  package func begin(patience: Duration) async throws(StoreFault) {
    let (outcomes, outcome) = AsyncStream.makeStream(
      of: StoreFault?.self, bufferingPolicy: .bufferingOldest(1))
    work = Task { await self.run { outcome.yield($0) } }
    let fault = await withTaskGroup(of: StoreFault?.self) { [clock] group in
      group.addTask { await outcomes.first { _ in true } ?? nil }
      group.addTask {
        // Ends early only when the other has won.
        try? await clock.sleep(patience)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    guard let fault, !fault.isOfKey else { return }
    await end()
    throw fault
  }

  /// Who is told of every further outcome.
  package func follow(_ onChange: @escaping @Sendable () async -> Void) {
    self.onChange = onChange
  }

  /// Tries again at once. A caller that is cancelled is let go; the attempt, at which a person may be
  /// typing, goes on.
  ///
  /// - Returns: why the vault is still closed; `nil` when it is open and everybody knows.
  package func retry() async -> StoreFault? {
    guard source.fault != nil, work != nil else { return source.fault }
    isAskedAgain = true
    pause?.cancel()
    // An attempt under way may have looked before the person unlocked: the next one counts.
    let awaited = begun + 1
    nextID += 1
    let id = nextID
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { return continuation.resume() }
        waiting.append((id, awaited, continuation))
      }
    } onCancel: {
      // A handler runs on whatever thread cancels; who waits is this actor's.
      Task { await self.letGo(id) }
    }
    return source.fault
  }

  /// Whether somebody waits for another attempt.
  var isWaitedFor: Bool { !waiting.isEmpty }

  /// Stops trying.
  package func end() async {
    let running = work
    work = nil
    running?.cancel()
    pause?.cancel()
    await running?.value
    finish(through: .max)
  }

  private func run(_ report: (StoreFault?) -> Void) async {
    var delay = Self.pauses.lowerBound
    while !Task.isCancelled {
      isAskedAgain = false
      begun += 1
      do throws(VaultError) {
        source.take(.success(try await attempt()))
        log.write(.debug, "vault", "open")
      } catch {
        let fault = StoreFault(error)
        source.take(.failure(fault))
        log.write(.warn, "vault", "not open", ["reason": fault.reason, "attempt": "\(begun)"])
      }
      report(source.fault)
      await onChange()
      ended = begun
      finish(through: ended)
      if source.fault == nil { break }
      if !isAskedAgain { await rest(delay) }
      delay = min(delay * 2, Self.pauses.upperBound)
    }
    finish(through: .max)
  }

  private func rest(_ delay: Duration) async {
    let sleep = Task { [clock] in try await clock.sleep(delay) }
    pause = sleep
    if isAskedAgain || Task.isCancelled { sleep.cancel() }
    // Woken early means: asked again, or over.
    _ = try? await sleep.value
    pause = nil
  }

  private func letGo(_ id: Int) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    waiting.remove(at: index).resume.resume()
  }

  private func finish(through attempt: Int) {
    let done = waiting.filter { $0.attempt <= attempt }
    waiting.removeAll { $0.attempt <= attempt }
    for waiter in done { waiter.resume.resume() }
  }
}

extension StoreFault {
  /// Only the key is out of reach; the store itself is as it should be.
  package var isOfKey: Bool {
    switch self {
    case .keyLocked, .keyUnavailable: true
    case .locked, .corrupt, .full, .unwritable, .newer: false
    }
  }

  /// For a log.
  fileprivate var reason: String {
    switch self {
    case .keyUnavailable(let reason), .corrupt(let reason), .unwritable(let reason): reason
    case .keyLocked: "the key store is locked"
    case .locked, .full, .newer: "\(self)"
    }
  }
}

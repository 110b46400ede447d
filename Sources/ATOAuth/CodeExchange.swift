import SystemClients

/// The rest of a sign-in from the moment its code is posted. From then on tokens may exist, so the work
/// does not stop when its caller gives up: what it still gets is revoked instead of handed over (A46,
/// FB-A15).
final class CodeExchange: Sendable {
  typealias Outcome = Result<Grant, ATOAuthError>

  private enum State {
    case waiting
    case done(Outcome)
    case abandoned
  }

  private let state = Locked(State.waiting)
  private let results: AsyncStream<Outcome>
  private let give: AsyncStream<Outcome>.Continuation

  init() {
    (results, give) = AsyncStream.makeStream(of: Outcome.self)
  }

  /// Starts the work and waits for it; a cancelled caller is let go at once.
  ///
  /// - `work`: everything after the code was used up.
  /// - `revoke`: gives back a grant nobody wants any more.
  /// - Throws: what the work throws; `nil` from this method says that the caller was cancelled.
  func run(
    _ work: @escaping @Sendable () async -> Outcome,
    revoke: @escaping @Sendable (Grant) async -> Void
  ) async -> Outcome? {
    // Unstructured on purpose: it has to outlive its caller, and it ends by the deadlines of its requests.
    Task {
      let outcome = await work()
      let wanted = state.withLock { state in
        if case .abandoned = state { return false }
        state = .done(outcome)
        return true
      }
      give.yield(outcome)
      give.finish()
      if !wanted, case .success(let grant) = outcome { await revoke(grant) }
    }
    for await outcome in results { return outcome }
    let missed = state.withLock { state -> Outcome? in
      if case .done(let outcome) = state { return outcome }
      state = .abandoned
      return nil
    }
    // It was done in the same moment: then nobody else gives it back.
    if case .success(let grant)? = missed { Task { await revoke(grant) } }
    return nil
  }
}

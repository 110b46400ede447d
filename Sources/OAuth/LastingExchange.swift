package import SystemClients

/// An exchange that is not taken back when its caller gives up: what was sent may have made a
/// credential, and one that nobody wants any more is given back instead of handed over (A46, FB-A15).
package final class LastingExchange<Answer: Sendable, Failure: Error>: Sendable {
  private enum State {
    case waiting
    case done(Result<Answer, Failure>)
    case abandoned
  }

  private let state = Locked(State.waiting)
  private let results: AsyncStream<Result<Answer, Failure>>
  private let give: AsyncStream<Result<Answer, Failure>>.Continuation

  /// An exchange that has not begun.
  package init() {
    (results, give) = AsyncStream.makeStream(of: Result<Answer, Failure>.self)
  }

  /// Starts the work in somebody's hands and waits for it; a cancelled caller is let go at once.
  ///
  /// - Parameters:
  ///   - background: who is to wait for it in the end, since its answer is the only copy.
  ///   - work: everything from the moment the code is sent.
  ///   - giveBack: what becomes of an answer nobody wants any more.
  /// - Returns: `nil` when the caller was cancelled.
  package func run(
    in background: BackgroundWork,
    _ work: @escaping @Sendable () async -> Result<Answer, Failure>,
    giveBack: @escaping @Sendable (Answer) async -> Void
  ) async -> Result<Answer, Failure>? {
    background.start { [self] in
      let outcome = await work()
      let isWanted = state.withLock { state in
        if case .abandoned = state { return false }
        state = .done(outcome)
        return true
      }
      give.yield(outcome)
      give.finish()
      if !isWanted, case .success(let answer) = outcome { await giveBack(answer) }
    }
    for await outcome in results { return outcome }
    let missed = state.withLock { state -> Result<Answer, Failure>? in
      if case .done(let outcome) = state { return outcome }
      state = .abandoned
      return nil
    }
    // It was done in the same moment: then nobody else gives it back.
    if case .success(let answer)? = missed { background.start { await giveBack(answer) } }
    return nil
  }
}

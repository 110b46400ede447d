package import GrainServices
import SystemClients

/// The sign-in service of a test: each attempt does what the test says, step by step.
package final class ScriptedSignIn: Sendable {
  private enum Command {
    case step(SignInStep, done: CheckedContinuation<Void, Never>)
    case end(Result<AccountID, SignInError>)
  }

  private struct State: Sendable {
    var attempts: [SignInTarget] = []
    var commands: AsyncStream<Command>.Continuation?
    var waiters: [CheckedContinuation<Void, Never>] = []
    var delivery = CallbackDelivery.delivered
    var delivered: [String] = []
    var timesShownAgain = 0
    var left: LeftSignIn?
    var endsWhenCancelled = true
    var suggestions: [String: [HandleSuggestion]] = [:]
    var schemes: Set<String> = []
    var offers = [ProviderOffer(provider: .grain, needs: .handle)]
  }

  private let state = Locked(State())

  /// A service that waits to be asked.
  package init() {}

  /// Whom somebody tried to sign in, in order.
  package var attempts: [SignInTarget] { state.withLock(\.attempts) }
  /// The callback URLs handed over.
  package var delivered: [String] { state.withLock(\.delivered) }

  /// Who can be signed in with; set before the shell is.
  package var offers: [ProviderOffer] {
    get { state.withLock(\.offers) }
    set { state.withLock { $0.offers = newValue } }
  }

  /// The schemes the shell has answered for.
  package var settledSchemes: Set<String> { state.withLock(\.schemes) }

  /// How often the page was asked for once more.
  package var timesShownAgain: Int { state.withLock(\.timesShownAgain) }

  /// What an earlier run has left; an attempt that resumes it does what the test says as well.
  package func leave(_ left: LeftSignIn) { state.withLock { $0.left = left } }
  /// Who is suggested for a text.
  package func suggest(_ found: [HandleSuggestion], for text: String) {
    state.withLock { $0.suggestions[text] = found }
  }
  /// What becomes of callback URLs.
  package func answerCallbacks(_ delivery: CallbackDelivery) {
    state.withLock { $0.delivery = delivery }
  }
  /// Makes attempts go on when they are cancelled, as work does that does not notice.
  package func ignoreCancellation() { state.withLock { $0.endsWhenCancelled = false } }

  /// Signing in, as the models ask for it.
  package var door: SignInDoor {
    SignInDoor(
      run: { target, _, step async throws(SignInError) in try await self.run(target, step) },
      suggest: { text in self.state.withLock { $0.suggestions[text] ?? [] } },
      left: { self.state.withLock { $0.left.take() } },
      resume: { step async throws(SignInError) in try await self.run(nil, step) },
      showAgain: { self.state.withLock { $0.timesShownAgain += 1 } },
      deliver: { url in
        self.state.withLock { state in
          state.delivered.append(url)
          return state.delivery
        }
      }, isSchemeSettled: { scheme in self.state.withLock { $0.schemes.contains(scheme) } },
      settleScheme: { scheme in self.state.withLock { _ = $0.schemes.insert(scheme) } },
      providers: { self.offers })
  }

  /// Returns once an attempt runs.
  package func begun() async {
    await withCheckedContinuation { continuation in
      let runs = state.withLock { state in
        if state.commands == nil { state.waiters.append(continuation) }
        return state.commands != nil
      }
      if runs { continuation.resume() }
    }
  }

  /// Lets the running attempt report a step; returns when it is reported.
  package func step(_ step: SignInStep) async {
    await begun()
    await withCheckedContinuation { done in
      _ = state.withLock(\.commands)?.yield(.step(step, done: done))
    }
  }

  /// Ends the running attempt.
  package func end(_ result: Result<AccountID, SignInError>) async {
    await begun()
    _ = state.withLock(\.commands)?.yield(.end(result))
  }

  private func run(
    _ target: SignInTarget?, _ report: @escaping @Sendable (SignInStep) async -> Void
  ) async throws(SignInError) -> AccountID {
    let (commands, give) = AsyncStream.makeStream(of: Command.self)
    let (waiters, endsWhenCancelled) = state.withLock { state in
      defer { state.waiters = [] }
      if let target { state.attempts.append(target) }
      state.commands = give
      return (state.waiters, state.endsWhenCancelled)
    }
    for waiter in waiters { waiter.resume() }
    defer { state.withLock { $0.commands = nil } }
    let outcome = await withTaskCancellationHandler {
      await Task { () -> Result<AccountID, SignInError> in
        for await command in commands {
          switch command {
          case .step(let step, let done):
            await report(step)
            done.resume()
          case .end(let result): return result
          }
        }
        return .failure(.cancelled)
      }.value
    } onCancel: {
      if endsWhenCancelled { give.yield(.end(.failure(.cancelled))) }
    }
    return try outcome.get()
  }
}

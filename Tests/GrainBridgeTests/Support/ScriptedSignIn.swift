import ATSyntax
import GrainServices
import JSONRPC
import SystemClients

/// The sign-in service of a test: each attempt does what the test says, step by step.
final class ScriptedSignIn: Sendable {
  private enum Command {
    case step(SignInStep, done: CheckedContinuation<Void, Never>)
    case end(Result<DID, SignInError>)
  }

  private struct State: Sendable {
    var attempts: [SignInTarget] = []
    var commands: AsyncStream<Command>.Continuation?
    var waiters: [CheckedContinuation<Void, Never>] = []
    var delivery = CallbackDelivery.delivered
    var delivered: [String] = []
    var endsWhenCancelled = true
  }

  private let state = Locked(State())

  /// Whom somebody tried to sign in, in order.
  var attempts: [SignInTarget] { state.withLock(\.attempts) }
  /// The callback URLs handed over.
  var delivered: [String] { state.withLock(\.delivered) }

  /// What becomes of callback URLs.
  func answerCallbacks(_ delivery: CallbackDelivery) { state.withLock { $0.delivery = delivery } }
  /// Makes attempts go on when they are cancelled, as work does that does not notice.
  func ignoreCancellation() { state.withLock { $0.endsWhenCancelled = false } }

  var door: SignInDoor {
    SignInDoor(
      run: { target, _, step async throws(SignInError) in try await self.run(target, step) },
      deliver: { url in
        self.state.withLock { state in
          state.delivered.append(url)
          return state.delivery
        }
      })
  }

  /// Returns once an attempt runs.
  func begun() async {
    await withCheckedContinuation { continuation in
      let runs = state.withLock { state in
        if state.commands == nil { state.waiters.append(continuation) }
        return state.commands != nil
      }
      if runs { continuation.resume() }
    }
  }

  /// Lets the running attempt report a step; returns when it is reported.
  func step(_ step: SignInStep) async {
    await begun()
    await withCheckedContinuation { done in
      _ = state.withLock(\.commands)?.yield(.step(step, done: done))
    }
  }

  /// Ends the running attempt.
  func end(_ result: Result<DID, SignInError>) async {
    await begun()
    _ = state.withLock(\.commands)?.yield(.end(result))
  }

  private func run(
    _ target: SignInTarget, _ report: @escaping @Sendable (SignInStep) async -> Void
  ) async throws(SignInError) -> DID {
    let (commands, give) = AsyncStream.makeStream(of: Command.self)
    let (waiters, endsWhenCancelled) = state.withLock { state in
      defer { state.waiters = [] }
      state.attempts.append(target)
      state.commands = give
      return (state.waiters, state.endsWhenCancelled)
    }
    for waiter in waiters { waiter.resume() }
    defer { state.withLock { $0.commands = nil } }
    let outcome = await withTaskCancellationHandler {
      await Task { () -> Result<DID, SignInError> in
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

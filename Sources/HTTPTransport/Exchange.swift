import SystemClients

/// The wait for one response: settles exactly once, with the response or with the first thing that
/// goes wrong — the deadline, cancellation, a limit or the connection.
final class Exchange: Sendable {
  typealias Outcome = Result<HTTPResponse, HTTPError>

  private struct State {
    var outcome: Outcome?
    var continuation: CheckedContinuation<Outcome, Never>?
  }

  private let state = Locked(State())
  private let progress: (@Sendable (Int64) -> Void)?

  init(progress: (@Sendable (Int64) -> Void)?) {
    self.progress = progress
  }

  /// Whether the outcome is still open.
  var isOpen: Bool { state.withLock { $0.outcome == nil } }

  /// Takes the continuation that waits for the outcome; false if that is already there.
  func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.continuation = continuation }
      return state.outcome
    }
    if let outcome { continuation.resume(returning: outcome) }
    return outcome == nil
  }

  /// Settles the outcome, unless it is settled.
  func settle(_ outcome: Outcome) {
    let continuation = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(returning: outcome)
  }

  /// Reports how many bytes of the body have gone out.
  func didSend(_ total: Int64) {
    guard let progress, isOpen else { return }
    progress(total)
  }
}

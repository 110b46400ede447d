import Foundation
import SystemClients

/// Holds requests at a server of the sandbox until the test lets them pass.
///
/// It is the servers' sleep: a request with a `delay` fault stops here before it is processed.
final class Turnstile: Sendable {
  private struct State {
    var isOpen = false
    var held: [CheckedContinuation<Void, Never>] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  /// The clock for the servers: real time, and this sleep.
  var clock: SystemClock {
    SystemClock(now: { Date() }, sleep: { [self] _ in await pass() })
  }

  /// Returns once a request is held.
  func arrival() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.held.isEmpty { state.watchers.append(continuation) }
        return !state.held.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }

  /// Lets every held request pass, and those that come later too.
  func open() {
    let held = state.withLock { state in
      state.isOpen = true
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Holds requests again.
  func close() { state.withLock { $0.isOpen = false } }

  private func pass() async {
    await withCheckedContinuation { continuation in
      let (isOpen, watchers) = state.withLock { state in
        if !state.isOpen { state.held.append(continuation) }
        defer { state.watchers = [] }
        return (state.isOpen, state.watchers)
      }
      if isOpen { continuation.resume() }
      for watcher in watchers { watcher.resume() }
    }
  }
}

package import OAuth
import SystemClients

/// The one place where callback URLs arrive, whichever door they came through (A10).
///
/// Finds the waiting attempt of whichever provider by exact route and by state (Pixiv's by the web view
/// it was caught in), in constant time and once; everything else is ignored and counted, and no URL is
/// ever logged (grain-product §17).
package final class CallbackCoordinator: Sendable {
  private struct State {
    /// The one attempt a callback may belong to; gone once it has had its callback.
    var registered: ExpectedCallback?
    var waiting: CheckedContinuation<CallbackURL?, Never>?
    /// A callback that came before anybody waited for it.
    var early: CallbackURL?
    var ignored = 0

    /// Forgets the attempt.
    ///
    /// - Returns: who waits for a callback that will not come.
    mutating func reset(to attempt: ExpectedCallback?) -> CheckedContinuation<
      CallbackURL?, Never
    >? {
      let waiting = self.waiting
      self.waiting = nil
      early = nil
      registered = attempt
      return waiting
    }
  }

  private let state = Locked(State())

  /// A coordinator that waits for nothing.
  package init() {}

  /// How many callbacks belonged to no waiting attempt.
  package var ignoredCount: Int { state.withLock(\.ignored) }

  /// Makes an attempt known; at most one waits at a time, a later one replaces it.
  package func register(_ attempt: ExpectedCallback) {
    let replaced = state.withLock { $0.reset(to: attempt) }
    replaced?.resume(returning: nil)
  }

  /// Puts an attempt in the place of another; who waits for that one's callback waits for this one's.
  ///
  /// - Returns: `false` when the other is not waited for any more: nothing has changed then.
  package func replace(
    _ attempt: ExpectedCallback, with newer: ExpectedCallback
  ) -> Bool {
    state.withLock { state in
      guard state.registered == attempt else { return false }
      state.registered = newer
      return true
    }
  }

  /// Waits for the callback of the registered attempt; one waits at a time.
  ///
  /// - Returns: `nil` when the attempt was withdrawn.
  package func callback() async -> CallbackURL? {
    await withCheckedContinuation { continuation in
      let ready: CallbackURL?? = state.withLock { state in
        if let early = state.early {
          state.early = nil
          return .some(early)
        }
        guard state.registered != nil, state.waiting == nil else { return .some(nil) }
        state.waiting = continuation
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  /// Withdraws the attempt: callbacks that still come are ignored.
  package func withdraw() {
    let waiting = state.withLock { $0.reset(to: nil) }
    waiting?.resume(returning: nil)
  }

  /// Offers a URL as it arrived.
  package func offer(_ text: String, from door: CallbackDoor = .shell) -> CallbackDelivery {
    do throws(CallbackURL.Invalid) {
      return offer(try CallbackURL(text), from: door)
    } catch {
      state.withLock { $0.ignored += 1 }
      return .unknown
    }
  }

  /// Offers a URL that was taken apart already.
  package func offer(
    _ url: CallbackURL, from door: CallbackDoor = .shell
  ) -> CallbackDelivery {
    let (delivery, waiting) = state.withLock {
      state -> (CallbackDelivery, CheckedContinuation<CallbackURL?, Never>?) in
      guard let expected = state.registered, expected.matches(url, from: door) else {
        state.ignored += 1
        return (.unknown, nil)
      }
      // Single use: the next callback finds nothing.
      let waiting = state.reset(to: nil)
      if waiting == nil { state.early = url }
      return (.delivered, waiting)
    }
    waiting?.resume(returning: url)
    return delivery
  }
}

package import ATOAuth
package import OAuth
import Synchronization

/// The one place where callback URLs arrive, whichever door they came through (A10).
///
/// Finds the waiting attempt by exact route and by state, in constant time and once; everything else
/// is ignored and counted, and no URL is ever logged (grain-product §17).
package final class CallbackCoordinator: Sendable {
  private struct Waiting {
    let attempt: AuthorizationAttempt
    let resume: CheckedContinuation<CallbackURL?, Never>
  }

  private struct State {
    var waiting: Waiting?
    var ignored = 0
    /// A callback for the registered attempt that came before anybody waited.
    var early: CallbackURL?
    var registered: AuthorizationAttempt?
  }

  private let state = Mutex(State())

  package init() {}

  /// How many callbacks belonged to no waiting attempt.
  package var ignoredCount: Int { state.withLock(\.ignored) }

  /// Makes an attempt known; at most one waits at a time, a later one replaces it.
  package func register(_ attempt: AuthorizationAttempt) {
    let replaced = state.withLock { state in
      let replaced = state.waiting
      state.waiting = nil
      state.early = nil
      state.registered = attempt
      return replaced
    }
    replaced?.resume.resume(returning: nil)
  }

  /// Waits for the callback of the registered attempt.
  ///
  /// - Returns: `nil` when the attempt was withdrawn.
  package func callback(of attempt: AuthorizationAttempt) async -> CallbackURL? {
    await withCheckedContinuation { continuation in
      let ready: CallbackURL?? = state.withLock { state in
        if let early = state.early {
          state.early = nil
          return .some(early)
        }
        guard state.registered != nil else { return .some(nil) }
        state.waiting = Waiting(attempt: attempt, resume: continuation)
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }

  /// Withdraws the attempt: callbacks that still come are ignored.
  package func withdraw() {
    let waiting = state.withLock { state in
      let waiting = state.waiting
      state.waiting = nil
      state.early = nil
      state.registered = nil
      return waiting
    }
    waiting?.resume.resume(returning: nil)
  }

  /// Offers a URL as it arrived.
  package func offer(_ text: String) -> CallbackDelivery {
    do throws(CallbackURL.Invalid) {
      return offer(try CallbackURL(text))
    } catch {
      state.withLock { $0.ignored += 1 }
      return .unknown
    }
  }

  /// Offers a URL that was taken apart already.
  package func offer(_ url: CallbackURL) -> CallbackDelivery {
    let (delivery, waiting) = state.withLock { state -> (CallbackDelivery, Waiting?) in
      guard let attempt = state.registered, attempt.route?.matches(url) == true,
        attempt.hasState(url.state)
      else {
        state.ignored += 1
        return (.unknown, nil)
      }
      let waiting = state.waiting
      // Single use: the next callback finds nothing.
      state.registered = nil
      state.waiting = nil
      if waiting == nil { state.early = url }
      return (.delivered, waiting)
    }
    waiting?.resume.resume(returning: url)
    return delivery
  }
}

package import ATSyntax
import ATXRPC
package import StrictJSON
import OAuth
import SystemClients

/// What others do around a change of the account that is shown: take a push registration back, stop and
/// start what listens for one account (grain-product §4).
package struct AccountHooks: Sendable {
  /// Calls a procedure as the account the hook is about, through the proxy where the method asks for it;
  /// accounts of other providers than Grain have none to call.
  package typealias Procedure =
    @Sendable (_ method: NSID, _ input: JSONObject) async throws(CallFault) -> JSONValue

  /// Before the account that is shown is signed out or another one is shown, while its credentials
  /// still work (G58); one that is not shown leaves without it (grain-product §3). Cancelled after
  /// ``limit``; what it did not get done is its own loss.
  package var willDeactivate: @Sendable (_ account: AccountID, _ call: Procedure?) async -> Void
  /// After another account, or none, is shown.
  package var didActivate: @Sendable (_ account: AccountID?) async -> Void
  /// How long ``willDeactivate`` may hold a switch or a sign-out up.
  package var limit: Duration

  /// Made of its parts; what is left out does nothing.
  package init(
    limit: Duration = .seconds(4),
    willDeactivate: @escaping @Sendable (AccountID, Procedure?) async -> Void = { _, _ in
    },
    didActivate: @escaping @Sendable (AccountID?) async -> Void = { _ in }
  ) {
    self.limit = limit
    self.willDeactivate = willDeactivate
    self.didActivate = didActivate
  }
}

extension AccountService {
  /// Lets the hook of an account that is about to go do its work, in bounded time. An account without
  /// credentials has nothing to say any more.
  func beforeLeaving(_ account: AccountID) async {
    guard record(account)?.hasCredentials == true else { return }
    let call = await sources[account].procedure(account)
    let (hooks, clock) = (hooks, environment.clock)
    let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    // Unstructured: a hook that does not heed its cancellation must not hold anybody up either.
    let work = Task {
      await hooks.willDeactivate(account, call)
      end.yield()
    }
    let timer = Task {
      do {
        try await clock.sleep(hooks.limit)
      } catch {
        // Cancelled because the hook was quicker.
      }
      end.yield()
    }
    for await _ in ends { break }
    work.cancel()
    timer.cancel()
  }
}

package import GrainServices
import SystemClients

/// The accounts of a test: a list in memory, changed by the test or by what the models ask for.
package final class ScriptedAccounts: Sendable {
  private struct State: Sendable {
    /// What the accounts are now.
    package var now: AccountsState
    var stored: AccountsState
    var watchers: [AsyncStream<AccountsState>.Continuation] = []
    var failure: AccountError?
    var opened: AccountsState?
    var attempts = 0
    var discarded: [AccountID] = []
  }

  private let state: Locked<State>
  /// What asks the server passes here.
  package let gate = Turnstile()
  /// What is left to do once an account is gone, such as its revocation, passes here.
  package let leaving = Turnstile()

  /// Accounts that nobody has read yet.
  ///
  /// - Parameter stored: what `restore` finds.
  package init(stored: AccountsState) {
    state = Locked(State(now: AccountsState(), stored: stored))
  }

  /// What the accounts are now.
  package var now: AccountsState { state.withLock(\.now) }

  /// What the accounts are once somebody tries to open them; without it they stay closed.
  package func open(as opened: AccountsState) { state.withLock { $0.opened = opened } }

  /// How often somebody has tried to open them.
  package var attempts: Int { state.withLock(\.attempts) }

  /// The accounts that were signed out with their drafts.
  package var discarded: [AccountID] { state.withLock(\.discarded) }

  /// Makes the next switch, sign-out or deletion fail.
  package func failNext(_ error: AccountError) { state.withLock { $0.failure = error } }

  /// Changes the accounts, as somebody else in the core would.
  package func change(_ edit: @Sendable (inout AccountsState) -> Void) {
    let (now, watchers) = state.withLock { state in
      edit(&state.now)
      return (state.now, state.watchers)
    }
    for watcher in watchers { watcher.yield(now) }
  }

  /// The accounts, as the models ask for them.
  package var door: AccountsDoor {
    AccountsDoor(
      states: {
        let (stream, feed) = AsyncStream.makeStream(
          of: AccountsState.self, bufferingPolicy: .bufferingNewest(1))
        self.state.withLock { state in
          state.watchers.append(feed)
          feed.yield(state.now)
        }
        return stream
      },
      restore: {
        let stored = self.state.withLock(\.stored)
        self.change { $0 = stored }
      },
      activate: { account async throws(AccountError) in
        try await self.ask()
        self.change {
          $0.active = account
          $0.session = .signedIn(account)
        }
      },
      signOut: { account, discard async throws(AccountError) in
        try await self.ask()
        if discard { self.state.withLock { $0.discarded.append(account) } }
        self.remove(account)
        await self.leaving.pass()
      },
      move: { account, before async throws(AccountError) in
        self.change { state in
          guard let from = state.accounts.firstIndex(where: { $0.id == account }) else { return }
          let account = state.accounts.remove(at: from)
          let place = before.flatMap { other in
            state.accounts.firstIndex { $0.id == other }
          }
          state.accounts.insert(account, at: place ?? state.accounts.endIndex)
        }
      },
      delete: { account async throws(AccountError) in
        try await self.ask()
        self.remove(account)
        await self.leaving.pass()
      },
      unlock: {
        await self.gate.pass()
        let opened = self.state.withLock { state in
          state.attempts += 1
          return state.opened
        }
        if let opened { self.change { $0 = opened } }
        return self.now.fault
      })
  }

  private func remove(_ account: AccountID) {
    change { state in
      state.accounts.removeAll { $0.id == account }
      guard state.active == account else { return }
      state.active = state.accounts.first?.id
      state.session = state.active.map { .signedIn($0) } ?? .signedOut(nil)
    }
  }

  private func ask() async throws(AccountError) {
    await gate.pass()
    let failure = state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
    if let failure { throw failure }
  }
}

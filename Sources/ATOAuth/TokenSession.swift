import Foundation
import OAuth
package import OpenSSLCrypto
package import SystemClients

/// The one owner of one account's tokens: hands them out and refreshes them.
///
/// - Callers that need a refresh at the same time share one request (G56, FB-A5).
/// - A refresh runs in a task of its own, which no caller's cancellation reaches (G112).
/// - New tokens are stored before anybody gets them.
/// - A transient failure keeps the grant; the next attempt waits a growing pause first, so that calls
///   in a row do not hammer a server in trouble (FB-A4, FB-A6).
/// - Before a refusal ends the grant, the store is read again: another process may have rotated.
package actor TokenSession {
  private var held: Grant
  private let client: GrantClient
  private let store: GrantStore
  private let clock: SystemClock
  private let lead: Duration
  private var writing: Task<Result<Grant, SessionFailure>, Never>?
  private var ending: SessionFailure?
  private var isUnsaved = false
  private var pause = RefreshPause()
  /// Counts the tokens this session has had; names the current one without showing it.
  package private(set) var generation = 0

  /// A session over a stored grant.
  ///
  /// - `lead`: how long before its end an access token is refreshed; up to half as much again is
  ///   added, so that a crowd of clients does not come at once.
  package init(
    grant: Grant, client: GrantClient, store: GrantStore, clock: SystemClock, random: SystemRandom,
    lead: Duration = .seconds(60)
  ) {
    held = grant
    self.client = client
    self.store = store
    self.clock = clock
    self.lead = lead * (1 + random.unit() / 2)
  }

  /// The grant as it is, without any refresh: for revocation, and to show.
  package var grant: Grant { held }

  /// Whether the server has ended the grant.
  package var hasEnded: Bool { ending != nil }

  /// The grant with a token good for a call: refreshed first when it has ended or is about to.
  ///
  /// A refresh ahead of time that fails for a passing reason lets a token that is still good through.
  package func usableGrant() async throws(SessionFailure) -> Grant {
    if let ending { throw ending }
    if isUnsaved { _ = try await stored() }
    guard held.tokens.expires(within: lead, of: clock.now()) else { return held }
    do {
      return try await refreshed()
    } catch {
      if case .transient = error, !held.tokens.expires(within: .zero, of: clock.now()) {
        return held
      }
      throw error
    }
  }

  /// A grant with another access token than this one, which a server refused: the current one if it has
  /// changed since, else a refreshed one.
  package func grant(insteadOf accessToken: Secret) async throws(SessionFailure) -> Grant {
    if let ending { throw ending }
    if isUnsaved { _ = try await stored() }
    guard held.tokens.accessToken == accessToken else { return held }
    return try await refreshed()
  }

  /// Takes over a home server that was found for the account (G101), and stores it.
  package func move(to grant: Grant) async throws(SessionFailure) {
    // Only what moved is taken from the argument: the tokens may have been refreshed since.
    while let writing { _ = await writing.value }
    held = held.with(pds: grant.pds, handle: grant.handle)
    isUnsaved = true
    _ = try await stored()
  }

  // MARK: One refresh at a time

  private func refreshed() async throws(SessionFailure) -> Grant {
    try await joined { await $0.refresh() }
  }

  private func stored() async throws(SessionFailure) -> Grant {
    try await joined { await $0.save() }
  }

  /// Runs one piece of work that ends with the stored grant, or waits for the one under way.
  private func joined(
    _ work: @escaping @Sendable (isolated TokenSession) async -> Result<Grant, SessionFailure>
  ) async throws(SessionFailure) -> Grant {
    if let ending { throw ending }
    if let writing { return try await writing.value.get() }
    let task = Task { [self] in
      let result = await work(self)
      writing = nil
      return result
    }
    // Set before the first await: a second caller must find it.
    writing = task
    return try await task.value.get()
  }

  private func refresh() async -> Result<Grant, SessionFailure> {
    if let wait = pause.wait(at: clock.now()) {
      if let retryAfter = wait.refusedFor {
        return .failure(.transient(pause.lastReason, retryAfter: retryAfter))
      }
      do {
        try await clock.sleep(wait.duration)
      } catch {
        // Nobody cancels this task; a clock that refuses to sleep only makes the attempt early.
      }
    }
    do {
      let tokens = try await client.refresh(held)
      pause = RefreshPause()
      adopt(held.with(tokens: tokens))
      return await save()
    } catch {
      switch error {
      case .transient(let reason, let retryAfter):
        pause.failed(reason, retryAfter: retryAfter, at: clock.now())
        return .failure(.transient(reason, retryAfter: retryAfter))
      case .ended(let code, let description):
        return await end(.ended(error: code, description: description))
      }
    }
  }

  private func adopt(_ grant: Grant) {
    held = grant
    generation += 1
    isUnsaved = true
  }

  private func save() async -> Result<Grant, SessionFailure> {
    do {
      try await store.save(held)
      isUnsaved = false
      return .success(held)
    } catch {
      return .failure(.store(error))
    }
  }

  private func end(_ failure: SessionFailure) async -> Result<Grant, SessionFailure> {
    let stored: Grant?
    do {
      stored = try await store.load()
    } catch {
      return .failure(.store(error))
    }
    if let stored, stored.tokens.refreshToken != held.tokens.refreshToken {
      held = stored
      generation += 1
      return .success(stored)
    }
    ending = failure
    return .failure(failure)
  }
}

package import ATOAuth
package import ATSyntax
package import ATXRPC
package import Foundation
import HTTPTransport
package import OAuth
import OpenSSLCrypto
import SystemClients

/// The one owner of an account's tokens: signs its requests and refreshes them, once for everybody.
///
/// A refresh that was sent is never cancelled, its result is on disk before anybody uses it, and
/// callers that come meanwhile join it (G56, A27, FB-A5). An account keeps its owner through a new
/// sign-in, so clients made earlier go on with the new tokens and two owners never spend one token.
package actor TokenSession {
  /// What the account list must know of a refresh.
  package enum Event: Equatable, Sendable {
    case refreshBegan
    case refreshEnded
    /// The server ended the grant; the credentials are gone.
    case ended(GrantEnd)
  }

  /// The account.
  package let did: DID
  private var grant: Grant
  /// The grant the store is known to hold: ``grant``, but for tokens that could not be saved yet.
  private var onDisk: Grant
  /// Counts the grants this session has had; names the current one without showing it.
  private var generation = 0
  private var refreshing: Task<Result<Void, XRPCError>, Never>?
  private var pause = RefreshPause()
  private var isOver: XRPCError?
  /// The look for a new home server that is under way, and when the last one began.
  var locating: Task<Bool, Never>?
  var lastLook: Date?
  /// Whether the store has the newest tokens; they are not used before it has.
  private var isSaved = true
  /// What the store said when it last failed: the reason behind a `storeFailed`.
  package private(set) var storeFault: StoreFault?

  private let grants: GrantClient
  private let store: AccountStore
  let environment: DPoPEnvironment
  private let lead: RefreshLead
  /// How long before its end the current token is refreshed.
  private var currentLead: Duration
  private let onEvent: @Sendable (Event) async -> Void

  /// How long before their end tokens are refreshed: so long, and up to `jitter` longer, drawn for each
  /// token so that many clients do not come back at one moment (wire §8.6).
  package struct RefreshLead: Sendable {
    let atLeast: Duration
    let jitter: Duration

    /// A lead of at least this, and by chance up to `jitter` more.
    package init(atLeast: Duration, jitter: Duration = .zero) {
      self.atLeast = atLeast
      self.jitter = jitter
    }

    func drawn(from random: SystemRandom) -> Duration { atLeast + jitter * random.unit() }

    /// Of a token that was just issued: never more than half its life, or each call would refresh.
    func drawn(for tokens: TokenSet, at now: Date, from random: SystemRandom) -> Duration {
      let life = tokens.expiresAt.map { Duration.seconds($0.timeIntervalSince(now)) }
      return min(drawn(from: random), life.map { $0 / 2 } ?? atLeast)
    }
  }

  /// An owner of a grant as the store holds it; `onEvent` is awaited before callers go on.
  package init(
    grant: Grant, grants: GrantClient, store: AccountStore, environment: DPoPEnvironment,
    lead: RefreshLead, onEvent: @escaping @Sendable (Event) async -> Void
  ) {
    self.grant = grant
    onDisk = grant
    did = grant.did
    self.grants = grants
    self.store = store
    self.environment = environment
    self.lead = lead
    currentLead = lead.drawn(from: environment.random)
    self.onEvent = onEvent
  }

  /// Where the account's calls go.
  package var pds: URL { grant.pds }

  /// Who refreshes its tokens, for the person.
  package var authorizationHost: String {
    grant.tokenEndpoint.host() ?? grant.tokenEndpoint.absoluteString
  }

  /// The account's scope as the server granted it.
  package var scope: String { grant.scope }

  /// The grant as it stands, for a revocation.
  package var current: Grant { grant }

  /// Why nothing is signed any more, once nothing is.
  var over: XRPCError? { isOver }

  /// How the account's calls are signed.
  package nonisolated var authorization: XRPCAuthorization {
    let environment = environment
    return XRPCAuthorization(
      sign: { request async throws(XRPCError) in try await self.sign(request) },
      learn: { response, url in environment.nonces.learn(from: response, url: url) },
      correctClock: { response, url in environment.clocks.correct(from: response, url: url) },
      currentToken: { await self.tag },
      refresh: { tag async throws(XRPCError) in try await self.refresh(replacing: tag) })
  }

  /// Refreshes now if the token is about to end; used before a switch (G57).
  ///
  /// - Throws: only when the grant is over; a passing fault leaves the old token in use.
  package func freshen() async throws(XRPCError) {
    do {
      try await freshenAhead()
    } catch {
      if case .sessionEnded = error { throw error }
    }
  }

  /// Goes on with the grant of a new sign-in, which is in the store already. A refresh of the old
  /// one that is still under way changes nothing any more.
  package func take(_ stored: Grant) {
    grant = stored
    onDisk = stored
    generation += 1
    currentLead = lead.drawn(from: environment.random)
    pause = RefreshPause()
    isOver = nil
    isSaved = true
  }

  /// Signs nothing from now on: the account is being signed out.
  ///
  /// - Returns: the newest grant, for its revocation.
  package func retire() -> Grant {
    generation += 1
    isSaved = true
    isOver = .sessionEnded(error: "signed_out", description: nil)
    return grant
  }

  // MARK: Signing

  private var tag: XRPCAuthorization.TokenTag { .init("\(generation)") }

  private func sign(_ request: HTTPRequest) async throws(XRPCError) -> XRPCAuthorization.Signed {
    do {
      try await freshenAhead()
    } catch {
      // Ahead of its time a failed refresh costs nothing; at its end there is nothing to sign with.
      if isOver == nil, isExpired { throw error }
    }
    try await save()
    guard Origin(request.url) == Origin(grant.pds) else {
      throw .transport(.addressRefused(request.url.host() ?? ""))
    }
    var signed = request
    let nonce: String?
    do throws(CryptoError) {
      nonce = try environment.sign(
        &signed, prover: DPoPProver(key: grant.dpopKey), accessToken: grant.tokens.accessToken)
    } catch {
      throw .storeFailed("the proof key does not sign")
    }
    return XRPCAuthorization.Signed(request: signed, token: tag, nonce: nonce)
  }

  /// No request goes out with a token known to be over (FB-A32).
  private var isExpired: Bool {
    grant.tokens.expires(within: .zero, of: environment.clock.now())
  }

  /// Refreshes a token that is over, or about to be. What only might be needed soon is not worth a
  /// rest after a failed attempt.
  private func freshenAhead() async throws(XRPCError) {
    if let isOver { throw isOver }
    let now = environment.clock.now()
    guard grant.tokens.expires(within: currentLead, of: now) else { return }
    if isExpired || pause.step(at: now) == .attempt { try await refresh(replacing: tag) }
  }

  // MARK: Refreshing

  private func refresh(replacing used: XRPCAuthorization.TokenTag) async throws(XRPCError) {
    if let isOver { throw isOver }
    guard used == tag else { return }
    if let refreshing { return try await refreshing.value.get() }
    // An unstructured task: a caller that gives up must not end a refresh that was sent (G112).
    let task = Task { await self.performRefresh() }
    refreshing = task
    try await task.value.get()
  }

  private func performRefresh() async -> Result<Void, XRPCError> {
    if let resting = await rest() {
      refreshing = nil
      return .failure(resting)
    }
    await onEvent(.refreshBegan)
    let result = await renew()
    refreshing = nil
    if case .failure(.sessionEnded) = result {
      await onEvent(.ended(.refused))
    } else {
      await onEvent(.refreshEnded)
    }
    return result
  }

  /// Lets a server in trouble rest after failed attempts (FB-A4, FB-A6).
  ///
  /// - Returns: why there is no attempt now, when the server asked for more time than we wait.
  private func rest() async -> XRPCError? {
    switch pause.step(at: environment.clock.now()) {
    case .attempt: return nil
    case .fail(let reason, let left): return unavailable(reason, retryAfter: left)
    case .sleep(let duration):
      // Nobody cancels this task; a clock that fails all the same only shortens the rest.
      try? await environment.clock.sleep(duration)
      return nil
    }
  }

  private func renew() async -> Result<Void, XRPCError> {
    let asked = grant
    let asking = generation
    do throws(RefreshFailure) {
      let tokens = try await grants.refresh(asked)
      guard asking == generation else { return settled() }
      pause = RefreshPause()
      return await keep(asked.with(tokens: tokens))
    } catch {
      guard asking == generation else { return settled() }
      switch error {
      case .transient(let reason, let retryAfter):
        pause.failed(
          reason, retryAfter: retryAfter, chance: environment.random.unit(),
          at: environment.clock.now())
        return .failure(unavailable(reason, retryAfter: retryAfter))
      case .ended(let code, let description):
        return await end(code, description)
      }
    }
  }

  /// The outcome of a refresh that a new sign-in or a sign-out has overtaken.
  private func settled() -> Result<Void, XRPCError> {
    if let isOver { .failure(isOver) } else { .success(()) }
  }

  /// On disk before anybody uses them (FB-A5). What a failing store does not take stays in memory:
  /// the server has rotated, and to lose these tokens would be to lose the session (FB-E1).
  private func keep(_ renewed: Grant) async -> Result<Void, XRPCError> {
    grant = renewed
    generation += 1
    currentLead = lead.drawn(
      for: renewed.tokens, at: environment.clock.now(), from: environment.random)
    isSaved = false
    do throws(XRPCError) {
      try await save()
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Returns once the grant that would be used next is in the store.
  private func save() async throws(XRPCError) {
    while !isSaved {
      let saving = generation
      let unsaved = grant
      let change: AccountStore.Change
      do throws(StoreFault) {
        change = try await store.replace(unsaved, after: onDisk)
      } catch {
        if saving != generation { continue }
        storeFault = error
        throw .storeFailed("new tokens could not be stored")
      }
      // A new sign-in or another refresh may have come in between: theirs is what counts then.
      if saving != generation { continue }
      isSaved = true
      switch change {
      case .done: onDisk = unsaved
      case .superseded(let stored): take(stored)
      case .gone: isOver = .sessionEnded(error: "signed_out", description: nil)
      }
    }
    if let isOver { throw isOver }
  }

  /// Before a refusal is believed, the store is read again: another owner may have rotated.
  private func end(_ code: String, _ description: String?) async -> Result<Void, XRPCError> {
    let ending = generation
    let change: AccountStore.Change
    do throws(StoreFault) {
      change = try await store.end(onDisk, .refused)
    } catch {
      storeFault = error
      return .failure(.storeFailed("the account could not be read"))
    }
    guard ending == generation else { return settled() }
    if case .superseded(let stored) = change {
      take(stored)
      return .success(())
    }
    let over = XRPCError.sessionEnded(error: code, description: description)
    isOver = over
    return .failure(over)
  }

  // MARK: Moving

  /// Returns when no refresh is under way and the newest tokens are on disk, if the store takes them.
  func settle() async {
    await refreshEnded()
    do throws(XRPCError) {
      try await save()
    } catch {
      // A store that is still out of reach: nothing more can be done for these tokens.
    }
  }

  /// Returns when no refresh is under way; whoever goes on without another `await` meets none.
  func refreshEnded() async {
    while let refreshing { _ = await refreshing.value }
  }

  /// Goes on at another home server of the same issuer, which is on disk before anybody calls there.
  func move(to pds: URL, handle: Handle?) async {
    // A store that does not take it keeps it in memory: it is saved before the next request.
    _ = await keep(grant.with(pds: pds, handle: handle))
  }

  /// The account signs in elsewhere now: its tokens are dropped (G101), and queued for revocation at the
  /// server that issued them and that takes them still.
  func endMoved() async {
    let ending = generation
    let queued = QueuedRevocation(
      of: grant, at: environment.clock.now(), random: environment.random)
    do throws(StoreFault) {
      let change = try await store.end(onDisk, .moved, revoking: queued)
      guard ending == generation else { return }
      if case .superseded(let stored) = change { return take(stored) }
    } catch {
      storeFault = error
      return
    }
    isOver = .sessionEnded(error: "moved", description: nil)
    await onEvent(.ended(.moved))
  }

  private func unavailable(
    _ reason: RefreshFailure.Reason, retryAfter: Duration?
  ) -> XRPCError {
    switch reason {
    case .network(let error):
      .sessionUnavailable(
        reason: "the authorization server cannot be reached", transport: error,
        retryAfter: retryAfter)
    case .server(let status, let error, _):
      .sessionUnavailable(
        reason: error ?? "status \(status)", transport: nil, retryAfter: retryAfter)
    case .badResponse(let part):
      .sessionUnavailable(reason: "unreadable \(part)", transport: nil, retryAfter: retryAfter)
    case .cryptography:
      .storeFailed("the proof key does not sign")
    }
  }
}

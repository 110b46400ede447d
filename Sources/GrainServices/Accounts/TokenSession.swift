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
/// callers that come meanwhile join it (G56, A27, FB-A5).
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
  /// Counts the tokens this session has had; names the current one without showing it.
  private var generation = 0
  private var refreshing: Task<Result<Void, XRPCError>, Never>?
  private var isOver: XRPCError?

  private let grants: GrantClient
  private let store: AccountStore
  private let environment: DPoPEnvironment
  private let lead: Duration
  private let onEvent: @Sendable (Event) async -> Void

  package init(
    grant: Grant, grants: GrantClient, store: AccountStore, environment: DPoPEnvironment,
    lead: Duration, onEvent: @escaping @Sendable (Event) async -> Void
  ) {
    self.grant = grant
    did = grant.did
    self.grants = grants
    self.store = store
    self.environment = environment
    self.lead = lead
    self.onEvent = onEvent
  }

  /// Where the account's calls go.
  package var pds: URL { grant.pds }

  /// The account's scope as the server granted it.
  package var scope: String { grant.scope }

  /// The grant as it stands, for a revocation.
  package var current: Grant { grant }

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
    guard grant.tokens.expires(within: lead, of: environment.clock.now()) else { return }
    do {
      try await refresh(replacing: tag)
    } catch {
      if case .sessionEnded = error { throw error }
    }
  }

  // MARK: Signing

  private var tag: XRPCAuthorization.TokenTag { .init("\(generation)") }

  private func sign(_ request: HTTPRequest) async throws(XRPCError) -> XRPCAuthorization.Signed {
    if let isOver { throw isOver }
    // No request goes out with a token known to be over (FB-A32).
    let now = environment.clock.now()
    if grant.tokens.expires(within: lead, of: now) {
      do {
        try await refresh(replacing: tag)
      } catch {
        // Ahead of its time a failed refresh costs nothing; at its end there is nothing to sign with.
        if grant.tokens.expires(within: .zero, of: environment.clock.now()) { throw error }
        if let isOver { throw isOver }
      }
    }
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

  private func renew() async -> Result<Void, XRPCError> {
    let asked = grant
    do throws(RefreshFailure) {
      let tokens = try await grants.refresh(asked)
      return await keep(asked.with(tokens: tokens))
    } catch {
      switch error {
      case .transient(let reason, let retryAfter):
        return .failure(unavailable(reason, retryAfter: retryAfter))
      case .ended(let code, let description):
        return await end(code, description, asked: asked)
      }
    }
  }

  /// On disk before anybody uses them (FB-A5). A store that fails keeps them in memory and says so.
  private func keep(_ renewed: Grant) async -> Result<Void, XRPCError> {
    do throws(StoreFault) {
      guard try await store.replace(renewed) else {
        let over = XRPCError.sessionEnded(error: "signed_out", description: nil)
        isOver = over
        return .failure(over)
      }
      grant = renewed
      generation += 1
      return .success(())
    } catch {
      // The server has rotated: losing these tokens would end the session (FB-E1).
      grant = renewed
      generation += 1
      return .failure(.storeFailed("new tokens could not be stored"))
    }
  }

  /// Before a refusal is believed, the store is read again: another owner may have rotated.
  private func end(
    _ code: String, _ description: String?, asked: Grant
  ) async -> Result<Void, XRPCError> {
    do throws(StoreFault) {
      if let stored = try await store.grant(did),
        stored.tokens.refreshToken != asked.tokens.refreshToken
      {
        grant = stored
        generation += 1
        return .success(())
      }
      try await store.end(did, .refused)
    } catch {
      return .failure(.storeFailed("the account could not be read"))
    }
    let over = XRPCError.sessionEnded(error: code, description: description)
    isOver = over
    return .failure(over)
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

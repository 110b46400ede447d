package import ATOAuth
package import ATSyntax
import ATXRPC
import Foundation
import GrainLexicon
import HTTPTransport
import OAuth
package import OpenSSLCrypto
import StrictJSON
import SystemClients

/// Grain accounts: one owner of tokens per account, and calls at the account's own home server.
package actor GrainSource: AccountSource {
  let store: AccountStore
  private let http: HTTPClient
  let upkeep: AccountUpkeep?
  /// What goes on without anybody waiting.
  let background = BackgroundWork()
  let grants: GrantClient
  let environment: DPoPEnvironment
  private let configuration: CoreConfiguration
  let log: Log
  private let link: AccountListLink
  private var sessions: [DID: TokenSession] = [:]

  init(
    store: AccountStore, http: HTTPClient, environment: DPoPEnvironment,
    configuration: CoreConfiguration, log: Log, upkeep: AccountUpkeep?, link: AccountListLink
  ) {
    self.store = store
    self.http = http
    self.environment = environment
    self.configuration = configuration
    self.log = log
    self.upkeep = upkeep
    self.link = link
    grants = GrantClient(
      http: http, environment: environment,
      revocationDeadline: .milliseconds(configuration.times.revocationMs))
  }

  /// No session of a public client lives longer (G111).
  package nonisolated var credentialsLast: Duration? { .seconds(14 * 86_400) }

  nonisolated var list: (any AccountList)? { link.list }

  // MARK: Sign-in

  /// A sign-in's outcome, compared with what the app wants to do.
  package nonisolated func signedIn(_ grant: Grant) -> SignedInAccount {
    SignedInAccount(
      id: grant.did.account, handle: grant.handle?.rawValue,
      missingScopes: missingScopes(grant.scope), credentials: grant.sealable())
  }

  nonisolated func missingScopes(_ scope: String) -> [String] {
    ScopeSet(scope).missing(from: configuration.appView?.scopeItems ?? [])
  }

  /// Drops grants that the app's permissions have outgrown, at the first launch after that (G61–G66).
  func migrate() async throws(StoreFault) -> AccountStore.ScopeMigration {
    try await store.migrateScope(
      requiring: configuration.appView?.scopeItems ?? [], revoking: queued)
  }

  /// The owner of the account goes on with the new grant.
  package func take(_ account: SignedInAccount) async {
    guard let grant = Self.grant(account) else { return }
    await sessions[grant.did]?.take(grant)
  }

  /// Refreshes tokens that are about to end.
  package func freshen(_ account: AccountID) async throws(AccountError) {
    guard let did = account.did else { throw .unknown }
    let session = try await owner(did)
    do throws(XRPCError) {
      try await session.freshen()
    } catch {
      throw .sessionExpired
    }
  }

  static func grant(_ account: SignedInAccount) -> Grant? {
    do throws(DamagedRecord) {
      return try Grant(unsealed: account.credentials)
    } catch {
      return nil
    }
  }

  // MARK: Calls

  /// A client bound to one account, whoever is active meanwhile.
  ///
  /// - Throws: `sessionExpired` when the account has no credentials any more.
  package func client(_ did: DID) async throws(CallFault) -> RepositoryClient {
    .live(try await caller(did))
  }

  /// Calls procedures through the account's own server.
  package func procedure(_ account: AccountID) async -> AccountHooks.Procedure? {
    guard let did = account.did else { return nil }
    let caller: AccountCaller
    do throws(CallFault) {
      caller = try await self.caller(did)
    } catch {
      return nil
    }
    return { method, input async throws(CallFault) in
      try await caller.perform(isRepeatable: false) { client async throws(XRPCError) in
        try await client.procedure(method, .object(input))
      }
    }
  }

  /// What the client of an account calls with.
  func caller(_ did: DID) async throws(CallFault) -> AccountCaller {
    do throws(AccountError) {
      let session = try await owner(did)
      return AccountCaller(
        session: session, http: http, configuration: configuration,
        requireActive: { [weak self] () async throws(CallFault) in
          try await self?.requireActive(did)
        },
        foundInactive: { [weak self] error in
          await self?.note(ServerSession.word(forError: error), of: did)
        },
        relocate: { [upkeep] base in
          guard let upkeep else { return false }
          return await session.relocate(from: base, upkeep.locate)
        })
    } catch {
      switch error {
      case .unknown, .sessionExpired, .deletion: throw .sessionExpired(did)
      case .store(let fault): throw .store(fault)
      }
    }
  }

  // MARK: Tokens

  private func owner(_ did: DID) async throws(AccountError) -> TokenSession {
    if let session = sessions[did] { return session }
    let grant: Grant?
    do throws(StoreFault) {
      grant = try await store.grant(did)
    } catch {
      throw .store(error)
    }
    guard let grant else { throw .sessionExpired }
    // Somebody may have made it while the store was read: one owner, always (G56).
    if let session = sessions[did] { return session }
    let session = session(grant)
    sessions[did] = session
    return session
  }

  private func session(_ grant: Grant) -> TokenSession {
    TokenSession(
      grant: grant, grants: grants, store: store, environment: environment,
      lead: TokenSession.RefreshLead(
        atLeast: .milliseconds(configuration.times.refreshLeadMs),
        jitter: .milliseconds(configuration.times.refreshJitterMs))
    ) { [weak self] event in
      await self?.take(event, of: grant.did)
    }
  }

  private func take(_ event: TokenSession.Event, of did: DID) async {
    switch event {
    case .refreshBegan: await list?.refreshBegan(did.account)
    case .refreshEnded:
      await recheckScope(did)
      await list?.refreshEnded(did.account)
    case .ended(let reason): await list?.ended(did.account, reason)
    }
  }

  /// A refresh may grant more or less than before (wire §8.4).
  private func recheckScope(_ did: DID) async {
    guard let scope = await sessions[did]?.scope else { return }
    let missing = missingScopes(scope)
    guard let known = await list?.record(did.account), known.hasCredentials,
      known.missingScopes != missing
    else { return }
    await list?.edit(did.account) { $0.missingScopes = missing }
  }

  // MARK: Leaving

  /// The revocation of the grant that is held now.
  package func superseded(by account: SignedInAccount) async -> QueuedRevocation? {
    guard let did = account.id.did else { return nil }
    if let session = sessions[did] { return queued(await session.current) }
    return await storedGrant(did).flatMap(queued)
  }

  /// The revocation of the newest grant; its owner signs nothing any more.
  package func retire(_ account: AccountID) async -> QueuedRevocation? {
    guard let did = account.did else { return nil }
    guard let session = sessions.removeValue(forKey: did) else {
      return await storedGrant(did).flatMap(queued)
    }
    return queued(await session.retire())
  }

  private func storedGrant(_ did: DID) async -> Grant? {
    do throws(StoreFault) {
      return try await store.grant(did)
    } catch {
      // A grant that cannot be opened cannot be revoked; it can still be replaced or removed.
      return nil
    }
  }

  private nonisolated func queued(_ grant: Grant) -> QueuedRevocation? {
    QueuedRevocation(of: grant, at: environment.clock.now(), random: environment.random)
  }

  /// Revokes a grant that the store does not take.
  package func discard(_ account: SignedInAccount) async {
    guard let grant = Self.grant(account), let revocation = Revocation(of: grant) else { return }
    if await grants.revoke(revocation) != nil {
      log.write(.warn, "accounts", "revocation did not go through")
    }
  }

  /// Asks the grant's own server once.
  package func revoke(_ revocation: Secret) async -> RevocationOutcome {
    let asked: Revocation
    do throws(DamagedRecord) {
      asked = try Revocation(unsealed: revocation)
    } catch {
      return .unreadable
    }
    guard let error = await grants.revoke(asked) else { return .done }
    switch error {
    case .transport(.offline), .transport(.cancelled): return .unsent
    default: break
    }
    // The line a refresh draws as well: a refusal of the token means that the session is over.
    if case .ended = RefreshFailure(error) { return .done }
    return .refused
  }

  /// Returns when nothing goes on in the background.
  package func upkeepEnded() async { await background.ended() }

  /// Waits for refreshes that were sent.
  package func settle() async {
    await background.cancel()
    // A refresh that was sent is never left alone: its answer is the only copy of the next token (G112),
    // and what the store would not take before gets one more try (FB-E1).
    for session in sessions.values { await session.settle() }
  }
}

package import ATOAuth
package import ATSyntax
import ATXRPC
import Foundation
import GrainLexicon
package import HTTPTransport
package import OAuth
package import SystemClients

/// Everybody who is signed in: the list, the session, one owner of tokens per account.
///
/// One account's failure never touches another; what is shown changes only after it is on disk, and
/// is always what one transaction left there.
package actor AccountService {
  let store: AccountStore
  private let drafts: DraftStore
  private let http: HTTPClient
  let upkeep: AccountUpkeep?
  /// What goes on without anybody waiting.
  let background = BackgroundWork()
  let grants: GrantClient
  let revocations: RevocationQueue
  let environment: DPoPEnvironment
  private let configuration: CoreConfiguration
  let log: Log
  let hooks: AccountHooks

  private var machine = SessionMachine()
  private(set) var records: [AccountRecord] = []
  private var active: AccountID?
  private var fault: StoreFault?
  var sessions: [DID: TokenSession] = [:]
  /// When the owner of an account signed in to confirm its deletion (A45).
  var confirmations: [DID: Date] = [:]
  /// The deletions under way.
  var deletions: [DID: Task<Result<Void, AccountError>, Never>] = [:]
  /// Those of them that their owner has stopped by signing in.
  var stoppedDeletions: Set<DID> = []
  /// Changes to the list come one at a time, so that what is shown last is what was stored last.
  let changes = TurnQueue()
  private var watchers: [Int: AsyncStream<AccountsState>.Continuation] = [:]
  private var nextWatcher = 0

  /// A service that shows nothing until ``restore()``.
  package init(
    store: AccountStore, drafts: DraftStore, http: HTTPClient, environment: DPoPEnvironment,
    configuration: CoreConfiguration, log: Log, upkeep: AccountUpkeep? = nil,
    hooks: AccountHooks = AccountHooks()
  ) {
    self.store = store
    self.drafts = drafts
    self.http = http
    self.environment = environment
    self.configuration = configuration
    self.log = log
    self.upkeep = upkeep
    self.hooks = hooks
    grants = GrantClient(
      http: http, environment: environment,
      revocationDeadline: .milliseconds(configuration.times.revocationMs))
    revocations = RevocationQueue(
      store: store, grants: grants, clock: environment.clock, log: log)
  }

  /// Stops what goes on in the background; everything that must last is on disk.
  package func stop() async {
    for deletion in deletions.values { deletion.cancel() }
    for deletion in deletions.values { _ = await deletion.value }
    await background.cancel()
    await revocations.stop()
    // A refresh that was sent is never left alone: its answer is the only copy of the next token (G112),
    // and what the store would not take before gets one more try (FB-E1).
    for session in sessions.values { await session.settle() }
  }

  // MARK: What is shown

  /// The state now and after every change; a slow watcher sees only the newest.
  package func states() -> AsyncStream<AccountsState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AccountsState.self, bufferingPolicy: .bufferingNewest(1))
    nextWatcher += 1
    let key = nextWatcher
    watchers[key] = continuation
    continuation.yield(state)
    return stream
  }

  private var state: AccountsState {
    AccountsState(session: machine.state, accounts: records, active: active, fault: fault)
  }

  func publish() {
    let now = state
    for (key, watcher) in watchers {
      if case .terminated = watcher.yield(now) { watchers[key] = nil }
    }
  }

  func show(_ stored: AccountStore.Stored) {
    records = stored.accounts
    active = stored.active
  }

  func record(_ account: AccountID) -> AccountRecord? { records.first { $0.id == account } }

  // MARK: Launch

  /// Reads the store; needs no network. A store that cannot be read stays `restoring`, never
  /// signed out, and may be read again later; one that was read is not.
  package func restore() async {
    await changes.run {
      guard machine.state == .restoring else { return }
      do throws(StoreFault) {
        // Who is known is shown even while the key is out of reach, but nobody is active.
        records = try await store.load().accounts
        if let fault = store.sealers.fault { throw fault }
        let damaged = try await store.damagedRows()
        if damaged > 0 {
          log.write(
            .error, "accounts", "accounts are damaged; see doctor", ["count": "\(damaged)"])
        }
        let required = configuration.appView?.scopeItems ?? []
        switch try await store.migrateScope(requiring: required, revoking: queued) {
        case .dropped(let left, everybody: true):
          show(left)
          machine.apply(.migrationRemovedLast)
        case .settled(let left), .dropped(let left, everybody: false):
          show(left)
          machine.apply(.restored(active))
        }
        if let active { lookAfter(active, .shown) }
        fault = nil
      } catch {
        fault = error
        machine.apply(.storeUnavailable)
      }
      publish()
    }
    guard fault == nil else { return }
    continueDeletions()
    await revocations.drainLater()
  }

  // MARK: Sign-in

  /// A sign-in began; the active account stays usable.
  package func signInBegan() {
    machine.apply(.signInBegan)
    publish()
  }

  /// A sign-in ended without a new account.
  package func signInEnded() {
    machine.apply(.signInEnded)
    publish()
  }

  /// Stores a new grant, then shows it; an older grant of the same account is queued for revocation
  /// in the same transaction, which nobody waits for (G103, FB-A26).
  ///
  /// - Parameters:
  ///   - grant: the account's, from a sign-in.
  ///   - purpose: what the sign-in was for; one that confirms a deletion leaves the active account
  ///     active.
  /// - Throws: when it cannot be stored; then its tokens are revoked and nothing has changed.
  package func adopt(
    _ grant: Grant, _ purpose: SignInPurpose = .use
  ) async throws(StoreFault) {
    if purpose == .use { await stopDeletion(of: grant.did) }
    let missing = missingScopes(grant.scope)
    do throws(StoreFault) {
      try await changes.run { () async throws(StoreFault) in
        let older = await heldGrant(grant.did).flatMap(queued)
        show(
          try await store.adopt(
            grant, missingScopes: missing, revoking: older, activating: purpose == .use))
        await sessions[grant.did]?.take(grant)
        let account = grant.did.account
        machine.apply(active == account ? .signInSucceeded(account) : .signInEnded)
        publish()
      }
    } catch {
      await revoke(grant)
      throw error
    }
    await revocations.drainLater()
    switch purpose {
    case .use: lookAfter(grant.did.account, .signedIn(isNamed: grant.handle != nil))
    case .deletion: confirmations[grant.did] = environment.clock.now()
    }
  }

  private func missingScopes(_ scope: String) -> [String] {
    ScopeSet(scope).missing(from: configuration.appView?.scopeItems ?? [])
  }

  // MARK: Accounts

  /// Makes another account active; the incoming one is refreshed first when it must be (G57).
  package func activate(_ account: AccountID) async throws(AccountError) {
    guard let record = record(account) else { throw .unknown }
    guard record.hasCredentials, let did = account.did else { throw .sessionExpired }
    let session = try await owner(did)
    do throws(XRPCError) {
      try await session.freshen()
    } catch {
      throw .sessionExpired
    }
    if let active, active != account { await beforeLeaving(active) }
    try await change { () async throws(StoreFault) in
      // Signed out, or ended by the server, while it was refreshed: the list has that already.
      guard let stored = try await store.activate(account) else { return }
      show(stored)
      machine.apply(.switched(to: account))
    }
    guard let record = self.record(account) else { throw .unknown }
    if !record.hasCredentials { throw .sessionExpired }
    await hooks.didActivate(account)
    lookAfter(account, .shown)
  }

  /// Lets the hook of the account that is shown do its work (G58), forgets the account and revokes its grant as far as it can in
  /// bounded time; what a server does not take stays queued (G59, G60, G103).
  ///
  /// - Throws: `store` when the account, or after it a draft to be discarded, could not be removed.
  package func signOut(_ account: AccountID, discardDrafts: Bool) async throws(AccountError) {
    guard record(account) != nil else { throw .unknown }
    try await forget(account)
    guard discardDrafts, let did = account.did else { return }
    do throws(StoreFault) {
      try await self.discardDrafts(of: did)
    } catch {
      throw .store(error)
    }
  }

  func forget(_ account: AccountID) async throws(AccountError) {
    let before = active
    if account == active { await beforeLeaving(account) }
    var queued: QueuedRevocation?
    if let did = account.did {
      queued = await retired(did).flatMap(self.queued)
      confirmations[did] = nil
    }
    let revocation = queued
    try await change { () async throws(StoreFault) in
      show(try await store.remove(account, revoking: revocation))
      machine.apply(.signedOut(account, next: active))
    }
    if active != before { await hooks.didActivate(active) }
    if let revocation { await revocations.attempt(revocation) }
  }

  func discardDrafts(of did: DID) async throws(StoreFault) {
    try await drafts.removeAll(of: did)
  }

  /// Moves an account in front of another, or to the end.
  package func move(_ account: AccountID, before other: AccountID?) async throws(AccountError) {
    guard record(account) != nil else { throw .unknown }
    if account == other { return }
    try await change { () async throws(StoreFault) in
      show(try await store.move(account, before: other))
    }
  }

  /// Runs one change of the list and tells everybody.
  func change(_ work: () async throws(StoreFault) -> Void) async throws(AccountError) {
    do throws(StoreFault) {
      try await changes.run { () async throws(StoreFault) in
        try await work()
        publish()
      }
    } catch {
      throw .store(error)
    }
  }

  /// A client bound to one account, whoever is active meanwhile.
  ///
  /// - Throws: `sessionExpired` when the account has no credentials any more.
  package func client(_ did: DID) async throws(CallFault) -> RepositoryClient {
    .live(try await caller(did))
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
    case .refreshBegan: machine.apply(.refreshBegan(did.account))
    case .refreshEnded:
      machine.apply(.refreshEnded(did.account))
      await recheckScope(did)
    case .ended(let reason): return await grantEnded(did.account, reason)
    }
    publish()
  }

  /// A refresh may grant more or less than before (wire §8.4).
  private func recheckScope(_ did: DID) async {
    guard let scope = await sessions[did]?.scope else { return }
    let missing = missingScopes(scope)
    guard let known = record(did.account), known.hasCredentials, known.missingScopes != missing
    else {
      return
    }
    await changes.run {
      do throws(StoreFault) {
        show(try await store.update(did.account) { $0.missingScopes = missing })
      } catch {
        // The next refresh compares again; calls ask the grant itself.
        log.write(.error, "accounts", "missing scope could not be noted")
      }
    }
  }

  private func grantEnded(_ account: AccountID, _ reason: GrantEnd) async {
    await changes.run {
      do throws(StoreFault) {
        show(try await store.current())
      } catch {
        // What is shown stays; calls for this account are refused by its session all the same.
        log.write(.error, "accounts", "account list could not be read")
      }
      // A new sign-in may have come first: the account goes on then.
      if record(account)?.hasCredentials == true {
        machine.apply(.refreshEnded(account))
      } else {
        log.write(.info, "accounts", "grant ended", ["reason": reason.rawValue])
        machine.apply(.grantEnded(account, reason))
        machine.apply(.successor(active))
      }
      publish()
    }
    if reason == .moved { await revocations.drainLater() }
  }
}

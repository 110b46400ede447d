import ATOAuth
import Foundation
package import HTTPTransport
package import OAuth
package import SystemClients

/// Everybody who is signed in: the list and the session, whoever the accounts are signed in with.
///
/// What credentials are, and how a provider is asked, its ``AccountSource`` knows. One account's
/// failure never touches another; what is shown changes only after it is on disk, and is always what
/// one transaction left there.
package actor AccountService {
  let store: AccountStore
  private let drafts: DraftStore
  /// One for each provider.
  package nonisolated let sources: AccountSources
  let revocations: RevocationQueue
  let environment: DPoPEnvironment
  let log: Log
  let hooks: AccountHooks

  private var machine = SessionMachine()
  private(set) var records: [AccountRecord] = []
  private(set) var active: AccountID?
  private var fault: StoreFault?
  /// When the owner of an account signed in to confirm its deletion (A45).
  var confirmations: [AccountID: Date] = [:]
  /// The deletions under way.
  var deletions: [AccountID: Task<Result<Void, AccountError>, Never>] = [:]
  /// Those of them that their owner has stopped by signing in.
  var stoppedDeletions: Set<AccountID> = []
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
    self.environment = environment
    self.log = log
    self.hooks = hooks
    sources = AccountSources(
      store: store, http: http, environment: environment, configuration: configuration, log: log,
      upkeep: upkeep)
    revocations = RevocationQueue(
      store: store, sources: sources, clock: environment.clock, log: log)
    sources.link.connect(self)
  }

  /// Stops what goes on in the background; everything that must last is on disk.
  package func stop() async {
    for deletion in deletions.values { deletion.cancel() }
    for deletion in deletions.values { _ = await deletion.value }
    await revocations.stop()
    for source in sources.all { await source.settle() }
  }

  /// Returns when nothing goes on in the background.
  package func upkeepEnded() async {
    for source in sources.all { await source.upkeepEnded() }
    await revocationsEnded()
  }

  /// Returns when no revocation is under way.
  package func revocationsEnded() async { await revocations.settled() }

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
        switch try await sources.grain.migrate() {
        case .dropped(let left, everybody: true):
          show(left)
          machine.apply(.migrationRemovedLast)
        case .settled(let left), .dropped(let left, everybody: false):
          show(left)
          machine.apply(.restored(active))
        }
        if let active { await sources[active].lookAfter(active, .shown) }
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

  /// Stores what a sign-in has brought, then shows it; older credentials of the same account are queued
  /// for revocation in the same transaction, which nobody waits for (G103, FB-A26).
  ///
  /// What has to be done with new credentials before anybody is told is done in between (P42), and so
  /// is taking leave of the account that was shown (grain-product §4).
  ///
  /// - Parameters:
  ///   - account: the account, with its credentials.
  ///   - purpose: what the sign-in was for; one that confirms a deletion leaves the active account
  ///     active.
  /// - Throws: when it cannot be stored; then its credentials are given back and nothing has changed.
  package func adopt(
    _ account: SignedInAccount, _ purpose: SignInPurpose = .use
  ) async throws(StoreFault) {
    if purpose == .use { await stopDeletion(of: account.id) }
    let source = sources[account.id]
    let outgoing = purpose == .use && active != account.id ? active : nil
    do throws(StoreFault) {
      try await changes.run { () async throws(StoreFault) in
        _ = try await store.adopt(
          account, revoking: await source.superseded(by: account),
          activating: purpose == .use && outgoing == nil, keepingDeletion: purpose == .deletion)
        await source.take(account)
      }
    } catch {
      await source.discard(account)
      throw error
    }
    await source.introduce(account.id)
    try await changeIdentity(leaving: outgoing) { () async throws(StoreFault) in
      let activated = outgoing == nil ? nil : try await store.activate(account.id)
      if let activated { show(activated) } else { show(try await store.current()) }
      machine.apply(active == account.id ? .signInSucceeded(account.id) : .signInEnded)
    }
    await revocations.drainLater()
    switch purpose {
    case .use: await source.lookAfter(account.id, .signedIn(isNamed: account.handle != nil))
    case .deletion: confirmations[account.id] = environment.clock.now()
    }
  }

  // MARK: Accounts

  /// Makes another account active; the incoming one is refreshed first when it must be (G57).
  package func activate(_ account: AccountID) async throws(AccountError) {
    guard let record = record(account) else { throw .unknown }
    guard record.hasCredentials else { throw .sessionExpired }
    try await sources[account].freshen(account)
    try await change(leaving: active == account ? nil : active) { () async throws(StoreFault) in
      // Signed out, or ended by the server, while it was refreshed: the list has that already.
      guard let stored = try await store.activate(account) else { return }
      show(stored)
      machine.apply(.switched(to: account))
    }
    guard let record = self.record(account) else { throw .unknown }
    if !record.hasCredentials { throw .sessionExpired }
    await sources[account].lookAfter(account, .shown)
  }

  /// Lets the hook of the account that is shown do its work (G58), forgets the account and revokes its
  /// credentials as far as it can in bounded time; what a server does not take stays queued (G59, G60,
  /// G103).
  ///
  /// - Throws: `store` when the account, or after it a draft to be discarded, could not be removed.
  package func signOut(_ account: AccountID, discardDrafts: Bool) async throws(AccountError) {
    guard record(account) != nil else { throw .unknown }
    try await forget(account)
    guard discardDrafts else { return }
    do throws(StoreFault) {
      try await self.discardDrafts(of: account)
    } catch {
      throw .store(error)
    }
  }

  /// Forgets an account, after it has taken its leave where it was shown.
  func forget(_ account: AccountID) async throws(AccountError) {
    let outgoing = account == active ? account : nil
    if let outgoing { await beforeLeaving(outgoing) }
    let queued = await sources[account].retire(account)
    confirmations[account] = nil
    try await change { () async throws(StoreFault) in
      show(try await store.remove(account, revoking: queued))
      machine.apply(.signedOut(account, next: active))
    }
    if let queued { await revocations.attempt(queued) }
    if outgoing != nil { await lookAfterHeir() }
  }

  /// Only Grain accounts own drafts.
  func discardDrafts(of account: AccountID) async throws(StoreFault) {
    if let did = account.did { try await drafts.removeAll(of: did) }
  }

  /// Moves an account in front of another, or to the end.
  package func move(_ account: AccountID, before other: AccountID?) async throws(AccountError) {
    guard record(account) != nil else { throw .unknown }
    if account == other { return }
    try await change { () async throws(StoreFault) in
      show(try await store.move(account, before: other))
    }
  }

  // MARK: Changes

  /// Runs one change of the list and tells everybody.
  func change(
    leaving outgoing: AccountID? = nil, _ work: () async throws(StoreFault) -> Void
  ) async throws(AccountError) {
    do throws(StoreFault) {
      try await changeIdentity(leaving: outgoing, work)
    } catch {
      throw .store(error)
    }
  }

  /// The one way to another identity, whoever was shown and whoever is next (A30, A31, grain-product §4):
  /// the outgoing account takes its leave with its own credentials, the change is on disk before it is
  /// shown, and who is shown now is told.
  private func changeIdentity(
    leaving outgoing: AccountID?, _ work: () async throws(StoreFault) -> Void
  ) async throws(StoreFault) {
    if let outgoing { await beforeLeaving(outgoing) }
    let before = active
    try await changes.run { () async throws(StoreFault) in
      try await work()
      publish()
    }
    if active != before { await hooks.didActivate(active) }
  }

  /// An account that is shown because another one left was not refreshed for that.
  private func lookAfterHeir() async {
    if let active { await sources[active].lookAfter(active, .inherited) }
  }
}

extension AccountService: AccountList {
  /// An account of the list.
  package func record(_ account: AccountID) -> AccountRecord? {
    records.first { $0.id == account }
  }

  /// Changes what is known of an account that has credentials, on disk first.
  package func edit(
    _ account: AccountID, _ change: @Sendable (inout AccountRecord) -> Void
  ) async {
    await changes.run {
      do throws(StoreFault) {
        show(try await store.update(account, change))
        publish()
      } catch {
        // What is known stays as it was; it is asked for again, and calls ask the credentials themselves.
        log.write(.error, "accounts", "an account could not be updated")
      }
    }
  }

  /// Shows that the account is being refreshed, where it is the active one.
  package func refreshBegan(_ account: AccountID) {
    machine.apply(.refreshBegan(account))
    publish()
  }

  /// Shows the account as before.
  package func refreshEnded(_ account: AccountID) {
    machine.apply(.refreshEnded(account))
    publish()
  }

  /// Signs the account out, as the person would.
  package func leave(_ account: AccountID) async throws(AccountError) {
    try await signOut(account, discardDrafts: false)
  }

  /// Shows that the account has ended, and who is shown instead.
  package func ended(_ account: AccountID, _ reason: GrantEnd) async {
    let before = active
    await changes.run {
      do throws(StoreFault) {
        show(try await store.current())
      } catch {
        // What is shown stays; calls for this account are refused by its source all the same.
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
    guard active != before else { return }
    await hooks.didActivate(active)
    await lookAfterHeir()
  }
}

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
/// One account's failure never touches another; what is shown changes only after it is on disk.
package actor AccountService {
  private let store: AccountStore
  private let drafts: DraftStore
  private let http: HTTPClient
  private let grants: GrantClient
  private let environment: DPoPEnvironment
  private let configuration: CoreConfiguration
  private let log: Log

  private var machine = SessionMachine()
  private var records: [AccountRecord] = []
  private var active: DID?
  private var fault: StoreFault?
  private var sessions: [DID: TokenSession] = [:]
  private var watchers: [Int: AsyncStream<AccountsState>.Continuation] = [:]
  private var nextWatcher = 0

  package init(
    store: AccountStore, drafts: DraftStore, http: HTTPClient, environment: DPoPEnvironment,
    configuration: CoreConfiguration, log: Log
  ) {
    self.store = store
    self.drafts = drafts
    self.http = http
    self.environment = environment
    self.configuration = configuration
    self.log = log
    grants = GrantClient(
      http: http, environment: environment,
      revocationDeadline: .milliseconds(configuration.times.revocationMs))
  }

  // MARK: What is shown

  /// The state now and after every change; a slow watcher sees only the newest.
  package func states() -> AsyncStream<AccountsState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AccountsState.self, bufferingPolicy: .bufferingNewest(1))
    nextWatcher += 1
    let key = nextWatcher
    watchers[key] = continuation
    continuation.onTermination = { _ in Task { await self.forgetWatcher(key) } }
    continuation.yield(state)
    return stream
  }

  private func forgetWatcher(_ key: Int) { watchers[key] = nil }

  private var state: AccountsState {
    AccountsState(session: machine.state, accounts: records, active: active, fault: fault)
  }

  private func publish() {
    for watcher in watchers.values { watcher.yield(state) }
  }

  // MARK: Launch

  /// Reads the store; needs no network. A store that cannot be read stays `restoring`, never
  /// signed out.
  package func restore() async {
    do throws(StoreFault) {
      let stored = try await store.load()
      records = stored.accounts
      active = stored.active ?? records.first(where: \.hasCredentials)?.did
      if let did = active, records.first(where: { $0.did == did })?.hasCredentials != true {
        active = records.first(where: \.hasCredentials)?.did
      }
      fault = nil
      machine.apply(.restored(active))
    } catch {
      fault = error
      machine.apply(.storeUnavailable)
    }
    publish()
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

  /// Stores a new grant, then shows it; an older grant of the same account is revoked afterwards.
  ///
  /// - Throws: when it cannot be stored; then its tokens are revoked and nothing has changed.
  package func adopt(_ grant: Grant) async throws(StoreFault) {
    let older = try await store.grant(grant.did)
    let missing = missingScopes(grant)
    do throws(StoreFault) {
      try await store.adopt(grant, missingScopes: missing)
    } catch {
      await revoke(grant)
      throw error
    }
    sessions[grant.did] = session(grant)
    try await reload()
    active = grant.did
    machine.apply(.signInSucceeded(grant.did))
    publish()
    if let older { await revoke(older) }
  }

  private func missingScopes(_ grant: Grant) -> [String] {
    guard let wanted = configuration.appView else { return [] }
    let granted = ScopeSet(grant.scope)
    return wanted.scopeItems.filter { item in
      !ScopeSet(item).operations.allSatisfy(granted.allows)
    }
  }

  // MARK: Accounts

  /// Makes another account active; the incoming one is refreshed first when it must be (G57).
  package func activate(_ did: DID) async throws(AccountError) {
    guard let record = records.first(where: { $0.did == did }) else { throw .unknown }
    guard record.hasCredentials else { throw .sessionExpired }
    let session = try await owner(did)
    do throws(XRPCError) {
      try await session.freshen()
    } catch {
      throw .sessionExpired
    }
    try await stored { () async throws(StoreFault) in try await store.activate(did) }
    active = did
    machine.apply(.switched(to: did))
    publish()
  }

  /// Revokes as far as it can in bounded time, then forgets, whatever the server said (G59, G60).
  package func signOut(_ did: DID, discardDrafts: Bool) async throws(AccountError) {
    guard records.contains(where: { $0.did == did }) else { throw .unknown }
    if let grant = await heldGrant(did) { await revoke(grant) }
    try await stored { () async throws(StoreFault) in
      if discardDrafts {
        for draft in try await drafts.drafts(of: did) { try await drafts.remove(draft.id) }
      }
      try await store.remove(did)
      try await reload()
    }
    sessions[did] = nil
    guard active == did else { return publish() }
    active = records.first(where: \.hasCredentials)?.did
    let next = active
    try await stored { () async throws(StoreFault) in try await store.activate(next) }
    machine.apply(.signedOut(did, next: next))
    publish()
  }

  /// Moves an account in front of another, or to the end.
  package func move(_ did: DID, before other: DID?) async throws(AccountError) {
    var order = records.map(\.did)
    guard let from = order.firstIndex(of: did) else { throw .unknown }
    order.remove(at: from)
    order.insert(did, at: other.flatMap(order.firstIndex(of:)) ?? order.endIndex)
    let wanted = order
    try await stored { () async throws(StoreFault) in
      try await store.reorder(wanted)
      try await reload()
    }
    publish()
  }

  /// A client bound to one account, whoever is active meanwhile.
  ///
  /// - Throws: `sessionExpired` when the account has no credentials any more.
  package func client(_ did: DID) async throws(CallFault) -> RepositoryClient {
    do throws(AccountError) {
      return .live(try await owner(did), http: http, configuration: configuration)
    } catch {
      switch error {
      case .unknown, .sessionExpired: throw .sessionExpired(did)
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
      lead: .milliseconds(configuration.times.refreshLeadMs)
    ) { [weak self] event in
      await self?.take(event, of: grant.did)
    }
  }

  private func take(_ event: TokenSession.Event, of did: DID) async {
    switch event {
    case .refreshBegan: machine.apply(.refreshBegan(did))
    case .refreshEnded: machine.apply(.refreshEnded(did))
    case .ended(let reason):
      log.write(.info, "accounts", "grant ended", ["reason": reason.rawValue])
      sessions[did] = nil
      machine.apply(.grantEnded(did, reason))
      do throws(StoreFault) {
        try await reload()
        guard active == did else { break }
        active = records.first(where: \.hasCredentials)?.did
        try await store.activate(active)
      } catch {
        log.write(.error, "accounts", "account list could not be saved")
      }
      machine.apply(.successor(active))
    }
    publish()
  }

  private func heldGrant(_ did: DID) async -> Grant? {
    if let session = sessions[did] { return await session.current }
    do throws(StoreFault) {
      return try await store.grant(did)
    } catch {
      // A grant that cannot be opened cannot be revoked; the person still gets rid of the account.
      return nil
    }
  }

  private func revoke(_ grant: Grant) async {
    guard let revocation = Revocation(of: grant) else { return }
    if await grants.revoke(revocation) != nil {
      log.write(.warn, "accounts", "revocation did not go through")
    }
  }

  private func reload() async throws(StoreFault) {
    records = try await store.load().accounts
  }

  private func stored(_ work: () async throws(StoreFault) -> Void) async throws(AccountError) {
    do throws(StoreFault) {
      try await work()
    } catch {
      throw .store(error)
    }
  }
}

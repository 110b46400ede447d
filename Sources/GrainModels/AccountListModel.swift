package import GrainServices
package import GrainSnapshots
import Observation

/// The account list and the session, as the shell draws them.
@MainActor
@Observable
package final class AccountListModel {
  private var state = AccountsState()
  private var switching: String?
  private var problem: Problem?
  /// Running operations by what they concern, so that an equal intent joins.
  private var running: [Work: String] = [:]
  /// The deletion whose sign-in is under way; other accounts stay usable meanwhile.
  private var confirming: (account: AccountID, operation: String)?

  @ObservationIgnored private let accounts: AccountsDoor
  @ObservationIgnored private let operations: OperationCenter
  @ObservationIgnored private let login: LoginModel
  @ObservationIgnored private var following: Task<Void, Never>?
  @ObservationIgnored private var catchingUp: Task<Void, Never>?
  /// Whether the shell may be asked something by ourselves, and whether it was.
  @ObservationIgnored private var mayAskShell = false
  @ObservationIgnored private var hasAskedShell = false
  /// What fits into the shell's messages.
  @ObservationIgnored var budget: @MainActor () -> StateBudget = { StateBudget() }
  /// Reads what else a new state brings; what it returns shows it, in the instant in which the state is
  /// shown (O8).
  @ObservationIgnored package var prepare: @MainActor (AccountsState) async -> () -> Void = { _ in
    {}
  }

  private enum Work: Hashable {
    case activate(AccountID)
    case signOut(AccountID)
    case delete(AccountID)
    /// Opening the store.
    case unlock
  }

  /// A list that shows nothing until ``begin()``.
  package init(accounts: AccountsDoor, operations: OperationCenter, login: LoginModel) {
    self.accounts = accounts
    self.operations = operations
    self.login = login
  }

  /// Begins to follow the accounts; returns once what is stored is shown.
  package func begin() async {
    let states = await accounts.states()
    await accounts.restore()
    await catchUp()
    following = Task { [weak self] in
      for await _ in states { await self?.catchUp(isFollowing: true) {} }
    }
  }

  /// Whether a state is what a running operation leads to at its end: both are shown in one instant then,
  /// by the operation.
  private func isOutcome(_ now: AccountsState) -> Bool {
    running.keys.contains { work in
      switch work {
      case .activate(let account): now.active == account && state.active != account
      case .unlock: now.fault == nil && now.session != .restoring
      case .signOut, .delete: false
      }
    }
  }

  /// Shows what the accounts are now, and in the same instant whatever `change` does.
  ///
  /// Whoever has changed the accounts waits for this, so that the end of an operation never comes before
  /// the state it leads to. One after the other: an older state never replaces a newer one.
  package func catchUp(then change: @escaping @MainActor () -> Void = {}) async {
    await catchUp(isFollowing: false, then: change)
  }

  private func catchUp(isFollowing: Bool, then change: @escaping @MainActor () -> Void) async {
    let task = Task { [previous = catchingUp] in
      await previous?.value
      for await now in await accounts.states() {
        if !isFollowing || !isOutcome(now) { await take(now) }
        break
      }
      change()
    }
    catchingUp = task
    await task.value
  }

  /// Stops following.
  package func end() {
    following?.cancel()
    following = nil
  }

  /// The account whose data may be shown.
  package var active: AccountID? { state.active }

  /// What a person calls an account: its handle, where that is verified.
  package func name(of account: AccountID) -> String {
    state.accounts.first { $0.id == account }?.name ?? account.rawValue
  }

  /// Whether an account is there to publish from.
  func canPublish(_ account: AccountID) -> Bool { state.canUse(account) }

  /// Whether the active account comes back with a new state: at the launch, or by signing in.
  func returns(_ new: AccountsState) -> Bool {
    guard let account = new.active else { return false }
    return new.canUse(account) && !state.canUse(account)
  }

  private func take(_ new: AccountsState) async {
    guard new != state else { return }
    let show = await prepare(new)
    state = new
    login.accountsChanged(new)
    show()
    offerUnlock()
  }

  // MARK: State

  /// The whole list.
  package var snapshot: AccountListSnapshot {
    var list = AccountListSnapshot(
      status: status, phase: phase, can: can,
      operation: switching ?? running.values.first ?? confirming?.operation,
      problem: problem ?? state.fault.map { Problem($0) },
      session: AccountListSnapshot.Session(state.session), sessionReason: state.sessionReason,
      active: state.active?.rawValue)
    let entries = state.accounts.map { account in
      (account.id.rawValue, AccountListSnapshot.Account(account, can: can(account)))
    }
    list.show(entries, within: budget())
    return list
  }

  private var phase: AccountListSnapshot.Phase {
    if state.session == .restoring { return .restoring }
    if switching != nil { return .switching }
    return state.accounts.isEmpty ? .empty : .ready
  }

  private var status: ModelStatus {
    // A person who unlocks the key store is all that is missing.
    if state.fault == .keyLocked { return .waiting }
    if state.fault != nil { return .failed }
    if state.session == .restoring || !running.isEmpty || confirming != nil { return .busy }
    return problem == nil ? .idle : .failed
  }

  private var can: [IntentName] {
    var names: Set<IntentName> = []
    for account in state.accounts { names.formUnion(can(account)) }
    if state.fault?.isOfKey == true, running[.unlock] == nil { names.insert(.accountsUnlock) }
    return IntentName.allCases.filter(names.contains)
  }

  private func can(_ account: AccountRecord) -> [IntentName] {
    guard state.fault == nil, state.session != .restoring else { return [] }
    var names: [IntentName] = []
    // Of an account that is being deleted nothing is left to do but to leave it.
    let isDeleted = account.deletion != nil
    if account.hasCredentials, account.id != state.active, running.isEmpty, !isDeleted {
      names.append(.accountsSwitch)
    }
    let mayReturn = login.canReauthenticate(account.id)
    if mayReturn, !account.hasCredentials || !account.unavailable.isEmpty, !isDeleted {
      names.append(.accountsReauthenticate)
    }
    if state.accounts.count > 1 { names.append(.accountsMove) }
    if hasDevices(account) { names.append(.devicesRefresh) }
    guard running.isEmpty, confirming?.account != account.id else { return names }
    if mayReturn, confirming == nil, account.id.provider == .grain {
      names.append(.accountsDelete)
    }
    names.append(.accountsSignOut)
    return names
  }

  // MARK: Devices

  /// Whether there is a list to ask for: of the provider, with a token, for who is shown (A30).
  private func hasDevices(_ account: AccountRecord) -> Bool {
    account.id.provider == .platrium && account.hasCredentials && account.id == state.active
  }

  /// The account whose devices and apps are asked for.
  ///
  /// - Throws: why there is no such list now.
  func accountWithDevices(_ account: String) throws(IntentRejection) -> AccountID {
    let record = try find(account)
    if hasDevices(record) { return record.id }
    guard record.id.provider == .platrium else {
      throw IntentRejection(
        Problem(
          .intentNotAvailable, fallback: "This account has no list of devices.", field: "/account"))
    }
    guard record.hasCredentials else {
      throw IntentRejection(
        Problem(.accountSessionExpired, params: ["account": .text(record.name)], field: "/account"))
    }
    throw IntentRejection(
      Problem(
        .intentNotAvailable, fallback: "Switch to this account first to see its devices.",
        field: "/account"))
  }

  // MARK: Intents

  /// Makes another account active.
  package func activate(_ account: String) throws(IntentRejection) -> Accepted {
    let record = try find(account)
    if let operation = running[.activate(record.id)] {
      return Accepted(operation: operation, joined: true)
    }
    try require(.accountsSwitch, record)
    let operation = work(.activate(record.id), .accountsSwitch, record) {
      [accounts] () async throws(AccountError) in try await accounts.activate(record.id)
    }
    switching = operation
    return Accepted(operation: operation)
  }

  /// Revokes and forgets an account; on an expired one, takes it off the list.
  package func signOut(
    _ account: String, discardDrafts: Bool
  ) throws(IntentRejection) -> Accepted {
    let record = try find(account)
    if let operation = running[.signOut(record.id)] {
      return Accepted(operation: operation, joined: true)
    }
    try require(.accountsSignOut, record)
    let operation = work(.signOut(record.id), .accountsSignOut, record) {
      [accounts] () async throws(AccountError) in
      try await accounts.signOut(record.id, discardDrafts)
    }
    return Accepted(operation: operation)
  }

  /// Signs in again to an expired or under-scoped account.
  package func reauthenticate(_ account: String) throws(IntentRejection) -> Accepted {
    let record = try find(account)
    if !login.isRunning(.account(record.id)) { try require(.accountsReauthenticate, record) }
    return try login.reauthenticate(record)
  }

  /// Tries again to open the store whose key is out of reach; a shell that can is asked to help when it
  /// is locked away.
  package func unlock() throws(IntentRejection) -> Accepted {
    if let operation = running[.unlock] { return Accepted(operation: operation, joined: true) }
    guard can.contains(.accountsUnlock) else {
      throw .notAvailable(.accountsUnlock, phase: phase.rawValue)
    }
    return Accepted(operation: beginUnlock())
  }

  /// The shell is there: from now on it may be asked. It is asked once without being told to.
  package func shellIsReady() {
    mayAskShell = true
    offerUnlock()
  }

  private func offerUnlock() {
    guard mayAskShell, !hasAskedShell, state.fault == .keyLocked, running[.unlock] == nil,
      login.shell.abilities.unlocksKeyrings
    else { return }
    hasAskedShell = true
    _ = beginUnlock()
  }

  private func beginUnlock() -> String {
    let operation = operations.start(.accountsUnlock) { [weak self] operation in
      guard let self else { return .cancelled }
      let outcome = await self.unlock(operation)
      await self.catchUp { self.running[.unlock] = nil }
      return outcome
    }
    running[.unlock] = operation
    return operation
  }

  private func unlock(_ operation: String) async -> OperationCenter.Outcome {
    if let fault = state.fault, fault == .keyLocked, login.shell.abilities.unlocksKeyrings {
      switch await login.shell.unlockKeyring(operation, Problem(fault).message) {
      case .unlocked: break
      case .dismissed: return .cancelled
      case .unavailable: return .failed(Problem(.keyringUnavailable))
      case .failed(let problem): return .failed(problem)
      }
    }
    guard let fault = await accounts.unlock() else { return .succeeded }
    return Task.isCancelled ? .cancelled : .failed(Problem(fault))
  }

  /// Moves an account in front of another, or to the end.
  package func move(
    _ account: String, before other: String?
  ) async throws(IntentRejection) -> Accepted {
    let record = try find(account)
    var before: AccountRecord?
    if let other { before = try find(other, field: "/before") }
    try require(.accountsMove, record)
    do throws(AccountError) {
      try await accounts.move(record.id, before?.id)
    } catch {
      throw IntentRejection(Problem(error, account: record.name))
    }
    await catchUp()
    return Accepted()
  }

  /// Deletes an account at its servers, once its owner has typed its name and signed in again (A45).
  package func delete(
    _ account: String, confirm: String
  ) throws(IntentRejection) -> Accepted {
    let record = try find(account)
    try require(.accountsDelete, record)
    guard record.isNamed(by: confirm) else {
      throw IntentRejection(Problem(confirmationOf: record.name))
    }
    problem = nil
    let operation = login.confirmDeletion(of: record) { [weak self] signIn in
      guard let self else { return .cancelled }
      return await self.goOn(deleting: record, after: signIn)
    }
    confirming = (record.id, operation)
    return Accepted(operation: operation)
  }

  private func goOn(
    deleting record: AccountRecord, after signIn: OperationCenter.Outcome
  ) async -> OperationCenter.Outcome {
    guard let (account, operation) = confirming else { return .cancelled }
    confirming = nil
    guard signIn == .succeeded else {
      let outcome = signIn.withoutDeletion
      // A page that was closed is no news to whoever closed it.
      if case .failed(let problem) = outcome, problem.kind != .loginDenied {
        self.problem = problem
      }
      return outcome
    }
    running[.delete(account)] = operation
    var failure: Problem?
    do throws(AccountError) {
      try await accounts.delete(account)
    } catch {
      failure = Problem(error, account: record.name)
    }
    await catchUp { self.finish(.delete(account), failure) }
    return failure.map { .failed($0) } ?? .succeeded
  }

  private func find(
    _ account: String, field: String = "/account"
  ) throws(IntentRejection) -> AccountRecord {
    guard let record = state.accounts.first(where: { $0.id.rawValue == account }) else {
      throw IntentRejection(Problem(.accountUnknown, field: field))
    }
    return record
  }

  private func require(
    _ intent: IntentName, _ account: AccountRecord
  ) throws(IntentRejection) {
    guard can(account).contains(intent) else { throw .notAvailable(intent, phase: phase.rawValue) }
  }

  private func work(
    _ work: Work, _ intent: IntentName, _ account: AccountRecord,
    _ perform: @escaping @Sendable () async throws(AccountError) -> Void
  ) -> String {
    problem = nil
    let operation = operations.start(intent) { [weak self] _ in
      var failure: Problem?
      do throws(AccountError) {
        try await perform()
      } catch {
        failure = Problem(error, account: account.name)
      }
      await self?.catchUp { self?.finish(work, failure) }
      return failure.map { .failed($0) } ?? .succeeded
    }
    running[work] = operation
    return operation
  }

  private func finish(_ work: Work, _ failure: Problem?) {
    running[work] = nil
    switching = nil
    problem = failure
  }
}

import ATSyntax
package import GrainServices
package import GrainSnapshots
import Observation

/// The sign-in screen: intents in, ``LoginSnapshot`` out.
///
/// Holds no token and opens no socket; it asks the ``SignInDoor`` and shows what it hears. One
/// sign-in runs at a time; an equal second request joins it (FB-A30).
@MainActor
@Observable
package final class LoginModel {
  typealias Phase = LoginSnapshot.Phase

  var phase: Phase = .signedOut
  var status: ModelStatus = .idle
  var handle = ""
  var serverHost: String?
  var problem: Problem?
  /// Why the person has to sign in again; until somebody is signed in.
  private var reason: Message?
  var running: Running?
  var suggestions = SuggestionList()
  var hasAccounts = false
  /// Nobody can be signed in to a store that is not open.
  private var isRestoring = false
  /// With whom the open form signs in.
  var chosen = AccountProvider.grain
  /// Who can be signed in with, as far as this shell can help.
  private(set) var offers: [ProviderOffer] = []
  /// Whether the shell can show pages.
  private(set) var isAvailable = true

  @ObservationIgnored let signIn: SignInDoor
  @ObservationIgnored let operations: OperationCenter
  @ObservationIgnored var suggesting: Task<Void, Never>?
  @ObservationIgnored private var resuming: Task<Void, Never>?
  @ObservationIgnored private var showingAgain: Task<Void, Never>?
  /// Shows what a sign-in has done to the accounts, and its end in the same instant (O8).
  @ObservationIgnored package var settle:
    @MainActor (_ change: @escaping @MainActor () -> Void) async -> Void = { $0() }
  /// The shell of this session; set at `initialize`.
  @ObservationIgnored package var shell: ShellDoor {
    didSet { takeAbilities() }
  }

  /// The answer of the page has come by `login.callback`.
  @ObservationIgnored var isAnsweredByShell = false

  struct Running {
    let operation: String
    let target: SignInTarget
  }

  /// A closed form.
  package init(signIn: SignInDoor, operations: OperationCenter, shell: ShellDoor = ShellDoor()) {
    self.signIn = signIn
    self.operations = operations
    self.shell = shell
    takeAbilities()
  }

  private func takeAbilities() {
    isAvailable = shell.abilities.presentation != nil
    offers = signIn.providers().map { $0.inShell(withWebView: shell.abilities.hasWebView) }
  }

  // MARK: State

  /// The whole screen.
  package var snapshot: LoginSnapshot {
    LoginSnapshot(
      status: status, phase: phase, can: can, operation: running?.operation, problem: problem,
      reason: reason, provider: providers, chosen: shownChoice, handle: handle,
      suggestion: suggestions.map, highlighted: suggestions.chosen?.did.rawValue,
      serverHost: serverHost)
  }

  /// What would be accepted now.
  var can: [IntentName] {
    let create: [IntentName] = isAvailable ? [.loginCreateAccount] : []
    let dismiss: [IntentName] = problem == nil ? [] : [.loginDismissProblem]
    switch phase {
    case .signedOut, .signedIn:
      return isRestoring ? dismiss : [.loginStart] + create + dismiss
    case .enteringHandle, .failed:
      return form + (chosen == .grain ? create : []) + [.loginCancel] + dismiss
    case .resolving, .contacting, .exchanging:
      return [.loginCancel]
    case .waitingForBrowser:
      return [.loginCancel, .loginCallback]
    }
  }

  /// Follows the account list: a resting form shows whether somebody is signed in.
  package func accountsChanged(_ state: AccountsState) {
    hasAccounts = state.accounts.contains(where: \.hasCredentials)
    if isRestoring, state.session != .restoring {
      resuming = Task { [weak self] in await self?.resumeLeft() }
    }
    isRestoring = state.session == .restoring
    if hasAccounts { reason = nil }
    if case .signedOut(let why?) = state.session { reason = why.message }
    if running == nil, phase == .signedOut || phase == .signedIn { rest(status: status) }
  }

  /// Closes the form.
  func rest(status: ModelStatus) {
    suggesting?.cancel()
    suggestions = SuggestionList()
    chosen = .grain
    phase = hasAccounts ? .signedIn : .signedOut
    self.status = hasAccounts ? status : .idle
  }

  /// Whether a known account may sign in again now.
  package func canReauthenticate(_ account: AccountID) -> Bool {
    isAvailable && running == nil && canUse(account.provider)
  }

  /// Whether this very sign-in is under way.
  package func isRunning(_ target: SignInTarget) -> Bool { running?.target == target }

  // MARK: Intents

  /// Opens the form for a provider; with accounts present it adds another.
  package func start(_ provider: AccountProvider = .grain) throws(IntentRejection) -> Accepted {
    try require(.loginStart)
    try requireOffer(of: provider)
    problem = nil
    serverHost = nil
    if provider != .grain { handle = "" }
    chosen = provider
    phase = .enteringHandle
    status = .idle
    return Accepted()
  }

  /// Takes what was typed.
  package func setHandle(_ text: String) throws(IntentRejection) -> Accepted {
    try require(.loginSetHandle)
    try Self.refuseAddress(text)
    handle = text
    suggest(for: text)
    if phase == .failed {
      problem = nil
      phase = .enteringHandle
      status = .idle
    }
    return Accepted()
  }

  /// An address that brings a code, pasted into the wrong field, is neither shown nor named: what goes out
  /// of the core may be kept by others (bridge-protocol §10).
  private static func refuseAddress(_ text: String) throws(IntentRejection) {
    guard text.contains("code=") || text.contains("state=") else { return }
    throw IntentRejection(
      Problem(
        .loginHandleInvalid, params: ["handle": ""],
        fallback: "That is an address from the browser, not a handle. Enter your full handle.",
        field: "/handle"))
  }

  /// Moves the keyboard among the suggestions.
  package func highlight(_ move: SuggestionList.Move) throws(IntentRejection) -> Accepted {
    try require(.loginHighlight)
    suggestions.move(move)
    return Accepted()
  }

  /// Signs in with a handle or DID; with the highlighted suggestion where the text is the field's.
  package func submitHandle(_ typed: String) throws(IntentRejection) -> Accepted {
    let text = typed == handle ? suggestions.chosen?.handle.rawValue ?? typed : typed
    if let joined = try join(.name(text), .loginSubmitHandle) { return joined }
    try require(.loginSubmitHandle)
    if text.allSatisfy(\.isWhitespace) {
      throw IntentRejection(
        Problem(
          .loginHandleInvalid, params: ["handle": ""],
          fallback: "Enter your full handle, such as alice.example.com.", field: "/handle"))
    }
    try Self.refuseAddress(text)
    if let error = SignInInput.check(text) {
      throw IntentRejection(Problem(error))
    }
    handle = text
    return Accepted(operation: begin(.name(text), .loginSubmitHandle, firstPhase: .resolving))
  }

  /// Asks who could be meant; what was suggested for another text is gone at once.
  private func suggest(for text: String) {
    suggesting?.cancel()
    suggestions = SuggestionList()
    suggesting = Task { [weak self, signIn] in
      let found = await signIn.suggest(text)
      guard !Task.isCancelled, let self, self.handle == text, self.running == nil else { return }
      self.suggestions = SuggestionList(found)
    }
  }

  /// Opens the sign-up page.
  package func createAccount() throws(IntentRejection) -> Accepted {
    if let joined = try join(.newAccount, .loginCreateAccount) { return joined }
    try require(.loginCreateAccount)
    return Accepted(operation: begin(.newAccount, .loginCreateAccount, firstPhase: .contacting))
  }

  /// Hands over the URL the browser came back with; it is never kept or echoed.
  package func callback(_ url: String) throws(IntentRejection) -> Accepted {
    try require(.loginCallback)
    switch signIn.deliver(url) {
    case .delivered:
      isAnsweredByShell = true
      return Accepted(operation: running?.operation, joined: true)
    case .unknown: throw IntentRejection(Problem(.loginCallbackMismatch, field: "/callbackUrl"))
    }
  }

  /// Ends the running sign-in, or closes the form; other accounts are untouched.
  package func cancel() throws(IntentRejection) -> Accepted {
    try require(.loginCancel)
    if let running {
      _ = operations.cancel(running.operation)
    } else {
      problem = nil
      rest(status: .idle)
    }
    return Accepted()
  }

  /// Clears the problem.
  package func dismissProblem() throws(IntentRejection) -> Accepted {
    try require(.loginDismissProblem)
    problem = nil
    if phase == .failed {
      phase = .enteringHandle
      status = .idle
    }
    return Accepted()
  }

  /// Signs in again to an account of the list; started from the account list.
  package func reauthenticate(_ account: AccountRecord) throws(IntentRejection) -> Accepted {
    let target = SignInTarget.account(account.id)
    if let joined = try join(target, .accountsReauthenticate) { return joined }
    let isGrain = account.id.provider == .grain
    handle = isGrain ? account.handle ?? account.id.rawValue : ""
    return Accepted(
      operation: begin(
        target, .accountsReauthenticate, firstPhase: isGrain ? .resolving : .contacting))
  }

  /// Signs in again to an account whose owner confirms its deletion; started from the account list.
  ///
  /// `next` goes on within the same operation once it is known how the sign-in came out.
  ///
  /// - Returns: the operation.
  func confirmDeletion(of account: AccountRecord, then next: @escaping Continuation) -> String {
    handle = account.handle ?? account.id.rawValue
    return begin(.deletion(account.id), .accountsDelete, firstPhase: .resolving, then: next)
  }

  // MARK: Work

  /// What an operation comes to after its sign-in.
  typealias Continuation =
    @MainActor (_ signIn: OperationCenter.Outcome) async -> OperationCenter.Outcome

  func require(_ intent: IntentName) throws(IntentRejection) {
    guard can.contains(intent) else {
      throw .notAvailable(intent, phase: phase.rawValue)
    }
  }

  /// The running operation, when it is an equal one; beside another one nothing can begin. Who asks again
  /// while the page is waited for wants to see it.
  func join(_ target: SignInTarget, _ intent: IntentName) throws(IntentRejection)
    -> Accepted?
  {
    guard let running else { return nil }
    guard running.target == target else { throw .notAvailable(intent, phase: phase.rawValue) }
    if phase == .waitingForBrowser {
      showingAgain = Task { [signIn] in await signIn.showAgain() }
    }
    return Accepted(operation: running.operation, joined: true)
  }
}

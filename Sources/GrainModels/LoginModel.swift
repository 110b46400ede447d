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
  private typealias Phase = LoginSnapshot.Phase

  private var phase: Phase = .signedOut
  private var status: ModelStatus = .idle
  private var handle = ""
  private var serverHost: String?
  private var problem: Problem?
  /// Why the person has to sign in again; until somebody is signed in.
  private var reason: Message?
  private var running: Running?
  private var suggestions = SuggestionList()
  private var hasAccounts = false
  /// Nobody can be signed in to a store that is not open.
  private var isRestoring = false
  private var isAvailable = true

  @ObservationIgnored let signIn: SignInDoor
  @ObservationIgnored let operations: OperationCenter
  @ObservationIgnored private var suggesting: Task<Void, Never>?
  @ObservationIgnored private var resuming: Task<Void, Never>?
  @ObservationIgnored private var showingAgain: Task<Void, Never>?
  /// Shows what a sign-in has done to the accounts, and its end in the same instant (O8).
  @ObservationIgnored package var settle:
    @MainActor (_ change: @escaping @MainActor () -> Void) async -> Void = { $0() }
  /// The shell of this session; set at `initialize`.
  @ObservationIgnored package var shell: ShellDoor {
    didSet { isAvailable = shell.abilities.presentation != nil }
  }

  /// The answer of the page has come by `login.callback`.
  @ObservationIgnored private var isAnsweredByShell = false

  private struct Running {
    let operation: String
    let target: SignInTarget
  }

  /// A closed form.
  package init(signIn: SignInDoor, operations: OperationCenter, shell: ShellDoor = ShellDoor()) {
    self.signIn = signIn
    self.operations = operations
    self.shell = shell
    self.isAvailable = shell.abilities.presentation != nil
  }

  // MARK: State

  /// The whole screen.
  package var snapshot: LoginSnapshot {
    LoginSnapshot(
      status: status, phase: phase, can: can, operation: running?.operation, problem: problem,
      reason: reason, handle: handle, suggestion: suggestions.map,
      highlighted: suggestions.chosen?.did.rawValue, serverHost: serverHost)
  }

  /// What would be accepted now.
  private var can: [IntentName] {
    let create: [IntentName] = isAvailable ? [.loginCreateAccount] : []
    let dismiss: [IntentName] = problem == nil ? [] : [.loginDismissProblem]
    switch phase {
    case .signedOut, .signedIn:
      return isRestoring ? dismiss : [.loginStart] + create + dismiss
    case .enteringHandle, .failed:
      let submit: [IntentName] = isAvailable ? [.loginSubmitHandle] : []
      let highlight: [IntentName] = suggestions.items.isEmpty ? [] : [.loginHighlight]
      return [.loginSetHandle] + highlight + submit + create + [.loginCancel] + dismiss
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

  private func rest(status: ModelStatus) {
    suggesting?.cancel()
    suggestions = SuggestionList()
    phase = hasAccounts ? .signedIn : .signedOut
    self.status = hasAccounts ? status : .idle
  }

  /// Whether a known account may sign in again now.
  package var canReauthenticate: Bool { isAvailable && running == nil }

  /// Whether this very sign-in is under way.
  package func isRunning(_ target: SignInTarget) -> Bool { running?.target == target }

  // MARK: Intents

  /// Opens the form; with accounts present it adds another.
  package func start() throws(IntentRejection) -> Accepted {
    try require(.loginStart)
    problem = nil
    serverHost = nil
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
    handle = account.handle ?? account.id.rawValue
    return Accepted(operation: begin(target, .accountsReauthenticate, firstPhase: .resolving))
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

  private func require(_ intent: IntentName) throws(IntentRejection) {
    guard can.contains(intent) else {
      throw .notAvailable(intent, phase: phase.rawValue)
    }
  }

  /// The running operation, when it is an equal one; beside another one nothing can begin. Who asks again
  /// while the page is waited for wants to see it.
  private func join(_ target: SignInTarget, _ intent: IntentName) throws(IntentRejection)
    -> Accepted?
  {
    guard let running else { return nil }
    guard running.target == target else { throw .notAvailable(intent, phase: phase.rawValue) }
    if phase == .waitingForBrowser {
      showingAgain = Task { [signIn] in await signIn.showAgain() }
    }
    return Accepted(operation: running.operation, joined: true)
  }

  /// Goes on with the sign-in whose page an earlier run opened: its callback may be what started this
  /// one (A17). One whose time is over is only told of.
  package func resumeLeft() async {
    guard running == nil, let left = await signIn.left(), running == nil else { return }
    handle = left.name
    if left.isExpired {
      problem = Problem(.expired)
      phase = .failed
      status = .failed
      return
    }
    _ = begin(left.target, left.intent, firstPhase: .waitingForBrowser, resumes: true)
    status = .waiting
    serverHost = left.host
  }

  /// The program is about to end: a sign-in that waits for its browser is left to the next run.
  package func leave() async {
    await signIn.leave()
  }

  private func begin(
    _ target: SignInTarget, _ intent: IntentName, firstPhase: Phase, resumes: Bool = false,
    then next: @escaping Continuation = { $0 }
  ) -> String {
    problem = nil
    serverHost = nil
    isAnsweredByShell = false
    suggesting?.cancel()
    suggestions = SuggestionList()
    phase = firstPhase
    status = .busy
    let operation = operations.start(intent) { [weak self] operation in
      guard let self else { return .cancelled }
      return await next(await self.perform(target, operation, resumes: resumes))
    }
    running = Running(operation: operation, target: target)
    return operation
  }

  private func perform(
    _ target: SignInTarget, _ operation: String, resumes: Bool
  ) async -> OperationCenter.Outcome {
    let presenting = Presenting()
    defer { presenting.withdraw() }
    let loopback = shell.abilities.presentation == "externalBrowser"
    do throws(SignInError) {
      let step: @Sendable (SignInStep) async -> Void = { [weak self] step in
        await self?.show(step, operation, presenting)
      }
      if resumes {
        _ = try await signIn.resume(step)
      } else {
        _ = try await signIn.run(target, loopback, step)
      }
      return await finish(.succeeded)
    } catch {
      if let problem = presenting.problem { return await finish(.failed(problem)) }
      switch error {
      case .cancelled: return await finish(.cancelled)
      // A no is quiet in the state; scripts still learn it (grain-product §5).
      case .denied: return await finish(.failed(Problem(.loginDenied)), quietly: true)
      default: return await finish(.failed(Problem(error)))
      }
    }
  }

  private func show(_ step: SignInStep, _ operation: String, _ presenting: Presenting) {
    guard running?.operation == operation else { return }
    switch step {
    case .resolving: phase = .resolving
    case .contacting(let host):
      phase = .contacting
      serverHost = host
    case .exchanging:
      phase = .exchanging
      status = .busy
      // The shell that has brought the answer says so itself; of one that came another way it knows
      // nothing yet.
      if !isAnsweredByShell { presenting.withdraw() }
    case .waitingForBrowser(let request):
      serverHost = request.host
      phase = .waitingForBrowser
      status = .waiting
      present(request, operation, presenting)
    }
  }

  private func finish(
    _ outcome: OperationCenter.Outcome, quietly: Bool = false
  ) async -> OperationCenter.Outcome {
    await settle { self.show(outcome, quietly: quietly) }
    return outcome
  }

  private func show(_ outcome: OperationCenter.Outcome, quietly: Bool) {
    running = nil
    serverHost = nil
    switch outcome {
    case .succeeded:
      handle = ""
      hasAccounts = true
      rest(status: .done)
    case .failed(let problem) where !quietly:
      self.problem = problem
      phase = .failed
      status = .failed
    case .failed, .cancelled:
      rest(status: .idle)
    }
  }
}

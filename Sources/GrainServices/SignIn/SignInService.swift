package import ATIdentity
package import ATOAuth
import ATSyntax
import Foundation
import OAuth
package import SystemClients

/// Signs one person in at a time, from a name to a stored account.
package actor SignInService {
  private let accounts: AccountService
  private let identities: IdentityResolver
  private let published: AuthorizationFlow
  private let development: AuthorizationFlow
  let coordinator: CallbackCoordinator
  private let configuration: CoreConfiguration
  let clock: SystemClock
  let shelf: AttemptShelf
  /// For which schemes the shell has been asked to be the program.
  nonisolated let schemes: SchemeMemory
  private var isRunning = false
  private(set) var isLeaving = false
  /// The page that is waited for.
  var page: OpenPage?
  /// A page is being asked for anew.
  var isRenewing = false
  /// Why a page could not be shown again.
  var renewalFailure: SignInError?
  /// The attempt of an earlier run, whose callback is taken already.
  private var leftAttempt: (attempt: AuthorizationAttempt, name: String)?

  /// A service over two flows: of the published client, whose redirect goes to the shell, and of the
  /// loopback client (G97), used where the configuration offers it.
  package init(
    accounts: AccountService, identities: IdentityResolver, published: AuthorizationFlow,
    development: AuthorizationFlow, coordinator: CallbackCoordinator,
    configuration: CoreConfiguration, clock: SystemClock, store: AccountStore
  ) {
    self.accounts = accounts
    self.identities = identities
    self.published = published
    self.development = development
    self.coordinator = coordinator
    self.configuration = configuration
    self.clock = clock
    shelf = AttemptShelf(store: store, clock: clock)
    schemes = SchemeMemory(store: store)
  }

  /// Runs one sign-in to its end; cancelling the task ends the attempt and its port.
  ///
  /// - Parameters:
  ///   - target: whom to sign in.
  ///   - loopback: listen for the answer on a port of ours, where the configuration offers it.
  ///   - step: hears each step before its work begins.
  /// - Returns: the account, which is stored and active.
  /// - Throws: why nobody was signed in; nothing is stored then.
  package func run(
    _ target: SignInTarget, loopback: Bool,
    step: @escaping @Sendable (SignInStep) async -> Void
  ) async throws(SignInError) -> AccountID {
    if isRunning { throw .busy }
    isRunning = true
    leftAttempt = nil
    defer { isRunning = false }
    return try await shown { () async throws(SignInError) in
      try await attempt(target, loopback: loopback, step: step)
    }
  }

  /// The sign-in that an earlier run left at its page (A17); its callback is taken from now on.
  ///
  /// - Returns: `nil` when there is none, or when another one is under way.
  package func left() async -> LeftSignIn? {
    guard !isRunning, let (attempt, isExpired) = await shelf.left() else { return nil }
    let name = attempt.handle?.rawValue ?? attempt.expectedDID?.rawValue ?? ""
    var target = SignInTarget.newAccount
    if let did = attempt.expectedDID {
      target = await accounts.record(did.account) == nil ? .name(name) : .account(did.account)
    }
    if isRunning { return nil }
    if !isExpired {
      leftAttempt = (attempt, name)
      coordinator.register(attempt)
    }
    return LeftSignIn(
      target: target, name: name, host: attempt.issuerHost, isExpired: isExpired)
  }

  /// Waits for the callback of the sign-in that was ``left()``, and finishes it.
  ///
  /// - Parameter step: hears each step before its work begins.
  /// - Returns: the account, which is stored and active.
  /// - Throws: why nobody was signed in; `cancelled` when there is nothing to wait for.
  package func resume(
    step: @escaping @Sendable (SignInStep) async -> Void
  ) async throws(SignInError) -> AccountID {
    if isRunning { throw .busy }
    guard let (attempt, name) = leftAttempt else { throw .cancelled }
    isRunning = true
    leftAttempt = nil
    defer { isRunning = false }
    let page = OpenPage(
      start: attempt.start, flow: published, redirectURI: nil, name: name, purpose: .use,
      step: step,
      attempt: attempt, request: nil)
    return try await shown { () async throws(SignInError) in try await finish(page) }
  }

  /// From now on a sign-in that is cancelled stays for the next run: it is the program that ends, not
  /// the person's wish.
  package func leave() { isLeaving = true }

  /// Runs a sign-in while the account list shows that there is one.
  private func shown(
    _ work: () async throws(SignInError) -> AccountID
  ) async throws(SignInError) -> AccountID {
    await accounts.signInBegan()
    do throws(SignInError) {
      return try await work()
    } catch {
      await accounts.signInEnded()
      // Whatever broke while the person was leaving, they asked for the end.
      throw Task.isCancelled ? .cancelled : error
    }
  }

  private func attempt(
    _ target: SignInTarget, loopback: Bool,
    step: @escaping @Sendable (SignInStep) async -> Void
  ) async throws(SignInError) -> AccountID {
    let (start, name) = try await self.start(target, step: step)
    var receiver: LoopbackReceiver?
    var closesAt = Date.distantFuture
    if loopback, configuration.loopbackClient {
      receiver = try await listen()
      closesAt = clock.now().addingTimeInterval(Double(configuration.times.loopbackMs) / 1000)
    }
    let flow = receiver == nil ? published : development
    do throws(SignInError) {
      let started = try await words(name) { () async throws(ATOAuthError) in
        try await flow.begin(start, redirectURI: receiver?.redirectURI)
      }
      if Task.isCancelled { throw .cancelled }
      let page = OpenPage(
        start: start, flow: flow, redirectURI: receiver?.redirectURI, name: name,
        purpose: target.purpose, step: step, attempt: started.attempt,
        request: started.request(overLoopback: receiver != nil), closesAt: closesAt)
      coordinator.register(page.attempt)
      if page.outlivesUs { await shelf.keep(page.attempt) } else { await shelf.drop() }
      let account = try await finish(page)
      await receiver?.cancel()
      return account
    } catch {
      await receiver?.cancel()
      throw error
    }
  }

  /// From the page on: waits for its callback, and signs in with it.
  private func finish(_ page: OpenPage) async throws(SignInError) -> AccountID {
    let (url, attempt) = try await answer(to: page)
    await page.step(.exchanging)
    let grant = try await words(page.name) { () async throws(ATOAuthError) in
      try await page.flow.complete(url, attempt: attempt)
    }
    return try await keep(grant, page.purpose)
  }

  /// Runs a piece of the protocol and puts its failure into words about a name.
  func words<T: Sendable>(
    _ name: String, _ work: () async throws(ATOAuthError) -> T
  ) async throws(SignInError) -> T {
    do throws(ATOAuthError) {
      return try await work()
    } catch {
      throw SignInError(error, name: name)
    }
  }

  /// Whom to sign in, looked up once here so that the person sees the look-up as its own step.
  private func start(
    _ target: SignInTarget, step: @escaping @Sendable (SignInStep) async -> Void
  ) async throws(SignInError) -> (AuthorizationFlow.Start, String) {
    let identifier: ATIdentifier
    switch target {
    case .newAccount:
      await step(.contacting(host: configuration.signUpHost))
      return (.signUp, configuration.signUpHost)
    case .account(let account), .deletion(let account):
      guard let did = account.did else { throw .handleInvalid(typed: account.rawValue) }
      identifier = .did(did)
    case .name(let typed):
      do throws(IdentityError) {
        identifier = try SignInName.parse(typed)
      } catch {
        throw SignInError(error, name: typed)
      }
    }
    await step(.resolving)
    do throws(IdentityError) {
      let identity = try await identities.resolve(identifier)
      await step(.contacting(host: identity.pds.host() ?? identity.pds.absoluteString))
      if case .deletion = target { return (.confirmation(identifier), identifier.rawValue) }
      return (.account(identifier), identifier.rawValue)
    } catch {
      throw SignInError(error, name: identifier.rawValue)
    }
  }

  private func listen() async throws(SignInError) -> LoopbackReceiver {
    let coordinator = coordinator
    do throws(LoopbackReceiver.Failure) {
      return try await LoopbackReceiver.start(
        port: configuration.loopbackPort, timeout: .milliseconds(configuration.times.loopbackMs),
        clock: clock
      ) { url in
        guard coordinator.offer(url) == .delivered else { return .ignored }
        return url.error == nil ? .accepted : .denied
      }
    } catch {
      throw .noPort(configuration.loopbackPort)
    }
  }

  private func keep(
    _ grant: Grant, _ purpose: SignInPurpose
  ) async throws(SignInError) -> AccountID {
    do throws(StoreFault) {
      try await accounts.adopt(grant, purpose)
    } catch {
      throw .store(error)
    }
    return grant.did.account
  }
}

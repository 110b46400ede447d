package import ATIdentity
package import ATOAuth
package import ATSyntax
import Foundation
import OAuth
package import SystemClients

/// Signs one person in at a time, from a name to a stored account.
package actor SignInService {
  private let accounts: AccountService
  private let identities: IdentityResolver
  private let published: AuthorizationFlow
  private let development: AuthorizationFlow
  private let coordinator: CallbackCoordinator
  private let configuration: CoreConfiguration
  private let clock: SystemClock
  private var isRunning = false

  /// A service over two flows: of the published client, whose redirect goes to the shell, and of the
  /// loopback client (G97), used where the configuration offers it.
  package init(
    accounts: AccountService, identities: IdentityResolver, published: AuthorizationFlow,
    development: AuthorizationFlow, coordinator: CallbackCoordinator,
    configuration: CoreConfiguration, clock: SystemClock
  ) {
    self.accounts = accounts
    self.identities = identities
    self.published = published
    self.development = development
    self.coordinator = coordinator
    self.configuration = configuration
    self.clock = clock
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
  ) async throws(SignInError) -> DID {
    if isRunning { throw .busy }
    isRunning = true
    defer { isRunning = false }
    await accounts.signInBegan()
    do throws(SignInError) {
      return try await attempt(target, loopback: loopback, step: step)
    } catch {
      await accounts.signInEnded()
      // Whatever broke while the person was leaving, they asked for the end.
      throw Task.isCancelled ? .cancelled : error
    }
  }

  private func attempt(
    _ target: SignInTarget, loopback: Bool,
    step: @escaping @Sendable (SignInStep) async -> Void
  ) async throws(SignInError) -> DID {
    let (start, name) = try await self.start(target, step: step)
    var receiver: LoopbackReceiver?
    if loopback, configuration.loopbackClient { receiver = try await listen() }
    let flow = receiver == nil ? published : development
    do throws(SignInError) {
      let started = try await words(name) { () async throws(ATOAuthError) in
        try await flow.begin(start, redirectURI: receiver?.redirectURI)
      }
      if Task.isCancelled { throw .cancelled }
      let url = try await callback(started, over: receiver != nil, step: step)
      await receiver?.cancel()
      await step(.exchanging)
      let grant = try await words(name) { () async throws(ATOAuthError) in
        try await flow.complete(url, attempt: started.attempt)
      }
      return try await keep(grant, target.purpose)
    } catch {
      await receiver?.cancel()
      throw error
    }
  }

  /// Runs a piece of the protocol and puts its failure into words about a name.
  private func words<T: Sendable>(
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
    case .account(let did), .deletion(let did): identifier = .did(did)
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
        timeout: .milliseconds(configuration.times.browserMs), clock: clock
      ) { url in
        guard coordinator.offer(url) == .delivered else { return .ignored }
        return url.error == nil ? .accepted : .denied
      }
    } catch {
      throw .serverUnsupported(host: "127.0.0.1", detail: "no loopback port is free")
    }
  }

  /// Shows the page and waits for the browser's answer, through whichever door it comes.
  private func callback(
    _ started: StartedAuthorization, over loopback: Bool,
    step: @escaping @Sendable (SignInStep) async -> Void
  ) async throws(SignInError) -> CallbackURL {
    let attempt = started.attempt
    coordinator.register(attempt)
    let place: BrowserRequest.Callback =
      loopback
      ? .core
      : .shell(
        scheme: started.route.scheme, host: started.route.host, path: started.route.path)
    await step(
      .waitingForBrowser(
        BrowserRequest(
          url: started.authorizationURL, host: Self.host(of: attempt.issuer), callback: place)))
    let clock = clock
    let limit = Duration.milliseconds(configuration.times.browserMs)
    let coordinator = coordinator
    let outcome = await withTaskCancellationHandler {
      await withTaskGroup(of: Result<CallbackURL, SignInError>.self) { group in
        group.addTask {
          guard let url = await coordinator.callback() else {
            return .failure(.cancelled)
          }
          return .success(url)
        }
        group.addTask {
          do {
            try await clock.sleep(limit)
            return .failure(.expired)
          } catch {
            return .failure(.cancelled)
          }
        }
        let first = await group.next() ?? .failure(.cancelled)
        group.cancelAll()
        coordinator.withdraw()
        return first
      }
    } onCancel: {
      coordinator.withdraw()
    }
    return try outcome.get()
  }

  private static func host(of issuer: Issuer) -> String {
    URL(string: issuer.rawValue)?.host() ?? issuer.rawValue
  }

  private func keep(
    _ grant: Grant, _ purpose: SignInPurpose
  ) async throws(SignInError) -> DID {
    do throws(StoreFault) {
      try await accounts.adopt(grant, purpose)
    } catch {
      throw .store(error)
    }
    return grant.did
  }
}

package import ATIdentity
package import ATOAuth
import ATSyntax
import Foundation
import OAuth
import OpenSSLCrypto
package import SystemClients

/// Signs one person in at a time, from a wish to a stored account, whoever the provider is.
///
/// What a provider asks and answers its ``SignInFlow`` knows; that there is one page at a time, one
/// callback and one account at the end is the same for all.
package actor SignInService {
  private let accounts: AccountService
  private let grain: GrainSignIn
  private let platrium: PlatriumSignIn
  private let pixiv: PixivSignIn
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
  /// Hears its steps.
  var step: SignInDoor.Steps = { _ in }
  /// A page is being asked for anew.
  var isRenewing = false
  /// Why a page could not be shown again.
  var renewalFailure: SignInError?
  /// Waits for an answer on a port of ours, and until when.
  private var receiver: LoopbackReceiver?
  private var closesAt = Date.distantFuture
  /// The attempt of an earlier run, whose callback is taken already.
  private var leftPage: OpenPage?

  /// A service over two flows for Grain: of the published client, whose redirect goes to the shell, and
  /// of the loopback client (G97), used where the configuration offers it.
  package init(
    accounts: AccountService, identities: IdentityResolver, published: AuthorizationFlow,
    development: AuthorizationFlow, coordinator: CallbackCoordinator,
    configuration: CoreConfiguration, clock: SystemClock, store: AccountStore
  ) {
    self.accounts = accounts
    grain = GrainSignIn(
      identities: identities, published: published, development: development,
      source: accounts.sources.grain, configuration: configuration)
    platrium = PlatriumSignIn(accounts: accounts, configuration: configuration)
    pixiv = PixivSignIn(source: accounts.sources.pixiv, configuration: configuration)
    self.coordinator = coordinator
    self.configuration = configuration
    self.clock = clock
    shelf = AttemptShelf(store: store, clock: clock)
    schemes = SchemeMemory(store: store)
  }

  private func flow(_ provider: AccountProvider) -> any SignInFlow {
    switch provider {
    case .grain: grain
    case .platrium: platrium
    case .pixiv: pixiv
    }
  }

  /// Runs one sign-in to its end; cancelling the task ends the attempt and its port.
  ///
  /// - Parameters:
  ///   - target: whom to sign in.
  ///   - loopback: listen for the answer on a port of ours, where the provider allows it.
  ///   - step: hears each step before its work begins.
  /// - Returns: the account, which is stored and active.
  /// - Throws: why nobody was signed in; nothing is stored then.
  package func run(
    _ target: SignInTarget, loopback: Bool,
    step: @escaping @Sendable (SignInStep) async -> Void
  ) async throws(SignInError) -> AccountID {
    if isRunning { throw .busy }
    isRunning = true
    leftPage = nil
    defer { isRunning = false }
    return try await shown { () async throws(SignInError) in
      try await attempt(target, loopback: loopback, step: step)
    }
  }

  /// The sign-in that an earlier run left at its page (A17); its callback is taken from now on.
  ///
  /// - Returns: `nil` when there is none, or when another one is under way.
  package func left() async -> LeftSignIn? {
    guard !isRunning, let (left, isExpired) = await shelf.left({ await reopen($0) }), !isRunning
    else { return nil }
    if !isExpired {
      leftPage = left.page
      coordinator.register(left.page.expected)
    }
    return LeftSignIn(
      target: left.target, name: left.name, host: left.host, isExpired: isExpired)
  }

  /// The page of whichever provider wrote this.
  private func reopen(_ keepsake: Secret) async -> LeftPage? {
    for flow: any SignInFlow in [grain, platrium, pixiv] {
      if let left = await flow.reopen(keepsake) { return left }
    }
    return nil
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
    guard let page = leftPage else { throw .cancelled }
    isRunning = true
    leftPage = nil
    defer { isRunning = false }
    return try await shown { () async throws(SignInError) in try await finish(page, step) }
  }

  /// From now on a sign-in that is cancelled stays for the next run: it is the program that ends, not
  /// the person's wish.
  package func leave() { isLeaving = true }

  /// Waits for codes that were sent: what still comes is revoked, since nobody else knows of it (A46).
  package func settle() async {
    await grain.published.settle()
    await grain.development.settle()
  }

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
    _ target: SignInTarget, loopback: Bool, step: @escaping SignInDoor.Steps
  ) async throws(SignInError) -> AccountID {
    let open: OpenPort = { () async throws(SignInError) in try await self.openPort() }
    do throws(SignInError) {
      let opening = try await flow(target.provider).begin(
        target, port: loopback ? open : nil, step: step)
      if Task.isCancelled { throw .cancelled }
      let account: AccountID
      switch opening {
      case .signedIn(let signedIn): account = try await keep(signedIn, .use)
      case .page(var page):
        page.closesAt = closesAt
        coordinator.register(page.expected)
        if let keepsake = page.keepsake { await shelf.keep(keepsake) } else { await shelf.drop() }
        account = try await finish(page, step)
      }
      await closePort()
      return account
    } catch {
      await closePort()
      throw error
    }
  }

  /// Listens for an answer.
  ///
  /// - Returns: where.
  private func openPort() async throws(SignInError) -> String {
    let receiver = try await listen()
    self.receiver = receiver
    closesAt = clock.now().addingTimeInterval(Double(configuration.times.loopbackMs) / 1000)
    return receiver.redirectURI
  }

  private func closePort() async {
    await receiver.take()?.cancel()
    closesAt = .distantFuture
  }

  /// From the page on: waits for its callback, and signs in with it.
  private func finish(
    _ opened: OpenPage, _ step: @escaping SignInDoor.Steps
  ) async throws(SignInError) -> AccountID {
    let (url, page) = try await answer(to: opened, step)
    await step(.exchanging)
    return try await keep(try await page.redeem(url), page.purpose)
  }

  private func listen() async throws(SignInError) -> LoopbackReceiver {
    let coordinator = coordinator
    do throws(LoopbackReceiver.Failure) {
      return try await LoopbackReceiver.start(
        port: configuration.loopbackPort, timeout: .milliseconds(configuration.times.loopbackMs),
        clock: clock
      ) { url in
        guard coordinator.offer(url, from: .loopback) == .delivered else { return .ignored }
        return url.error == nil ? .accepted : .denied
      }
    } catch {
      throw .noPort(configuration.loopbackPort)
    }
  }

  private func keep(
    _ account: SignedInAccount, _ purpose: SignInPurpose
  ) async throws(SignInError) -> AccountID {
    do throws(StoreFault) {
      try await accounts.adopt(account, purpose)
    } catch {
      throw .store(error)
    }
    return account.id
  }
}

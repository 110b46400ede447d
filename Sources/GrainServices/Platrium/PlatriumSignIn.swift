import Foundation
import HTTPTransport
import OAuth
import OpenSSLCrypto
import PlatriumTokens
import SystemClients

/// Signing in to a Platrium service: in the browser, or with a token that was made by hand.
struct PlatriumSignIn: SignInFlow {
  let accounts: AccountService
  let configuration: CoreConfiguration

  private var source: PlatriumSource { accounts.sources.platrium }

  /// An ordinary browser brings the answer to a port of ours; otherwise the shell watches for the custom
  /// scheme (P19, P20, P24).
  func begin(
    _ target: SignInTarget, port: OpenPort?, step: @escaping SignInDoor.Steps
  ) async throws(SignInError) -> SignInOpening {
    switch target {
    case .platrium(let server, let device):
      return .page(try await page(try service(server), device, target, port, step))
    case .account(let account):
      let home = await accounts.record(account)?.platrium
      return .page(try await page(try service(home?.server), home?.device, target, port, step))
    case .platriumToken(let server, let token):
      let server = try service(server)
      await step(.contacting(host: server.host))
      let grant = PlatriumGrant.pasted(token)
      let issued = try await words(server) { () async throws(PlatriumError) in
        try await grant.redeem(await source.client(server))
      }
      return .signedIn(SignedInAccount(issued, at: server, device: nil, isPasted: true))
    case .name, .newAccount, .deletion, .pixiv: throw .serverInvalid(typed: "")
    }
  }

  private func service(_ typed: String?) throws(SignInError) -> PlatriumServer {
    guard let server = configuration.platrium(typed) else {
      throw .serverInvalid(typed: typed ?? configuration.platriumServer)
    }
    return server
  }

  /// Makes an attempt of its own, and the consent page for it.
  private func page(
    _ server: PlatriumServer, _ device: PlatriumDevice?, _ target: SignInTarget,
    _ port: OpenPort?, _ step: SignInDoor.Steps
  ) async throws(SignInError) -> OpenPage {
    await step(.contacting(host: server.host))
    let redirectURI = try await port?()
    let attempt: PlatriumAttempt
    do throws(CallbackRoute.Invalid) {
      attempt = try PlatriumAttempt(
        server: server, redirectURI: redirectURI ?? configuration.platriumRedirectURI,
        random: source.random)
    } catch {
      throw .clientUnavailable(host: server.host, detail: "the redirect is no address")
    }
    let identity = PlatriumClientIdentity(
      name: device?.name ?? configuration.platriumClientName, platform: device?.platform,
      appVersion: device?.appVersion)
    let kept = PlatriumKeepsake(
      attempt: attempt, target: target, device: device,
      expiresAt: source.clock.now().addingTimeInterval(
        TimeInterval(configuration.times.browserMs) / 1000))
    var page = page(
      kept,
      BrowserRequest(
        url: attempt.authorizationURL(for: identity).absoluteString, host: server.host,
        callback: redirectURI == nil ? .shell(attempt.route) : .core))
    // A port of ours ends with this run.
    if redirectURI == nil { page.keepsake = kept.sealable() }
    return page
  }

  private func page(_ kept: PlatriumKeepsake, _ request: BrowserRequest?) -> OpenPage {
    OpenPage(
      expected: ExpectedCallback(
        route: kept.attempt.route, binding: .state(kept.attempt.state), provider: .platrium),
      expiresAt: kept.expiresAt, request: request,
      redeem: { url async throws(SignInError) in try await redeem(url, kept) })
  }

  /// Its page cannot be shown a second time: who asks for it gets one of a new attempt.
  func reopen(_ keepsake: Secret) async -> LeftPage? {
    guard let kept = PlatriumKeepsake(unsealed: keepsake) else { return nil }
    let server = kept.attempt.server
    var target = kept.target
    if let account = kept.expected, await accounts.record(account) == nil {
      target = .platrium(server: server.base.absoluteString, device: kept.device)
    }
    var page = page(kept, nil)
    page.renew = { () async throws(SignInError) in
      try await self.page(server, kept.device, kept.target, nil) { _ in }
    }
    return LeftPage(page: page, target: target, name: "", host: server.host)
  }

  /// Exchanges the code, once: it is burned by the first try, and a lost answer means a new sign-in (P18).
  private func redeem(
    _ url: CallbackURL, _ kept: PlatriumKeepsake
  ) async throws(SignInError) -> SignedInAccount {
    let attempt = kept.attempt
    let grant = try await words(attempt.server) { () async throws(PlatriumError) in
      PlatriumGrant.code(try attempt.code(from: url), of: attempt)
    }
    let (source, client) = (source, await source.client(attempt.server))
    let outcome = await LastingExchange<SignedInAccount, PlatriumError>().run(
      in: source.exchanges
    ) {
      do throws(PlatriumError) {
        let issued = try await grant.redeem(client)
        return .success(
          SignedInAccount(issued, at: attempt.server, device: kept.device, isPasted: false))
      } catch {
        return .failure(error)
      }
    } giveBack: {
      await source.discard($0)
    }
    guard let outcome else { throw .cancelled }
    let account = try await words(attempt.server) { () async throws(PlatriumError) in
      try outcome.get()
    }
    guard kept.expected == nil || kept.expected == account.id else {
      await source.discard(account)
      throw .identityMismatch
    }
    return account
  }

  private func words<T: Sendable>(
    _ server: PlatriumServer, _ work: () async throws(PlatriumError) -> T
  ) async throws(SignInError) -> T {
    do throws(PlatriumError) {
      return try await work()
    } catch {
      throw SignInError(error, host: server.host)
    }
  }
}

extension SignedInAccount {
  /// What a service has answered. The e-mail address is no handle: it is shown only where there is no
  /// name.
  init(
    _ issued: IssuedPlatriumToken, at server: PlatriumServer, device: PlatriumDevice?,
    isPasted: Bool
  ) {
    let credentials = PlatriumCredentials(issued, at: server, isPasted: isPasted)
    self.init(
      id: credentials.account, handle: nil, displayName: issued.session.displayName,
      platrium: PlatriumHome(
        server: server.base.absoluteString, tenant: issued.session.tenantName, device: device),
      credentials: credentials.sealable())
  }
}

extension SignInError {
  /// A failed sign-in as a Platrium service, or the way there, reports it.
  init(_ error: PlatriumError, host: String) {
    self =
      switch error {
      case .denied: .denied
      case .callbackMismatch: .callbackMismatch
      case .invalidToken: .notAToken
      case .tokenGone: .tokenInvalid(host: host)
      case .codeRefused, .answerLost: .codeSpent(host: host, detail: nil)
      case .forbidden(let detail): .refused(host: host, error: "forbidden", detail: detail)
      case .notFound: .serverUnsupported(host: host, detail: "there is no Platrium service")
      case .rateLimited(let wait): .remote(.rateLimited(host: host, retryAfter: wait))
      case .refused(let code, let message): .refused(host: host, error: code, detail: message)
      case .server(let status): .remote(RemoteFault(status: status, host: host))
      case .network(.cancelled): .cancelled
      case .network(let error): .remote(RemoteFault(error, host: host))
      }
  }
}

import ATIdentity
import ATOAuth
import ATSyntax
import Foundation
import OAuth
import OpenSSLCrypto

/// Signing in at the account's own home server.
struct GrainSignIn: SignInFlow {
  let identities: IdentityResolver
  /// Of the published client, whose redirect goes to the shell.
  let published: AuthorizationFlow
  /// Of the loopback client (G97).
  let development: AuthorizationFlow
  let source: GrainSource
  let configuration: CoreConfiguration

  func begin(
    _ target: SignInTarget, port: OpenPort?, step: @escaping SignInDoor.Steps
  ) async throws(SignInError) -> SignInOpening {
    let (start, name) = try await self.start(target, step: step)
    let redirectURI = configuration.loopbackClient ? try await port?() : nil
    return .page(
      try await Asked(
        flow: redirectURI == nil ? published : development, source: source, start: start,
        name: name, redirectURI: redirectURI, purpose: target.purpose
      ).page())
  }

  func reopen(_ keepsake: Secret) async -> LeftPage? {
    let attempt: AuthorizationAttempt
    do throws(DamagedRecord) {
      attempt = try AuthorizationAttempt(unsealed: keepsake)
    } catch {
      return nil
    }
    guard let route = attempt.route else { return nil }
    let name = attempt.handle?.rawValue ?? attempt.expectedDID?.rawValue ?? ""
    var target = SignInTarget.newAccount
    if let account = attempt.expectedDID?.account {
      target = await source.list?.record(account) == nil ? .name(name) : .account(account)
    }
    let asked = Asked(
      flow: published, source: source, start: attempt.start, name: name, redirectURI: nil,
      purpose: .use)
    return LeftPage(
      page: asked.page(attempt, route: route, request: nil), target: target, name: name,
      host: attempt.issuerHost)
  }

  /// Whom to sign in, looked up once here so that the person sees the look-up as its own step.
  private func start(
    _ target: SignInTarget, step: @escaping SignInDoor.Steps
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
    case .platrium, .platriumToken, .pixiv: throw .handleInvalid(typed: "")
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
}

/// One page that is asked of an authorization server, perhaps more than once.
private struct Asked: Sendable {
  let flow: AuthorizationFlow
  let source: GrainSource
  /// Whom it signs in.
  let start: AuthorizationFlow.Start
  /// What the person typed, for words about it.
  let name: String
  /// Where a receiver of ours listens; `nil` when the shell brings the answer.
  let redirectURI: String?
  let purpose: SignInPurpose

  func page() async throws(SignInError) -> OpenPage {
    let started = try await words { () async throws(ATOAuthError) in
      try await flow.begin(start, redirectURI: redirectURI)
    }
    let request = BrowserRequest(
      url: started.authorizationURL, host: started.attempt.issuerHost,
      callback: redirectURI == nil ? .shell(started.route) : .core,
      opensUntil: started.opensUntil)
    return page(started.attempt, route: started.route, request: request)
  }

  func page(
    _ attempt: AuthorizationAttempt, route: CallbackRoute, request: BrowserRequest?
  ) -> OpenPage {
    var page = OpenPage(
      expected: ExpectedCallback(
        route: route, binding: .state(attempt.state), provider: .grain,
        issuer: attempt.issuer.rawValue),
      expiresAt: attempt.expiresAt, request: request, purpose: purpose,
      redeem: { url async throws(SignInError) in
        let grant = try await words { () async throws(ATOAuthError) in
          try await flow.complete(url, attempt: attempt)
        }
        return source.signedIn(grant)
      },
      renew: { () async throws(SignInError) in try await self.page() },
      abandon: { await flow.cancel(attempt) })
    // A port of ours ends with this run, and what a deletion was confirmed for does so as well.
    if redirectURI == nil, purpose == .use { page.keepsake = attempt.sealable() }
    return page
  }

  /// Runs a piece of the protocol and puts its failure into words about the name.
  private func words<T: Sendable>(
    _ work: @Sendable () async throws(ATOAuthError) -> T
  ) async throws(SignInError) -> T {
    do throws(ATOAuthError) {
      return try await work()
    } catch {
      throw SignInError(error, name: name)
    }
  }
}

extension AuthorizationAttempt {
  /// The host whose page it is.
  var issuerHost: String { URL(string: issuer.rawValue)?.host() ?? issuer.rawValue }

  /// Whom it signs in, as far as it says.
  var start: AuthorizationFlow.Start {
    guard let did = expectedDID else { return .signUp }
    return .account(handle.map { .handle($0) } ?? .did(did))
  }
}

extension BrowserRequest.Callback {
  /// The shell watches for a route.
  static func shell(_ route: CallbackRoute) -> BrowserRequest.Callback {
    .shell(scheme: route.scheme, host: route.host, path: route.path)
  }
}

package import ATIdentity
package import ATSyntax
import Foundation
package import HTTPTransport
import JOSE
package import OAuth
import OpenSSLCrypto
import SystemClients

/// Signs a person in at their own authorization server: ``begin(_:redirectURI:)`` up to the browser,
/// ``complete(_:attempt:)`` from the callback on.
///
/// The flow keeps no attempts; its caller does, so that they survive a restart. It remembers which
/// attempts have had their callback: the second callback of an attempt changes nothing, even while
/// the first is being worked on.
///
/// - SeeAlso: grain-product §5, atproto-wire §§3–8
package actor AuthorizationFlow {
  /// Whom to sign in.
  package enum Start: Sendable, Equatable {
    /// The account of a handle or DID.
    case account(ATIdentifier)
    /// The same account once more, because something follows for which nobody's word but its owner's is
    /// good enough (A45): a server that can is told to ask for it.
    case confirmation(ATIdentifier)
    /// An account that does not exist yet, at the configured home server (G25).
    case signUp
  }

  private let configuration: ATOAuthConfiguration
  private let identities: IdentityResolver
  private let environment: DPoPEnvironment
  private let discovery: ServerDiscovery
  private let endpoints: TokenEndpointClient
  private let grants: GrantClient
  /// Codes that were sent; by the deadlines of their requests they end.
  private nonisolated let exchanges = BackgroundWork()
  /// Digests of states whose callback came. An attempt ends within the hour; so few bytes may stay.
  private var consumed: Set<[UInt8]> = []

  /// A flow for one client configuration.
  package init(
    configuration: ATOAuthConfiguration, identities: IdentityResolver, http: HTTPClient,
    environment: DPoPEnvironment
  ) {
    self.configuration = configuration
    self.identities = identities
    self.environment = environment
    discovery = ServerDiscovery(
      http: http, nonces: environment.nonces,
      allowInsecureLoopback: configuration.allowInsecureLoopback)
    endpoints = TokenEndpointClient(http: http, environment: environment)
    grants = GrantClient(
      http: http, environment: environment, revocationDeadline: configuration.revocationDeadline)
  }

  /// Finds the account's authorization server and pushes a request to it.
  ///
  /// Every attempt has its own state, verifier and key.
  ///
  /// - `redirectURI`: where the browser comes back to, if a loopback receiver listens for this attempt.
  /// - Returns: the attempt to keep, and the address to open, once, in one browser.
  /// - Throws: ``ATOAuthError``; then there is nothing to open.
  package func begin(
    _ start: Start, redirectURI: String? = nil
  ) async throws(ATOAuthError) -> StartedAuthorization {
    let client = try configuration.identity(redirectURI: redirectURI)
    let route: CallbackRoute
    do {
      route = try CallbackRoute(redirectURI: client.redirectURI)
    } catch {
      throw .misconfigured(.redirectURI(client.redirectURI))
    }
    var identity: Identity?
    switch start {
    case .account(let name), .confirmation(let name): identity = try await resolve(name)
    case .signUp: break
    }
    let pds = identity?.pds ?? configuration.signUpPDS
    let server = try await discovery.authorizationServer(of: pds)
    if start == .signUp { try Self.requireSignUp(at: server) }

    let pkce = PKCE.make(random: environment.random)
    let createdAt = environment.clock.now()
    let attempt = AuthorizationAttempt(
      state: Secret(text: Base64URL.encode(environment.random.bytes(32))), issuer: server.issuer,
      tokenEndpoint: server.tokenEndpoint, revocationEndpoint: server.revocationEndpoint,
      verifier: pkce.verifier, dpopKey: .generate(), client: client, scope: configuration.scope,
      pds: pds, expectedDID: identity?.did, handle: identity?.handle, createdAt: createdAt,
      expiresAt: createdAt.addingTimeInterval(configuration.callbackLifetime / .seconds(1)))
    let pushed = try await push(attempt, pkce: pkce, start: start, server: server)
    return StartedAuthorization(
      attempt: attempt,
      authorizationURL: pushed.authorizationURL(
        endpoint: server.authorizationEndpoint, clientID: client.clientID),
      opensUntil: pushed.expiresAt, route: route)
  }

  /// Takes a callback through every check and its code to tokens that are proven to be the account's.
  ///
  /// Checks, in this order: the URL and its route, the state, the attempt (unused, unexpired), the
  /// issuer, an error, the code. From the state on the attempt is used up, whatever follows. Tokens that
  /// fail a later check are revoked before this throws.
  ///
  /// - `callback`: the URL as it arrived; it is never stored or logged.
  /// - Throws: ``ATOAuthError``; `callbackMismatch` of the kinds `malformed`, `route` and `state`, and
  ///   `alreadyUsed`, leave the attempt as it was.
  package func complete(
    _ callback: String, attempt: AuthorizationAttempt
  ) async throws(ATOAuthError) -> Grant {
    let url: CallbackURL
    do {
      url = try CallbackURL(callback)
    } catch {
      throw .callbackMismatch(.malformed(error))
    }
    return try await complete(url, attempt: attempt)
  }

  /// The same for a callback that was taken apart already, by a loopback receiver.
  package func complete(
    _ callback: CallbackURL, attempt: AuthorizationAttempt
  ) async throws(ATOAuthError) -> Grant {
    let code = try consume(callback, of: attempt)
    let outcome = await LastingExchange<Grant, ATOAuthError>().run(in: exchanges) {
      do throws(ATOAuthError) {
        return .success(try await self.exchange(code, attempt: attempt))
      } catch {
        return .failure(error)
      }
    } giveBack: { [grants] grant in
      guard let revocation = Revocation(of: grant) else { return }
      await grants.revoke(revocation)
    }
    guard let outcome else { throw .network(host: attempt.tokenEndpoint.hostName, .cancelled) }
    return try outcome.get()
  }

  /// Exchanges the code and proves whose tokens came; those that are not kept are revoked.
  private func exchange(
    _ code: Secret, attempt: AuthorizationAttempt
  ) async throws(ATOAuthError) -> Grant {
    let answer: TokenEndpointClient.Answer
    do {
      answer = try await endpoints.post(
        [
          .plain("grant_type", "authorization_code"), .plain("client_id", attempt.client.clientID),
          .secret("code", code), .plain("redirect_uri", attempt.client.redirectURI),
          .secret("code_verifier", attempt.verifier),
        ], to: attempt.tokenEndpoint, prover: DPoPProver(key: attempt.dpopKey))
    } catch {
      throw error.signInError(at: attempt.tokenEndpoint)
    }
    do throws(ATOAuthError) {
      return try await prove(try Self.tokens(in: answer, of: attempt), attempt: attempt)
    } catch {
      // Also tokens that cannot be used, a bearer's say, are good for whoever has them.
      if let revocation = Revocation(ofTokensIn: answer, for: attempt) {
        await grants.revoke(revocation)
      }
      throw error
    }
  }

  private static func tokens(
    in answer: TokenEndpointClient.Answer, of attempt: AuthorizationAttempt
  ) throws(ATOAuthError) -> TokenResponse {
    do {
      return try TokenResponse(answer)
    } catch {
      throw error.signInError(at: attempt.tokenEndpoint)
    }
  }

  /// Gives an attempt up: a callback that still comes is refused.
  package func cancel(_ attempt: AuthorizationAttempt) {
    consumed.insert(Digest.sha256(attempt.state))
  }

  /// Returns when no code is being exchanged, and no tokens that came too late are being revoked.
  package nonisolated func settle() async { await exchanges.ended() }

  // MARK: Leaving

  /// A server that says which prompts it takes, and not this one, makes no accounts that way; one that
  /// says nothing is asked.
  private static func requireSignUp(
    at server: AuthorizationServerMetadata
  ) throws(ATOAuthError) {
    guard server.promptValues.isEmpty || server.promptValues.contains("create") else {
      throw .serverUnsupported(
        host: server.issuer.rawValue,
        .metadata(.unsupported(member: "prompt_values_supported", value: "create")))
    }
  }

  private func resolve(_ name: ATIdentifier) async throws(ATOAuthError) -> Identity {
    do {
      return try await identities.resolve(name)
    } catch {
      throw .identity(error)
    }
  }

  private func push(
    _ attempt: AuthorizationAttempt, pkce: PKCE, start: Start, server: AuthorizationServerMetadata
  ) async throws(ATOAuthError) -> PushedAuthorization {
    var fields: [FormField] = [
      .plain("client_id", attempt.client.clientID), .plain("response_type", "code"),
      .plain("redirect_uri", attempt.client.redirectURI), .plain("scope", attempt.scope),
      .secret("state", attempt.state), .plain("code_challenge", pkce.challenge),
      .plain("code_challenge_method", PKCE.method),
    ]
    switch start {
    case .account(let name): fields.append(.plain("login_hint", name.rawValue))
    case .confirmation(let name):
      fields.append(.plain("login_hint", name.rawValue))
      if server.promptValues.contains("login") { fields.append(.plain("prompt", "login")) }
    case .signUp: fields.append(.plain("prompt", "create"))
    }
    let endpoint = server.pushedAuthorizationRequestEndpoint
    do {
      return try PushedAuthorization(
        try await endpoints.post(fields, to: endpoint, prover: DPoPProver(key: attempt.dpopKey)))
    } catch {
      throw error.signInError(at: endpoint)
    }
  }

  // MARK: Coming back

  private func consume(
    _ callback: CallbackURL, of attempt: AuthorizationAttempt
  ) throws(ATOAuthError) -> Secret {
    guard attempt.route?.matches(callback) == true else { throw .callbackMismatch(.route) }
    guard attempt.hasState(callback.state) else { throw .callbackMismatch(.state) }
    guard consumed.insert(Digest.sha256(attempt.state)).inserted else { throw .alreadyUsed }
    guard environment.clock.now() < attempt.expiresAt else { throw .expired }
    guard callback.issuer == attempt.issuer.rawValue else {
      throw .callbackMismatch(
        .issuer(
          expected: attempt.issuer.rawValue,
          found: callback.issuer.map { ServerText.clean($0, limit: 200) }))
    }
    if let error = callback.error {
      if error == "access_denied" { throw .denied }
      let body = OAuthErrorBody(
        error: error, description: callback.errorDescription,
        hiding: [attempt.state, attempt.verifier])
      throw .server(
        host: attempt.issuer.rawValue, status: 400, error: body.error,
        description: body.description, retryAfter: nil)
    }
    guard let code = callback.code, !code.isEmpty else { throw .callbackMismatch(.noCode) }
    return Secret(text: code)
  }

  /// Whose tokens these are, by the account's own word: its document, fetched again, names the home
  /// server, and that one's authorization server is the one that was asked.
  private func prove(
    _ response: TokenResponse, attempt: AuthorizationAttempt
  ) async throws(ATOAuthError) -> Grant {
    let did = try subject(of: response)
    guard attempt.expectedDID == nil || attempt.expectedDID == did else {
      throw .identityMismatch(.otherAccount)
    }
    guard let scope = response.scope, ScopeSet(scope).hasATProto else {
      throw .scopeRefused(granted: response.scope.map { ServerText.clean($0, limit: 300) })
    }
    let document: DIDDocument
    do {
      document = try await identities.document(for: did, fresh: true)
    } catch {
      throw .identity(error)
    }
    guard let pds = document.pds else { throw .identity(.noPDS(did)) }
    if pds != attempt.pds {
      let server = try await discovery.authorizationServer(of: pds)
      guard server.issuer == attempt.issuer else {
        throw .identityMismatch(
          .hostedElsewhere(
            expected: attempt.issuer.rawValue, found: server.issuer.rawValue))
      }
    }
    // Another handle than the one that was confirmed at the beginning is looked up once the tokens are
    // stored: nothing slow stands between them and the disk (FB-A26).
    let handle = attempt.handle.flatMap { document.handle == $0 ? $0 : nil }
    return Grant(
      did: did, handle: handle, pds: pds, issuer: attempt.issuer,
      tokenEndpoint: attempt.tokenEndpoint, revocationEndpoint: attempt.revocationEndpoint,
      clientID: attempt.client.clientID,
      tokens: TokenSet(
        accessToken: response.accessToken, refreshToken: response.refreshToken,
        expiresAt: response.expiresAt, scope: scope),
      dpopKey: attempt.dpopKey)
  }

  private func subject(of response: TokenResponse) throws(ATOAuthError) -> DID {
    do {
      let did = try DID(response.subject ?? "")
      guard did.isBlessed else { throw ATOAuthError.identityMismatch(.noSubject) }
      return did
    } catch {
      throw .identityMismatch(.noSubject)
    }
  }
}

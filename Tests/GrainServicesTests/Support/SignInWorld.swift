import ATIdentity
import ATOAuth
import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto

/// A sign-in service over scripted servers: Alice's own, and a sign-up server. Every answer is right
/// unless a test replaces it.
final class SignInWorld: Sendable {
  let base: AccountsWorld
  let accounts: AccountService
  let coordinator = CallbackCoordinator()
  let service: SignInService
  let steps = Recorder<SignInStep>()
  /// Opened by the service when the page is to be shown.
  let page = Gate()
  /// Opened by a second sign-in of a test.
  let again = Gate()
  let flow: AuthorizationFlow
  private let development: AuthorizationFlow
  private let identities: IdentityResolver
  private let configuration: CoreConfiguration

  var http: AddressedHTTP { base.http }
  var clock: TestClock { base.clock }

  init(
    signedIn: DID? = nil, loopbackClient: Bool = false,
    configuration: CoreConfiguration = CoreConfiguration()
  ) async throws {
    base = try await AccountsWorld()
    if let signedIn {
      _ = try await base.store.adopt(AccountsWorld.grant(signedIn), missingScopes: [])
    }
    var configuration = configuration
    configuration.loopbackClient = loopbackClient
    accounts = base.service(configuration)
    await accounts.restore()
    let identities = IdentityResolver(
      configuration: IdentityConfiguration(
        plcDirectory: try AccountsWorld.url(configuration.plcDirectory),
        handleResolver: try AccountsWorld.url(configuration.handleResolver),
        allowTestHandles: true),
      http: base.http.client, clock: base.clock.clock)
    let world = base
    func flow(_ client: ATOAuthConfiguration.Client) throws -> AuthorizationFlow {
      AuthorizationFlow(
        configuration: ATOAuthConfiguration(
          client: client, redirectURI: configuration.redirectURI,
          scope: configuration.appView?.scope ?? "",
          signUpPDS: try AccountsWorld.url(configuration.signUpPDS),
          callbackLifetime: .milliseconds(configuration.times.browserMs)),
        identities: identities, http: world.http.client, environment: world.environment)
    }
    self.flow = try flow(.document(configuration.clientID))
    development = try flow(.development)
    self.identities = identities
    self.configuration = configuration
    service = SignInService(
      accounts: accounts, identities: identities, published: self.flow,
      development: development, coordinator: coordinator, configuration: configuration,
      clock: base.clock.clock, store: base.store)
    script()
  }

  /// The sign-in service of the program's next run.
  func restarted(
    over store: AccountStore? = nil
  ) -> (service: SignInService, coordinator: CallbackCoordinator) {
    let coordinator = CallbackCoordinator()
    let service = SignInService(
      accounts: accounts, identities: identities, published: flow, development: development,
      coordinator: coordinator, configuration: configuration, clock: base.clock.clock,
      store: store ?? base.store)
    return (service, coordinator)
  }

  /// An attempt whose answer comes to a port.
  func loopbackAttempt() async throws -> AuthorizationAttempt {
    try await development.begin(
      .account(.did(AccountsWorld.alice)), redirectURI: "http://127.0.0.1:5555/"
    ).attempt
  }

  private func script() {
    let alice = AccountsWorld.alice.rawValue
    http.answer("alice.test/.well-known/atproto-did", .text(alice))
    http.answer(
      "plc.directory/\(alice)",
      .didDocument(alice, handle: "alice.test", pds: "https://pds.alice.test"))
    for (pds, server) in [
      ("https://pds.alice.test", "https://as.alice.test"),
      ("https://selfhosted.social", "https://selfhosted.social"),
    ] {
      http.answer(
        "\(pds.dropFirst(8))/.well-known/oauth-protected-resource",
        .protectedResource(pds, server: server))
      http.answer(
        "\(server.dropFirst(8))/.well-known/oauth-authorization-server",
        .authorizationServer(server, extra: ""))
      http.answer(
        "\(server.dropFirst(8))/oauth/par",
        .json(#"{"request_uri":"urn:req-1","expires_in":299}"#, status: 201))
      http.answer("\(server.dropFirst(8))/oauth/revoke", .json("{}"))
    }
    http.answer(Self.tokenEndpoint, Self.tokens())
  }

  static let tokenEndpoint = "as.alice.test/oauth/token"

  /// What a token endpoint gives for Alice's code.
  static func tokens(
    subject: String = AccountsWorld.alice.rawValue,
    scope: String = CoreConfiguration().appView?.scope ?? ""
  ) -> ScriptedHTTP.Answer {
    .json(
      """
      {"access_token":"access-1","refresh_token":"refresh-1","token_type":"DPoP",
      "expires_in":3600,"scope":"\(scope)","sub":"\(subject)"}
      """)
  }

  /// Starts a sign-in; what it comes to is the task's value.
  func start(
    _ target: SignInTarget = .name("alice.test"), loopback: Bool = false
  ) -> Task<Result<AccountID, SignInError>, Never> {
    Task {
      do throws(SignInError) {
        return .success(
          try await service.run(target, loopback: loopback) { [steps, page] step in
            steps.record(step)
            if case .waitingForBrowser = step {
              page.open()
              await page.pass()
            }
          })
      } catch {
        return .failure(error)
      }
    }
  }

  /// The callback a server would send the browser to, for the newest pushed request.
  func callback(
    _ outcome: String = "code=cod-1", issuer: String = "https://as.alice.test",
    state: String? = nil
  ) -> String {
    let pushed = http.requests.last { $0.url.path.hasSuffix("/oauth/par") }
    let fields = form(pushed)
    let issuer = FormURLEncoding.percentEncoded(issuer)
    return "\(fields["redirect_uri"] ?? "")?state=\(state ?? fields["state"] ?? "")"
      + "&iss=\(issuer)&\(outcome)"
  }

  /// An attempt of Alice's that has been pushed, for the coordinator alone.
  func attempt() async throws -> ExpectedCallback {
    let started = try await flow.begin(.account(.did(AccountsWorld.alice)))
    return ExpectedCallback(
      route: started.route, binding: .state(started.attempt.state), provider: .grain)
  }
}

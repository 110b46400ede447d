import ATIdentity
import ATOAuth
import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import PixivOAuth
import Sandbox
import SystemClients
import Testing

/// The services over real connections to the sandbox's Platrium and Pixiv, which judge what they are asked.
@Suite("Platrium and Pixiv as the sandbox plays them")
final class SandboxProvidersTests: Sendable {
  private let base: AccountsWorld
  private let network: SandboxNetwork
  private let http = HTTPClient.loopback()
  private let configuration: CoreConfiguration

  init() async throws {
    base = try await AccountsWorld()
    network = try await SandboxNetwork.start()
    var configuration = CoreConfiguration()
    configuration.allowInsecureLoopback = true
    configuration.platriumServer = network.addresses.platrium.absoluteString
    let (pixiv, settings) = (network.addresses.pixiv, PixivServiceSettings())
    configuration.pixivClientID = settings.clientID
    configuration.pixivClientSecret = ConfiguredSecret(settings.clientSecret)
    configuration.pixivHashSalt = ConfiguredSecret(settings.hashSalt)
    configuration.pixivLoginBase = pixiv.absoluteString
    configuration.pixivTokenURL = pixiv.appending(path: "auth/token").absoluteString
    configuration.pixivAPIBase = pixiv.absoluteString
    self.configuration = configuration
  }

  deinit {
    let network = network
    Task { await network.stop() }
  }

  // MARK: A core

  /// One run of a core over the data of this test.
  private func core() async throws -> Core {
    let accounts = AccountService(
      store: try await base.reopenedStore(), drafts: base.drafts, http: http,
      environment: .init(nonces: base.nonces, clock: .live, random: .live),
      configuration: configuration, log: .silent)
    await accounts.restore()
    let identities = IdentityResolver(
      configuration: IdentityConfiguration(
        plcDirectory: network.addresses.plc, handleResolver: network.addresses.appView),
      http: http, clock: .live)
    let flow = AuthorizationFlow(
      configuration: ATOAuthConfiguration(
        client: .development, redirectURI: configuration.redirectURI, scope: "atproto",
        signUpPDS: network.addresses.signUpPDS),
      identities: identities, http: http,
      environment: .init(nonces: base.nonces, clock: .live, random: .live))
    let coordinator = CallbackCoordinator()
    let signIn = SignInService(
      accounts: accounts, identities: identities, published: flow, development: flow,
      coordinator: coordinator, configuration: configuration, clock: .live, store: base.store)
    return Core(accounts: accounts, coordinator: coordinator, signIn: signIn)
  }

  private struct Core {
    let accounts: AccountService
    let coordinator: CallbackCoordinator
    let signIn: SignInService

    /// Signs in; `visit` is the person, and gives the addresses the shell or the browser sees.
    func run(
      _ target: SignInTarget, loopback: Bool = false,
      visit: @escaping @Sendable (URL) async throws -> [URL]
    ) async throws -> AccountID {
      try await signIn.run(target, loopback: loopback) { step in
        guard case .waitingForBrowser(let request) = step, let page = URL(string: request.url)
        else { return }
        do {
          for address in try await visit(page) {
            _ = coordinator.offer(address.absoluteString)
          }
        } catch {
          Issue.record(error)
          coordinator.withdraw()
        }
      }
    }
  }

  private func approve(_ core: Core, _ target: SignInTarget) async throws -> AccountID {
    let visitor = PlatriumVisitor(http: http)
    return try await core.run(target) { [try await visitor.approve($0)] }
  }

  private static let device = PlatriumDevice(name: "Phone", platform: "IOS", appVersion: "1")

  // MARK: Platrium

  @Test(
    "a device signs in, is in the list, gets push, is there after a relaunch, and is gone after its sign-out (P1–P8, P10–P19, P23, P34–P36, P39–P44, A2, A40, A47)"
  )
  func platriumDevice() async throws {
    let core = try await core()
    let account = try await approve(core, .platrium(server: nil, device: Self.device))
    let devices = DevicesDoor.live(core.accounts)
    try await devices.setPush(account, "APNS", Secret(text: "push-1"))
    let list = try await devices.list(account)
    #expect(list.map(\.name) == ["Phone"])
    #expect(list.first?.pushTransport == "APNS")
    #expect(list.first?.isCurrent == true)
    #expect(try await network.tokenService.clients(of: "usr_alice").first?.pushToken == "push-1")

    let next = try await self.core()
    await next.accounts.upkeepEnded()
    let state = await next.accounts.state()
    #expect(state?.session == .signedIn(account))
    #expect(state?.accounts.first?.displayName == "Alice")
    #expect(state?.accounts.first?.platrium?.tenant == "Harbour")
    try await next.accounts.signOut(account, discardDrafts: false)
    #expect(try await network.tokenService.clients(of: "usr_alice").isEmpty)
    #expect(try base.count("revocation") == 0)
  }

  @Test("an app signs in over a port of ours (P6, P20, P24)")
  func platriumLoopback() async throws {
    let core = try await core()
    let (visitor, http) = (PlatriumVisitor(http: http), http)
    let account = try await core.run(.platrium(server: nil, device: nil), loopback: true) { page in
      let callback = try await visitor.approve(page)
      #expect(callback.host() == "127.0.0.1")
      #expect(try await http.send(HTTPRequest(url: callback)).status == 200)
      return []
    }
    #expect(account.provider == .platrium)
    #expect(try await network.tokenService.clients(of: "usr_alice").map(\.device) == [nil])
  }

  @Test(
    "a token made by hand is pasted and used; revoked at the service it ends here (P9, P25, P37, P38, A42)"
  )
  func platriumPasted() async throws {
    let core = try await core()
    let text = try await PlatriumVisitor(http: http).makeToken(
      at: network.addresses.platrium, name: "Backup")
    let account = try await core.signIn.run(
      .platriumToken(server: nil, token: Secret(text: text)), loopback: false
    ) { _ in }
    #expect(await core.accounts.state()?.session == .signedIn(account))
    try await network.tokenService.revokeAll(of: "usr_alice")
    let next = try await self.core()
    await next.accounts.upkeepEnded()
    #expect(await next.accounts.state()?.accounts.first?.standing == .expired(.refused))
    #expect(await next.accounts.state()?.session == .signedOut(.ended(.refused)))
  }

  @Test(
    "one's own entry revoked signs out; a new sign-in replaces the older token at the service (P8, P38)"
  )
  func platriumAgain() async throws {
    let core = try await core()
    let account = try await approve(core, .platrium(server: nil, device: Self.device))
    let first = try await network.tokenService.clients(of: "usr_alice").map(\.id)
    #expect(try await approve(core, .account(account)) == account)
    await core.accounts.revocationsEnded()
    let second = try await network.tokenService.clients(of: "usr_alice").map(\.id)
    #expect(second.count == 1 && second != first)
    let devices = DevicesDoor.live(core.accounts)
    try await devices.revoke(account, try #require(second.first))
    #expect(await core.accounts.state()?.accounts == [])
  }

  @Test("a no in the browser is a no (FB-B5)")
  func platriumDenied() async throws {
    let core = try await core()
    let visitor = PlatriumVisitor(http: http)
    await #expect(throws: SignInError.denied) {
      try await core.run(.platrium(server: nil, device: nil)) { [try await visitor.deny($0)] }
    }
  }

  // MARK: Pixiv

  private func pixiv(_ core: Core, _ target: SignInTarget = .pixiv) async throws -> AccountID {
    let visitor = PixivVisitor(http: http)
    // Every address the web view saw is offered, as a shell may do: only the last is the callback (FB-G3).
    return try await core.run(target) { try await visitor.signIn($0) }
  }

  @Test(
    "Pixiv signs in, is there after a relaunch, refreshes by itself and stays signed out (X1–X10, X17, X21–X23, A41)"
  )
  func pixivStory() async throws {
    let core = try await core()
    let account = try await pixiv(core)
    let state = await core.accounts.state()
    #expect(state?.accounts.first?.handle == "alice")
    #expect(state?.accounts.first?.displayName == "アリス")
    try await network.pixivService.expireAccessTokens(of: "alice")
    let user = try await core.accounts.sources.pixiv.send(.userDetail("1001"), as: account)
    #expect(user.account == "alice")

    let next = try await self.core()
    await next.accounts.upkeepEnded()
    #expect(await next.accounts.state()?.session == .signedIn(account))
    let again = try await next.accounts.sources.pixiv.send(.userDetail("1001"), as: account)
    #expect(again == user)
    try await next.accounts.signOut(account, discardDrafts: false)
    #expect(await (try await self.core()).accounts.state()?.session == .signedOut(nil))
  }

  @Test(
    "a grant that Pixiv has revoked ends the account at the next refresh, and it can come back (X18, A42)"
  )
  func pixivRevoked() async throws {
    let core = try await core()
    let account = try await pixiv(core)
    try await network.pixivService.revokeTokens(of: "alice")
    await #expect(throws: PixivError.self) {
      try await core.accounts.sources.pixiv.send(.userDetail("1001"), as: account)
    }
    #expect(await core.accounts.state()?.accounts.first?.standing == .expired(.refused))
    #expect(try await pixiv(core, .account(account)) == account)
    #expect(await core.accounts.state()?.accounts.map(\.standing) == [.ok])
  }

  @Test("three providers stand in one list, and each leaves alone (A32, X25)")
  func together() async throws {
    let core = try await core()
    try await core.accounts.adopt(AccountsWorld.grant(revocable: false))
    let platrium = try await approve(core, .platrium(server: nil, device: nil))
    let pixiv = try await pixiv(core)
    let alice = AccountsWorld.alice.account
    #expect(await core.accounts.state()?.accounts.map(\.id) == [alice, platrium, pixiv])
    #expect(await core.accounts.state()?.active == pixiv)
    try await core.accounts.activate(platrium)
    try await core.accounts.signOut(platrium, discardDrafts: false)
    #expect(await core.accounts.state()?.accounts.map(\.id) == [alice, pixiv])
    #expect(await core.accounts.state()?.session == .signedIn(alice))
  }
}

import ATSyntax
import Foundation
import GrainLexicon
import HTTPServing
import HTTPTransport
import SystemClients

/// Puts the servers of a network together once their addresses are known.
struct NetworkBuilder {
  let addresses: SandboxAddresses
  let plcDirectory: PLCDirectory
  let appView: AppView
  let homes: [SandboxNetwork.Home]
  let tokenService: TokenService
  let pixivService: PixivService
  private let servers: [SandboxConfiguration.ServerName: SandboxServer]

  /// `clock` is the servers' own, which may be skewed; `start` counts the earlier starts on the
  /// same database; `verifier` judges tokens instead of the authorization servers, for tests of
  /// what comes after.
  init(
    _ configuration: SandboxConfiguration, _ store: SandboxStore, _ clock: SystemClock,
    _ listeners: SandboxListeners, start: Int64, verifier: (any AccessVerifier)?
  ) throws {
    let servers = listeners.servers
    self.servers = servers
    func url(_ name: SandboxConfiguration.ServerName) throws -> URL {
      guard let server = servers[name] else { throw HTTPError.invalidURL }
      return server.url
    }
    let service = AppViewService(did: try DID(webHost: try url(.appView).authority))
    let client = SandboxClient(configuration, appView: try url(.appView), secure: listeners.secure)
    let addresses = SandboxAddresses(
      plc: try url(.plc), appView: try url(.appView), pds: try url(.pds),
      entryway: try url(.entryway), hostedPDS: try url(.hostedPDS),
      signUpPDS: try url(.signUpPDS), platrium: try url(.platrium),
      pixiv: try url(.pixiv), appViewService: service,
      clientID: client.id,
      redirectURI: client.redirectURIs.first ?? "",
      serviceConfiguration: SandboxAddresses.serviceConfiguration(
        platrium: try url(.platrium), pixiv: try url(.pixiv), configuration.pixiv),
      domain: listeners.names.domain,
      secure: listeners.secure)
    self.addresses = addresses
    // Deadlines between servers are real, whatever time it is in the network.
    let http = HTTPClient.live(addresses.policy, userAgent: "grain-sandbox", clock: .live)
    let random = configuration.random ?? Self.random(seed: configuration.seed, start: start)
    // Not the same one: what the accounts are made from stays as it was.
    let otherRandom =
      configuration.random ?? Self.random(seed: configuration.seed ^ 0x706C_6174, start: start)
    plcDirectory = PLCDirectory(store: store)
    appView = AppView(
      url: addresses.appView, service: service,
      clientDocument: configuration.clientDocument
        ?? SandboxAddresses.clientDocument(
          clientID: client.id, redirectURIs: client.redirectURIs, service: service),
      plcDirectory: addresses.plc, store: store, http: http, clock: clock)

    tokenService = TokenService(
      url: addresses.platrium, store: store, clock: clock, random: otherRandom,
      settings: configuration.tokenService)
    pixivService = PixivService(
      url: addresses.pixiv, store: store, clock: clock, random: otherRandom,
      settings: configuration.pixiv)

    func home(
      _ name: SandboxConfiguration.ServerName, _ url: URL, issuer: URL
    ) -> SandboxNetwork.Home {
      let accounts = HostedAccounts(
        server: name.rawValue, pds: url, handleDomains: [listeners.names.handleDomain(of: name)],
        plcDirectory: addresses.plc,
        store: store, http: http, clock: clock, random: random)
      let authorizationServer = AuthorizationServer(
        issuer: issuer, protectedResources: issuer == url ? [url] : [], accounts: accounts,
        store: store, http: http, clock: clock, random: random,
        settings: configuration.authorization)
      var settings = PersonalDataServer.Settings(
        url: url, issuer: issuer, answersForHandles: issuer == url)
      settings.blobUploadLimit = configuration.blobUploadLimit
      let server = PersonalDataServer(
        settings: settings, accounts: accounts, verifier: verifier ?? authorizationServer)
      return SandboxNetwork.Home(
        name: name, accounts: accounts, server: server, authorizationServer: authorizationServer)
    }
    homes = [
      home(.pds, addresses.pds, issuer: addresses.pds),
      home(.hostedPDS, addresses.hostedPDS, issuer: addresses.entryway),
      home(.signUpPDS, addresses.signUpPDS, issuer: addresses.signUpPDS),
    ]
  }

  /// Gives every server its handler.
  func openDoors(log: RequestLog, faults: SandboxFaults) {
    let control = ControlDoor(
      faults: faults, log: log, tokenService: tokenService, pixivService: pixivService)
    for server in servers.values { server.setControl(control) }
    servers[.plc]?.serve { [plcDirectory] in await plcDirectory.handle($0) }
    servers[.appView]?.serve { [appView] in await appView.handle($0) }
    servers[.platrium]?.serve { [tokenService] in await tokenService.handle($0) }
    servers[.pixiv]?.serve { [pixivService] in await pixivService.handle($0) }
    for home in homes {
      let isSelfContained = home.server.settings.issuer == home.server.settings.url
      servers[home.name]?.serve { request in
        if let response = await home.server.handle(request) { return response }
        guard isSelfContained else { return .noSuchPage }
        return await home.authorizationServer.handle(request) ?? .noSuchPage
      }
      guard !isSelfContained else { continue }
      // The entryway answers for the handles of the accounts it signs in.
      servers[.entryway]?.serve { request in
        if request.path == "/.well-known/atproto-did" {
          return await home.accounts.handleDocument(for: request)
        }
        return await home.authorizationServer.handle(request) ?? .noSuchPage
      }
    }
  }

  /// Randomness of a start. Every start on one database has its own: a token drawn twice would be
  /// taken for a replay of the first.
  private static func random(seed: UInt64, start: Int64) -> SystemRandom {
    .seeded(seed, run: UInt64(bitPattern: start))
  }
}

extension HTTPServerResponse {
  /// What a path outside the API answers (wire §10.6).
  static var noSuchPage: HTTPServerResponse {
    .html("<!DOCTYPE html><html><body><pre>Not Found</pre></body></html>", status: 404)
  }
}

/// The app as this network's servers know it.
private struct SandboxClient {
  let id: String
  let redirectURIs: [String]

  /// The configured one; over https it lives at the AppView's own name, so that nobody's hosts file
  /// has to bend a name of the real world.
  init(_ configuration: SandboxConfiguration, appView: URL, secure: SecureAddresses?) {
    guard secure != nil, let host = appView.host() else {
      id = configuration.clientID
      redirectURIs = configuration.redirectURIs
      return
    }
    id = "\(appView.absoluteString)/oauth/app-client-metadata.json"
    let scheme = host.split(separator: ".").reversed().joined(separator: ".")
    redirectURIs = ["\(scheme):/oauth/callback"]
  }
}

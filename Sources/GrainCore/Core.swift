import ATIdentity
import ATOAuth
import ATSyntax
import Foundation
import GrainLexicon
package import GrainModels
package import GrainServices
package import HTTPTransport
import OAuth
import SQLiteDatabase
package import SystemClients

/// The one place where live parts are wired: a data folder and a configuration in, models out.
package final class Core: Sendable {
  /// The doors to the machine a core goes through.
  package struct Doors: Sendable {
    /// The machine's clock.
    package var clock: SystemClock
    /// Where random bytes come from.
    package var random: SystemRandom
    /// How image tools are run.
    package var programs: ProgramRunner
    /// Where log lines go.
    package var log: Log
    /// Where the key of the account store may lie.
    package var keys: KeyPlaces
    /// The network; `nil` makes the real one under the configuration's policy.
    package var http: HTTPClient?
    /// Measures how long servers and shells may take; unless given, the clock does.
    package var patience: SystemClock?
    /// Where the names of sessions, drafts and records come from; unless given, with the rest.
    package var ids: SystemRandom?
    /// What stands between the core and its network.
    package var around: @Sendable (HTTPClient) -> HTTPClient = { $0 }

    /// The real doors, unless others are given.
    package init(
      clock: SystemClock = .live, random: SystemRandom = .live, programs: ProgramRunner = .live,
      log: Log = .silent, keys: KeyPlaces = .file, http: HTTPClient? = nil
    ) {
      self.clock = clock
      self.random = random
      self.programs = programs
      self.log = log
      self.keys = keys
      self.http = http
    }
  }

  /// The models of this core.
  package let models: CoreModels
  private let accounts: AccountService
  private let signIn: SignInService
  private let folder: DataFolder
  private let vault: VaultKeeper
  /// Where `grain-core deliver` knocks; `nil` where the folder takes no socket.
  private let deliveries: FolderSocket?

  private init(
    models: CoreModels, accounts: AccountService, signIn: SignInService, folder: DataFolder,
    vault: VaultKeeper, deliveries: FolderSocket?
  ) {
    self.models = models
    self.accounts = accounts
    self.signIn = signIn
    self.folder = folder
    self.vault = vault
    self.deliveries = deliveries
  }

  /// Where a configuration comes from, asked once the data folder is ours: a development network of
  /// one's own lives in that folder too.
  package typealias ConfigurationSource = @Sendable () async throws(StoreFault) -> CoreConfiguration

  /// Opens the data folder, takes its lock, and builds the house over it.
  ///
  /// A key that cannot be had is no error: the accounts are `restoring` then, and become ready once
  /// it can.
  /// - Throws: why the folder cannot be used; nothing is held then.
  package static func open(
    dataFolder: String, configuration: ConfigurationSource, doors: Doors = Doors()
  ) async throws(StoreFault) -> Core {
    let folder = try DataFolder.open(
      dataFolder, processID: ProcessInfo.processInfo.processIdentifier)
    let vault = keeper(of: folder, doors)
    do throws(StoreFault) {
      let configuration = try await configuration()
      try await openVault(vault, in: folder, doors)
      return try await build(folder, vault, configuration, doors)
    } catch {
      await vault.end()
      folder.release()
      throw error
    }
  }

  /// Stops all work at safe points and lets go of the data folder.
  package func close() async {
    deliveries?.close()
    await models.leave()
    await models.operations.stopAll()
    await models.accounts.end()
    await vault.end()
    await signIn.settle()
    await accounts.stop()
    folder.release()
  }

  private static func build(
    _ folder: DataFolder, _ vault: VaultKeeper, _ configuration: CoreConfiguration, _ doors: Doors
  ) async throws(StoreFault) -> Core {
    let store = try AccountStore(path: folder.databasePath, sealers: vault.source)
    let ids = doors.ids ?? doors.random
    let drafts = try DraftStore(folder: folder, clock: doors.clock, random: ids)
    try await drafts.sweep(expiringAfter: configuration.limits.draftDays)

    let http = doors.around(
      doors.http
        ?? HTTPClient.live(
          configuration.networkPolicy, userAgent: "grain-core/\(CoreVersion.text)",
          clock: doors.patience ?? doors.clock))
    let environment = DPoPEnvironment(clock: doors.clock, random: doors.random)
    guard let addresses = CoreAddresses(configuration) else {
      throw .unwritable("the configuration names an address that is none")
    }
    let identities = identities(addresses, configuration, http, doors.clock)
    let accounts = AccountService(
      store: store, drafts: drafts, http: http, environment: environment,
      configuration: configuration, log: doors.log,
      upkeep: upkeep(identities, http, environment, configuration))
    await vault.follow { await accounts.restore() }
    let coordinator = CallbackCoordinator()
    let signIn = try signInService(
      accounts, store, identities, addresses, coordinator, http, environment, configuration,
      doors.clock)
    let workshop = PhotoWorkshop(
      drafts: drafts,
      preparer: ImagePreparer(
        limits: ImageLimits(
          width: configuration.limits.width, height: configuration.limits.height,
          bytes: configuration.limits.bytes),
        resizers: ImageResizer.programs(doors.programs)))
    let publisher = GalleryPublisher(
      drafts: drafts, workshop: workshop,
      clients: { did async throws(CallFault) in try await accounts.client(did) },
      mentions: .live(
        service: configuration.handleResolver, http: http,
        allowTestHandles: configuration.looksUpTestNames),
      site: configuration.appServer, limits: configuration.limits, clock: doors.clock,
      random: ids, log: doors.log)
    let models = await CoreModels(
      signIn: .live(
        signIn,
        suggestions: HandleSuggestions(
          appServer: try appServer(configuration), http: http, clock: doors.clock),
        coordinator: coordinator, configuration: configuration),
      accounts: .live(accounts, vault: vault),
      galleries: .live(
        drafts: drafts, workshop: workshop, publisher: publisher,
        published: PublishedGalleries(
          drafts: drafts,
          clients: { did async throws(CallFault) in try await accounts.client(did) },
          limits: configuration.limits, clock: doors.clock, random: doors.random, log: doors.log),
        limits: configuration.limits), devices: .live(accounts))
    let deliveries = Delivery.socket(in: folder, log: doors.log)
    await models.whenBegun { deliveries?.take(for: coordinator, log: doors.log) }
    return Core(
      models: models, accounts: accounts, signIn: signIn, folder: folder, vault: vault,
      deliveries: deliveries)
  }

  private static func appServer(_ configuration: CoreConfiguration) throws(StoreFault) -> URL {
    guard let url = URL(string: configuration.appServer) else {
      throw .unwritable("the configuration names an app server that is no address")
    }
    return url
  }

  private static func identities(
    _ addresses: CoreAddresses, _ configuration: CoreConfiguration, _ http: HTTPClient,
    _ clock: SystemClock
  ) -> IdentityResolver {
    IdentityResolver(
      configuration: IdentityConfiguration(
        plcDirectory: addresses.plcDirectory, handleResolver: addresses.handleResolver,
        allowTestHandles: configuration.looksUpTestNames,
        allowInsecureLoopback: configuration.allowInsecureLoopback),
      http: http, clock: clock)
  }

  private static func upkeep(
    _ identities: IdentityResolver, _ http: HTTPClient, _ environment: DPoPEnvironment,
    _ configuration: CoreConfiguration
  ) -> AccountUpkeep {
    let relocation = AccountRelocation(
      identities: identities, http: http, environment: environment,
      allowInsecureLoopback: configuration.allowInsecureLoopback)
    return AccountUpkeep(
      resolve: { did async throws(IdentityError) in
        try await identities.resolve(.did(did), fresh: true)
      },
      locate: { grant async throws(ATOAuthError) in try await relocation.locate(grant) },
      ensuresProfile: configuration.ensureProfile)
  }

  private static func signInService(
    _ accounts: AccountService, _ store: AccountStore, _ identities: IdentityResolver,
    _ addresses: CoreAddresses, _ coordinator: CallbackCoordinator, _ http: HTTPClient,
    _ environment: DPoPEnvironment, _ configuration: CoreConfiguration, _ clock: SystemClock
  ) throws(StoreFault) -> SignInService {
    guard let appView = configuration.appView else {
      throw .unwritable("the configuration names an AppView that is none")
    }
    func flow(_ client: ATOAuthConfiguration.Client) -> AuthorizationFlow {
      AuthorizationFlow(
        configuration: ATOAuthConfiguration(
          client: client, redirectURI: configuration.redirectURI, scope: appView.scope,
          signUpPDS: addresses.signUpPDS,
          callbackLifetime: .milliseconds(configuration.times.browserMs),
          revocationDeadline: .milliseconds(configuration.times.revocationMs),
          allowInsecureLoopback: configuration.allowInsecureLoopback),
        identities: identities, http: http, environment: environment)
    }
    return SignInService(
      accounts: accounts, identities: identities,
      published: flow(.document(configuration.clientID)), development: flow(.development),
      coordinator: coordinator, configuration: configuration, clock: clock, store: store)
  }
}

/// What this core calls itself.
package enum CoreVersion {
  /// The release, as people read it.
  package static let text = "0.1.0"
}

/// The configured addresses, parsed once.
private struct CoreAddresses {
  let plcDirectory: URL
  let handleResolver: URL
  let signUpPDS: URL

  init?(_ configuration: CoreConfiguration) {
    guard let plcDirectory = URL(string: configuration.plcDirectory),
      let handleResolver = URL(string: configuration.handleResolver),
      let signUpPDS = URL(string: configuration.signUpPDS)
    else { return nil }
    self.plcDirectory = plcDirectory
    self.handleResolver = handleResolver
    self.signUpPDS = signUpPDS
  }
}

extension CoreConfiguration {
  /// Where this core's requests may go.
  var networkPolicy: NetworkPolicy {
    NetworkPolicy(
      allowInsecureLoopback: allowInsecureLoopback, allowPrivateAddresses: false,
      hosts: hosts.compactMapValues { URL(string: $0) },
      trustAnchors: trustAnchors.isEmpty ? nil : trustAnchors)
  }
}

package import ATSyntax
import GrainLexicon
import HTTPServing
import HTTPTransport
import SQLiteDatabase
package import StrictJSON
import SystemClients

package import Foundation

/// A whole atproto network on loopback: PLC directory, three PDSes, an entryway, an AppView.
///
/// The servers are real HTTP servers and know each other only by address; what they share is this
/// process and a clock.
package final class SandboxNetwork: Sendable {
  /// Where everything is.
  package let addresses: SandboxAddresses
  /// Who asked for what.
  package let log: RequestLog
  /// What is to go wrong next.
  package let faults: SandboxFaults
  /// What the servers remember.
  package let store: SandboxStore
  /// The directory, whose documents a test may vary.
  package let plcDirectory: PLCDirectory
  /// The Platrium-like service: what it knows of its clients, and how to revoke them.
  package let tokenService: TokenService
  /// The Pixiv-like service: its faults, and how its tokens end.
  package let pixivService: PixivService
  /// By issuer.
  package let authorizationServers: [URL: AuthorizationServer]
  private let listeners: SandboxListeners
  let homes: [Home]
  private let networkClock: NetworkClock

  /// One hosting server with whoever signs its accounts in.
  struct Home: Sendable {
    let name: SandboxConfiguration.ServerName
    let accounts: HostedAccounts
    let server: PersonalDataServer
    let authorizationServer: AuthorizationServer
  }

  private init(
    log: RequestLog, faults: SandboxFaults, store: SandboxStore,
    builder: NetworkBuilder, listeners: SandboxListeners, clock: NetworkClock
  ) {
    let homes = builder.homes
    addresses = builder.addresses
    self.log = log
    self.faults = faults
    self.store = store
    plcDirectory = builder.plcDirectory
    tokenService = builder.tokenService
    pixivService = builder.pixivService
    self.listeners = listeners
    self.homes = homes
    networkClock = clock
    authorizationServers = Dictionary(
      homes.map { ($0.server.settings.issuer, $0.authorizationServer) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Every request so far, in order of arrival.
  package var requests: [LoggedRequest] { log.entries }

  /// Every DPoP proof so far.
  package var recordedProofs: [RecordedProof] { log.recordedProofs }

  /// Seconds all servers are ahead of their clients.
  package var clockOffset: TimeInterval {
    get { networkClock.skew }
    set { networkClock.skew = newValue }
  }

  /// Closes every port. What is in the database stays.
  package func stop() async {
    await listeners.stop()
  }
}

// MARK: Starting.
extension SandboxNetwork {
  /// Starts every server and makes the accounts that are not there yet.
  ///
  /// - Parameters:
  ///   - configuration: the defaults need nothing from outside.
  ///   - verifier: judges access tokens in place of the authorization servers, for tests of what
  ///     comes after that.
  /// - Returns: the running network; ``stop()`` it.
  /// - Throws: `HTTPServerError` when a fixed port is taken, `SQLiteError` for the database; with https
  ///   also `SandboxStartError` and `FileError`.
  package static func start(
    _ configuration: SandboxConfiguration = SandboxConfiguration(),
    verifier: (any AccessVerifier)? = nil
  ) async throws -> SandboxNetwork {
    let store = try SandboxStore(path: configuration.databasePath)
    let (log, faults) = (RequestLog(), SandboxFaults())
    let networkClock = NetworkClock(configuration.clock)
    let listeners = try await SandboxListeners.bind(configuration, store) { name in
      SandboxServer.Front(
        name: name.rawValue, log: log, faults: faults, clock: networkClock.clock)
    }
    let builder = try NetworkBuilder(
      configuration, store, networkClock.clock, listeners, start: try await store.countStart(),
      verifier: verifier)
    let network = SandboxNetwork(
      log: log, faults: faults, store: store, builder: builder, listeners: listeners,
      clock: networkClock)
    builder.openDoors(log: log, faults: faults)
    try await network.tokenService.prepare()
    try await network.pixivService.prepare()
    try await network.makeSeedAccounts(configuration.accounts, appView: builder.appView)
    log.clear()
    return network
  }

  private func makeSeedAccounts(_ seeds: [SeedAccount], appView: AppView) async throws {
    for seed in seeds {
      guard let home = homes.first(where: { $0.name == seed.home }),
        await home.accounts.account(listeners.names.handle(seed.handle)) == nil
      else { continue }
      let email = "\(seed.handle.prefix { $0 != "." })@example.com"
      let account = try await home.accounts.createAccount(
        handle: listeners.names.handle(seed.handle), email: email, password: seed.password)
      for (collection, profile) in seed.profiles.sorted(by: { $0.key < $1.key }) {
        let address = RecordAddress(did: account.did, collection: collection, key: .literalSelf)
        try await home.server.plant(profile, at: address)
        try await appView.learn(address.uri)
      }
    }
  }
}

// MARK: What tests ask of the network.
extension SandboxNetwork {
  /// The account with that handle or DID, wherever it lives.
  package func account(_ name: String) async -> SandboxAccount? {
    for home in homes {
      if let account = await home.accounts.account(name) { return account }
    }
    return nil
  }

  /// Who has an account at a hosting server; every server name but the hosting ones is a mistake.
  package func accountDirectory(
    of name: SandboxConfiguration.ServerName
  ) -> any AccountDirectory {
    guard let home = homes.first(where: { $0.name == name }) else {
      preconditionFailure("\(name) hosts no accounts")
    }
    return home.accounts
  }

  /// Takes an account down, deactivates or revives it. A takedown ends its sessions, as on the
  /// reference server (wire §13).
  package func setStatus(_ status: AccountStatus, of did: DID) async throws {
    for home in homes where await home.accounts.account(did.rawValue) != nil {
      try await home.accounts.setStatus(status, of: did)
      if status == .takendown { await home.authorizationServer.dropSessions(of: did) }
    }
  }

  /// The records of a collection, newest key first, as the account's own server has them.
  package func records(of did: DID, in collection: NSID) async throws -> [JSONValue] {
    for home in homes where await home.accounts.account(did.rawValue) != nil {
      return try await home.server.repositories.records(
        of: did, in: collection, limit: 10_000, cursor: nil, reverse: false
      ).map(\.json)
    }
    return []
  }
}

extension SandboxNetwork {
  /// Writes, replaces or (`nil`) deletes a record as another program of its account would.
  package func write(_ record: JSONObject?, at uri: ATURI) async throws {
    guard case .did(let did) = uri.authority, let collection = uri.collection,
      let key = uri.recordKey
    else { preconditionFailure("\(uri) names no record") }
    let address = RecordAddress(did: did, collection: collection, key: key)
    for home in homes where await home.accounts.account(did.rawValue) != nil {
      try await home.server.plant(record, at: address)
    }
  }
}

extension PersonalDataServer {
  /// Writes a record as if the account had, without a token: what a network starts with.
  func plant(_ record: JSONObject?, at address: RecordAddress) async throws {
    guard let key = try await accounts.signingKey(of: address.did) else {
      throw XRPCRefusal.internalError
    }
    let prepared = try record.map {
      try PreparedRecord($0, in: address.collection, validate: nil)
    }
    _ = try await repositories.commit(to: address.did, signedBy: key) { repository in
      let isThere = try repository.record(address) != nil
      let action: RepoAction = prepared == nil ? .delete : isThere ? .update : .create
      return [RecordWrite(action: action, address: address, record: prepared)]
    }
  }
}

import ATSyntax
import Foundation
import GrainBridge
import GrainCore
import GrainServices
import GrainTestSupport
import HTTPTransport
import Sandbox
import StrictJSON
import SystemClients
import Testing

/// One local network, one temporary folder and the clocks of a scenario.
final class World: Sendable {
  let network: SandboxNetwork
  let folder: TemporaryFolder
  /// The cores' clock.
  let clock: ScenarioClock
  /// Where requests with a `delay` fault wait.
  let turnstile: Turnstile
  /// Reaches the network as a browser or a stranger would.
  let http: HTTPClient

  private init(_ network: SandboxNetwork, _ turnstile: Turnstile) throws {
    self.network = network
    self.turnstile = turnstile
    folder = try TemporaryFolder()
    clock = ScenarioClock()
    http = .live(network.addresses.policy, userAgent: "scenario", clock: .live)
  }

  /// Starts a network, runs the scenario, and stops the network.
  static func run(
    _ change: (inout SandboxConfiguration) -> Void = { _ in },
    _ scenario: (World) async throws -> Void
  ) async throws {
    let turnstile = Turnstile()
    var configuration = SandboxConfiguration()
    configuration.clock = turnstile.clock
    change(&configuration)
    let network = try await SandboxNetwork.start(configuration)
    do {
      try await scenario(try World(network, turnstile))
    } catch {
      turnstile.open()
      await network.stop()
      throw error
    }
    turnstile.open()
    await network.stop()
  }

  /// Where cores keep their data unless told otherwise.
  var dataFolder: String { folder.path("data") }

  /// What a core reads to meet this network. The profile made after a sign-in is left out: its commit
  /// would meet the faults meant for galleries.
  var configuration: JSONObject {
    var configuration = network.addresses.configuration
    configuration["ensureProfile"] = false
    return configuration
  }

  // MARK: Cores

  /// Starts a core and says hello to it.
  func core(
    dataFolder: String? = nil, presentations: [JSONValue] = ["webview"], log: Log = .silent,
    keys: KeyPlaces = .file, options: BridgeOptions = BridgeOptions(),
    _ change: (inout CoreConfiguration) -> Void = { _ in }
  ) async throws -> CoreSession {
    let session = try await silentCore(
      dataFolder: dataFolder, log: log, keys: keys, options: options, change)
    try await session.shell.initialize(presentations: presentations)
    return session
  }

  /// Starts a core to which nobody has spoken.
  func silentCore(
    dataFolder: String? = nil, log: Log = .silent, keys: KeyPlaces = .file,
    options: BridgeOptions = BridgeOptions(),
    _ change: (inout CoreConfiguration) -> Void = { _ in }
  ) async throws -> CoreSession {
    var configuration = try CoreConfiguration.reading(.object(self.configuration))
    change(&configuration)
    let tap = RequestTap(
      .live(
        NetworkPolicy(
          allowInsecureLoopback: configuration.allowInsecureLoopback,
          hosts: configuration.hosts.compactMapValues { URL(string: $0) },
          trustAnchors: configuration.trustAnchors.isEmpty ? nil : configuration.trustAnchors),
        userAgent: "grain-core/scenario",
        // Answers are stamped by the core's own clock; how long they may take stays real.
        clock: SystemClock(now: clock.clock.now, sleep: SystemClock.live.sleep)))
    return try await CoreSession.start(
      dataFolder: dataFolder ?? self.dataFolder, configuration: configuration,
      doors: Core.Doors(clock: clock.clock, log: log, keys: keys), tap: tap,
      browser: Browser(http: http),
      options: options)
  }

  /// Runs a piece of the scenario in which the core's pauses are skipped.
  func impatiently<Value>(_ piece: () async throws -> Value) async throws -> Value {
    clock.skipsPauses = true
    defer { clock.skipsPauses = false }
    return try await piece()
  }

  // MARK: The network

  /// The DID of one of the sandbox's accounts.
  func did(_ handle: String) async throws -> DID {
    try #require(await network.account(handle)).did
  }

  /// What the home server's authorization part does wrong.
  var authorizationFaults: AuthorizationFaults {
    get throws {
      try #require(network.authorizationServers[network.addresses.pds]).faults
    }
  }

  /// How often a path was asked for, by anybody, with that status when one is given.
  func count(_ method: String, _ path: String, status: Int? = nil) -> Int {
    network.requests.count {
      $0.method == method && $0.path == path && (status ?? $0.status) == $0.status
    }
  }

  /// Uploads the home server has taken.
  var uploads: Int { count("POST", Path.uploadBlob, status: 200) }

  /// An account's repository, as everybody can read it.
  func repository(_ handle: String = "alice.test") async throws -> Repository {
    try await Repository.read(try await did(handle), at: network.addresses.pds, http: http)
  }

  /// Waits until a delayed request is at its server.
  func arrival(_ what: String) async throws {
    try await within("\(what) at its server") { [turnstile] in await turnstile.arrival() }
  }

  // MARK: Photographs

  /// Three pictures that carry camera notes and a position.
  func samplePhotos() throws -> [String] {
    try SamplePhotoFiles(in: folder).paths
  }

  /// A file of the scenario's folder.
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = folder.path(name)
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }
}

/// The paths that faults and counts speak of.
enum Path {
  static let uploadBlob = "/xrpc/com.atproto.repo.uploadBlob"
  static let applyWrites = "/xrpc/com.atproto.repo.applyWrites"
  static let createRecord = "/xrpc/com.atproto.repo.createRecord"
  static let deleteGallery = "/xrpc/social.grain.unspecced.deleteGallery"
  static let getRecord = "/xrpc/com.atproto.repo.getRecord"
  static let listRecords = "/xrpc/com.atproto.repo.listRecords"
  static let deleteAccount = "/xrpc/social.grain.unspecced.deleteAccount"
  static let indexRecords = "/xrpc/social.grain.sync.indexRecords"
  static let token = "/oauth/token"
  static let pushedRequest = "/oauth/par"
  static let revocation = "/oauth/revoke"
}

extension SandboxFaults.Match {
  /// Requests to the home server.
  static func pds(_ path: String) -> SandboxFaults.Match {
    SandboxFaults.Match(server: "pds", pathPrefix: path)
  }
}

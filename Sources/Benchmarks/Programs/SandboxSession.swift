import ATIdentity
import ATOAuth
import ATSyntax
import ATXRPC
import Foundation
import GrainServices
import HTTPTransport
import OAuth
import Sandbox
import SystemClients

/// An account signed in to a sandbox by the rooms of the core, without a core.
struct SandboxSession {
  /// Calls the account's home server as the core does: signed, refreshed, over our own HTTP.
  let client: XRPCClient
  /// The home server.
  let pds: URL
  private let data: DataFolder

  /// Signs in as Alice.
  static func begin(_ network: SandboxNetwork, _ bench: Bench) async throws -> SandboxSession {
    let addresses = network.addresses
    let http = HTTPClient.live(addresses.policy, userAgent: "grain-core-benchmarks", clock: .live)
    let environment = DPoPEnvironment(clock: .live, random: .live)
    let flow = AuthorizationFlow(
      configuration: ATOAuthConfiguration(
        client: .document(addresses.clientID), redirectURI: addresses.redirectURI,
        scope: addresses.scope, signUpPDS: addresses.signUpPDS, allowInsecureLoopback: true),
      identities: IdentityResolver(
        configuration: IdentityConfiguration(
          plcDirectory: addresses.plc, handleResolver: addresses.handleResolver,
          allowTestHandles: true, allowInsecureLoopback: true),
        http: http, clock: .live),
      http: http, environment: environment)
    let started = try await flow.begin(.account(.handle(try Handle("alice.test"))))
    guard let page = URL(string: started.authorizationURL) else { throw URLError(.badURL) }
    let callback = try await SandboxVisitor(http: http).approve(
      authorizationURL: page, handle: "alice.test", password: "sandbox")
    let grant = try await flow.complete(callback.absoluteString, attempt: started.attempt)

    let data = try DataFolder.open(
      bench.path("session"), processID: ProcessInfo.processInfo.processIdentifier)
    let store = try await StoredAccounts.store(data)
    _ = try await store.adopt(grant, missingScopes: [])
    let session = TokenSession(
      grant: grant, grants: GrantClient(http: http, environment: environment), store: store,
      environment: environment, lead: .init(atLeast: .seconds(60)), onEvent: { _ in })
    return SandboxSession(
      client: XRPCClient(base: grant.pds, http: http, authorization: session.authorization),
      pds: grant.pds, data: data)
  }

  /// Lets go of the data folder.
  func end() { data.release() }
}

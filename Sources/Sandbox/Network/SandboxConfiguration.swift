package import ATSyntax
import Foundation
package import StrictJSON
package import SystemClients

/// How a local network is set up; the defaults need nothing from outside.
package struct SandboxConfiguration: Sendable {
  /// Makes accounts and their DIDs the same every time.
  package var seed: UInt64 = 1
  /// A file, or `:memory:`. A file remembers its ports, so that a restart meets the same servers.
  package var databasePath = ":memory:"
  /// A port for each server by name; 0 or none for any free one.
  package var ports: [ServerName: Int] = [:]
  /// Serves https under names of its own, all on one port; `nil` for plain http on loopback addresses.
  package var secure: SecureSettings?
  /// The time on all servers.
  package var clock = SystemClock.live
  /// Where the servers' nonces, keys and tokens come from; `nil` for one made from the seed.
  package var random: SystemRandom?
  /// What the AppView's host serves as the client's metadata document; `nil` for the app's own.
  package var clientDocument: JSONObject?
  /// Must be https, end in a path the AppView serves, and not be a reserved name (wire §4.1). Over
  /// https the app has an address and a redirect of the AppView's own name instead.
  package var clientID = "https://grain.social/oauth/app-client-metadata.json"
  /// What the client document allows.
  package var redirectURIs = ["social.grain:/oauth/callback"]
  /// The accounts that exist from the beginning.
  package var accounts = SeedAccount.standard
  /// In bytes; the reference's default is 5 MiB.
  package var blobUploadLimit = 5 * 1024 * 1024
  /// Lifetimes and pages of the authorization servers.
  package var authorization = AuthorizationSettings()
  /// People, lifetimes and redirect rules of the Platrium-like service.
  package var tokenService = TokenServiceSettings()
  /// People, lifetimes and client values of the Pixiv-like service.
  package var pixiv = PixivServiceSettings()

  /// A network in memory on free ports.
  package init() {}

  /// The servers, by the names the request log uses.
  package enum ServerName: String, CaseIterable, Sendable {
    case plc
    case appView
    /// Its own authorization server.
    case pds
    /// Signs in the accounts of ``hostedPDS``.
    case entryway
    /// Its authorization server is the entryway.
    case hostedPDS
    /// Its own authorization server, empty at first.
    case signUpPDS
    /// The Platrium-like service, which knows nothing of the others.
    case platrium
    /// The Pixiv-like service: its login, token, API and image hosts in one.
    case pixiv
  }
}

/// An account that is there when the network starts.
package struct SeedAccount: Sendable {
  /// Under a domain of its home; `.test` stands for the network's own domain.
  package var handle: String
  /// Typed on the sign-in page.
  package var password: String
  /// The hosting server.
  package var home: SandboxConfiguration.ServerName
  /// Records it starts with, by collection; each under the key `self`.
  package var profiles: [NSID: JSONObject]

  /// An account with the password every example uses.
  package init(
    handle: String, password: String = "sandbox",
    home: SandboxConfiguration.ServerName = .pds, profiles: [NSID: JSONObject] = [:]
  ) {
    self.handle = handle
    self.password = password
    self.home = home
    self.profiles = profiles
  }

  /// Alice has a Bluesky profile only (G114), Bob a Grain one, Carol none and lives behind the
  /// entryway.
  package static let standard = [
    SeedAccount(
      handle: "alice.test",
      profiles: [
        NSID(constant: "app.bsky.actor.profile"): [
          "$type": "app.bsky.actor.profile", "displayName": "Alice", "description": "Harbours.",
        ]
      ]),
    SeedAccount(
      handle: "bob.test",
      profiles: [
        NSID(constant: "social.grain.actor.profile"): [
          "$type": "social.grain.actor.profile", "displayName": "Bob",
          "createdAt": "2024-01-01T00:00:00.000Z",
        ]
      ]),
    SeedAccount(handle: "carol.entryway.test", home: .hostedPDS),
  ]
}

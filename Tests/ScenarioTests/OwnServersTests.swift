import Foundation
import GrainTestSupport
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite("Two accounts at two homes (FB-A35)", .serialized)
struct OwnServersTests {
  /// Signs in, publishes and refreshes as each account; nothing of one meets the other's servers.
  @Test("each account talks to its own servers only, and nothing to any host nobody named")
  func ownServers() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      // `pds` is home and authorization server of one, `hostedPDS` and `entryway` of the other.
      let accounts: [(name: String, foreign: Set<String>)] = [
        ("alice.test", ["hostedPDS", "entryway", "signUpPDS"]),
        ("carol.entryway.test", ["pds", "signUpPDS"]),
      ]
      var dids: [String] = []
      for account in accounts {
        world.network.log.clear()
        dids.append(try await core.shell.signIn(account.name))
        try await work(world, core)
        expectNone(of: account.foreign, world)
      }
      // Hours later, one after the other: refresh and publish.
      for (hours, index) in [(1, 0), (2, 1)] {
        world.network.clockOffset = TimeInterval(hours) * 7200
        world.clock.ahead = TimeInterval(hours) * 7200
        world.network.log.clear()
        let verdict = try await core.shell.call(
          "accounts.switch", ["account": .string(dids[index])])
        #expect(try await core.shell.ending(of: verdict).description == "succeeded")
        try await work(world, core)
        #expect(world.count("POST", Path.token, status: 200) == 1)
        expectNone(of: accounts[index].foreign, world)
      }
      expectKnownHosts(core, world)
      try await core.end()
    }
  }

  @Test("each account has a key of its own; signing one out leaves the other at work (FB-A28)")
  func ownKeys() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let bob = try await core.shell.signIn("bob.test")
      let bobs = keys(core)
      let alice = try await core.shell.signIn("alice.test")
      #expect(bobs.count == 1)
      #expect(keys(core).count == 2)

      // The active one goes, the other takes over, now and after a restart.
      try await core.shell.signOut(alice)
      #expect(try await core.shell.state("accounts")["active"]?.stringValue == bob)
      try await work(world, core)
      try await core.end()
      let again = try await world.core()
      try await again.shell.wait("accounts", "signed in") { $0["active"]?.stringValue == bob }
      try await work(world, again)
      #expect(keys(again) == bobs)
      try await again.end()
    }
  }

  /// The keys this core has proven so far, as the headers of its proofs, which hold nothing else that
  /// differs.
  private func keys(_ core: CoreSession) -> Set<Substring> {
    Set(core.tap.requests.compactMap { $0.headers["DPoP"]?.split(separator: ".").first })
  }

  private func work(_ world: World, _ core: CoreSession) async throws {
    let draft = try await core.shell.draft(try world.samplePhotos())
    #expect(try await core.shell.publish(draft).description == "succeeded")
  }

  private func expectNone(of servers: Set<String>, _ world: World) {
    let strays = world.network.requests.filter { servers.contains($0.server) }
    #expect(strays.isEmpty, "\(strays)")
  }

  /// Every host is configured, a handle that was typed, or one that a DID document names.
  private func expectKnownHosts(_ core: CoreSession, _ world: World) {
    let addresses = world.network.addresses
    let configured = [
      addresses.plc, addresses.appView, addresses.pds, addresses.entryway, addresses.hostedPDS,
    ]
    let known = Set(configured.map(Self.place) + ["alice.test", "carol.entryway.test"])
    let asked = Set(core.tap.requests.map { Self.place($0.url) })
    #expect(asked.isSubset(of: known), "\(asked.subtracting(known))")
  }

  private static func place(_ url: URL) -> String {
    (url.host() ?? "") + (url.port.map { ":\($0)" } ?? "")
  }
}

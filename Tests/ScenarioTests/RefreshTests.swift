import Foundation
import GrainServices
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import Testing

@Suite("Keeping a session alive", .serialized)
struct RefreshTests {
  /// Token requests the server has answered well: one for the sign-in, one for each refresh.
  private func grants(_ world: World) -> Int { world.count("POST", Path.token, status: 200) }

  @Test("hours later one refresh serves every call at once (G56, A27)")
  func oneRefresh() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn("alice.test")
      let draft = try await core.shell.draft(try world.samplePhotos())
      world.network.clockOffset = 7200
      world.clock.ahead = 7200
      #expect(try await core.shell.publish(draft).description == "succeeded")
      #expect(grants(world) == 2)
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }

  @Test(
    "a token the server no longer takes is refreshed once for all calls it was refused to (G41)")
  func refusedToken() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await world.expireUnannounced()
      try await core.shell.signIn("alice.test")
      let draft = try await core.shell.draft(try world.samplePhotos())
      try world.authorizationFaults.clear()
      world.network.clockOffset = 61
      #expect(try await core.shell.publish(draft).description == "succeeded")
      #expect(grants(world) == 2)
      #expect(world.uploads == 3)
      try await core.end()
    }
  }

  @Test(
    "ten requests in one write over a token that is over make one refresh, and all ten succeed with its tokens (FB-A5)",
    arguments: [true, false])
  func tenRequests(isAnnounced: Bool) async throws {
    try await World.run { world in
      let core = try await world.core()
      if !isAnnounced { try await world.expireUnannounced() }
      let requests = try await tenRequests(core, in: world)
      if isAnnounced {
        world.clock.ahead = 7200
      } else {
        try world.authorizationFaults.clear()
      }
      world.network.clockOffset = isAnnounced ? 7200 : 61
      let before = (grants(world), core.tap.requests.count)
      let endings = try await endings(of: requests, core, in: world)
      #expect(endings == Array(repeating: "succeeded", count: 10))
      // The server ends a session at the second use of a refresh token.
      #expect(grants(world) == before.0 + 1)
      let sent = core.tap.requests.dropFirst(before.1)
      #expect(sent.refreshTokens.count == 1)
      let used = Set(sent.filter { $0.url.path() != Path.token }.compactMap(\.accessToken))
      #expect(used.count == (isAnnounced ? 1 : 2))
      try await core.end()
    }
  }

  @Test(
    "if that one refresh is refused, all ten fail for the same reason, and nobody asks again (FB-A5)"
  )
  func tenRefusals() async throws {
    try await World.run { world in
      let core = try await world.core()
      let requests = try await tenRequests(core, in: world)
      // After two weeks the server ends the session at the next refresh.
      world.network.clockOffset = 15 * 86_400
      world.clock.ahead = 15 * 86_400
      let before = (grants(world), core.tap.requests.count)
      let endings = try await endings(of: requests, core, in: world)
      #expect(endings == Array(repeating: "failed account.sessionExpired", count: 10))
      #expect(grants(world) == before.0)
      let sent = core.tap.requests.dropFirst(before.1)
      // The first only learns of a nonce.
      #expect(sent.count { $0.url.path() == Path.token } == 2)
      #expect(sent.refreshTokens.count == 1)
      try await core.end()
    }
  }

  /// Five galleries to be opened, which is read at the server, and five drafts to be published.
  private func tenRequests(
    _ core: CoreSession, in world: World
  ) async throws -> [(method: String, params: JSONObject)] {
    let shell = core.shell
    try await shell.signIn("alice.test")
    let photo = Array(try world.samplePhotos().prefix(1))
    var requests: [(method: String, params: JSONObject)] = []
    for _ in 0..<5 {
      #expect(try await shell.publish(try await shell.draft(photo)).description == "succeeded")
    }
    for gallery in try await world.repository().galleries {
      requests.append(("gallery.editPublished", ["gallery": .string(gallery.uri)]))
      requests.append(("gallery.publish", ["draft": .string(try await shell.draft(photo))]))
    }
    #expect(requests.count == 10)
    return requests
  }

  /// How ten operations end that were asked for in one write, while the token endpoint takes its time.
  private func endings(
    of requests: [(method: String, params: JSONObject)], _ core: CoreSession, in world: World
  ) async throws -> [String] {
    await world.network.faults.add(.delay(.milliseconds(500)), on: .pds(Path.token))
    let verdicts = try await core.shell.client.call(together: requests).map { try $0.get() }
    try await world.arrival("the refresh")
    try await core.shell.call("ping")
    world.turnstile.open()
    var endings: [String] = []
    for verdict in verdicts { endings.append(try await core.shell.ending(of: verdict).description) }
    return endings
  }

  @Test("new tokens survive a restart (FB-A5)")
  func restart() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      try await first.shell.signIn("alice.test")
      for hours in 1...2 {
        world.network.clockOffset = TimeInterval(hours) * 7200
        world.clock.ahead = TimeInterval(hours) * 7200
        let session = hours == 1 ? first : try await world.core()
        try await session.shell.wait("accounts", "signed in") { $0["session"] == "signedIn" }
        let draft = try await session.shell.draft(try world.samplePhotos())
        #expect(try await session.shell.publish(draft).description == "succeeded")
        try await session.end()
      }
      // Had the first refresh been lost, the second would have used a spent token.
      #expect(grants(world) == 3)
      try await world.repository().expect(galleries: 2, photos: 3)
    }
  }

  @Test("a refresh after a restart asks no metadata, which may be out of reach (FB-A12, G54)")
  func withoutMetadata() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      try await first.shell.signIn("alice.test")
      try await first.end()
      let documents = SandboxFaults.Match(pathPrefix: "/.well-known/oauth-")
      await world.network.faults.add(.status(503), on: documents, times: 100)
      world.network.clockOffset = 7200
      world.clock.ahead = 7200
      let second = try await world.core()
      try await second.shell.wait("accounts", "signed in") { $0["session"] == "signedIn" }
      let draft = try await second.shell.draft(try world.samplePhotos())
      #expect(try await second.shell.publish(draft).description == "succeeded")
      let posted = second.tap.requests.filter { $0.url.path() == Path.token }
      #expect(!posted.isEmpty)
      for request in posted {
        guard case .bytes(let body) = request.body else { continue }
        let fields = FormURLEncoding.decode(body) ?? []
        #expect(fields.contains { $0 == ("grant_type", "refresh_token") })
      }
      #expect(!second.tap.requests.contains { $0.url.path().hasPrefix("/.well-known/oauth-") })
      try await second.end()
    }
  }

  @Test(
    "a refresh whose answer is lost ends in a sign-in, once, with everything kept (FB-A6, G112)")
  func lostAnswer() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core { $0.limits.parallelUploads = 1 }
      let shell = core.shell
      let did = try await shell.signIn("alice.test")
      let draft = try await shell.draft(try world.samplePhotos())
      world.network.clockOffset = 7200
      world.clock.ahead = 7200
      // The first only learns of a nonce; the one after it rotates, and its answer is lost.
      await world.network.faults.add(.lostAnswer, on: .pds(Path.token), after: 1)
      let ending = try await world.impatiently { try await shell.publish(draft) }
      #expect(ending.description == "failed account.sessionExpired")
      // The sign-in, those two, and the one that was refused: nobody knocks again and again.
      #expect(core.tap.requests.count { $0.url.path() == Path.token } == 4)
      let accounts = try await shell.wait("accounts", "signed out") {
        $0["session"] == "signedOut"
      }
      #expect(accounts["account"]?[did]?["standing"] == "expired")
      #expect(accounts["sessionReason"]?["fallback"]?.stringValue?.isEmpty == false)
      shell.browser.approve("alice.test")
      let back = try await shell.call("accounts.reauthenticate", ["account": .string(did)])
      #expect(try await shell.ending(of: back).description == "succeeded")
      #expect(try await shell.publish(draft, "gallery.retry").description == "succeeded")
      try await core.end()
    }
  }

  @Test("after two weeks a session is over, however busy it was; one tap brings it back (G111)")
  func twoWeeks() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      let did = try await shell.signIn("alice.test")
      func pass(days: TimeInterval) {
        world.network.clockOffset = days * 86_400
        world.clock.ahead = days * 86_400
      }
      pass(days: 13)
      let early = try await shell.draft(try world.samplePhotos())
      #expect(try await shell.publish(early).description == "succeeded")

      pass(days: 14.1)
      let draft = try await shell.draft(try world.samplePhotos())
      #expect(try await shell.publish(draft).description == "failed account.sessionExpired")
      let ended = try await shell.wait("accounts", "signed out") { $0["session"] == "signedOut" }
      #expect(ended["account"]?[did]?["standing"] == "expired")
      shell.browser.approve("alice.test")
      let back = try await shell.call("accounts.reauthenticate", ["account": .string(did)])
      #expect(try await shell.ending(of: back).description == "succeeded")
      #expect(try await shell.publish(draft, "gallery.retry").description == "succeeded")
      try await world.repository().expect(galleries: 2, photos: 3)
      try await core.end()
    }
  }

  @Test("a server whose clock runs minutes behind is no obstacle (A44)")
  func skewedClock() async throws {
    try await World.run { (world) async throws -> Void in
      world.network.clockOffset = -400
      let core = try await world.core()
      try await core.shell.signIn("alice.test")
      let draft = try await core.shell.draft(try world.samplePhotos())
      #expect(try await core.shell.publish(draft).description == "succeeded")
      try await core.end()
    }
  }

  @Test(
    "a server that wants a new nonce for every request refuses one at most (FB-A1, FB-A2)",
    arguments: ["alice.test", "carol.entryway.test"])
  func restlessNonces(name: String) async throws {
    try await World.run { (world) async throws -> Void in
      for server in world.network.authorizationServers.values {
        server.faults.set { $0.nonceRotation = .everyAnswer }
      }
      // One request at a time: only the newest nonce is good.
      let core = try await world.core { $0.limits.parallelUploads = 1 }
      try await core.shell.signIn(name)
      let draft = try await core.shell.draft(try world.samplePhotos())
      #expect(try await core.shell.publish(draft).description == "succeeded")
      let refused = world.network.requests.filter { [400, 401].contains($0.status) }
      #expect(refused.count == Set(refused.map(\.server)).count, "\(refused)")
      try await core.end()
    }
  }

  @Test("a refresh that fails for a passing reason ends nothing (G55)")
  func passingFailure() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let did = try await core.shell.signIn("alice.test")
      let draft = try await core.shell.draft(try world.samplePhotos())
      world.network.clockOffset = 7200
      world.clock.ahead = 7200
      await world.network.faults.add(.status(503), on: .pds(Path.token), times: 100)
      let ending = try await world.impatiently { try await core.shell.publish(draft) }
      #expect(ending.outcome == "failed")
      #expect(ending.problem?.isWorded == true, "\(ending.problem?.words ?? "")")
      let accounts = try await core.shell.read("accounts")
      #expect(accounts["active"]?.stringValue == did)
      #expect(accounts["account"]?[did]?["standing"] == "ok")

      await world.network.faults.clear()
      #expect(try await core.shell.publish(draft, "gallery.retry").description == "succeeded")
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }
}

extension World {
  /// From now on the server's tokens end after a minute, while it tells clients an hour.
  func expireUnannounced() async throws {
    try authorizationFaults.set { switches in
      var lifetimes = GrantLifetimes()
      lifetimes.accessToken = .seconds(60)
      switches.lifetimes = lifetimes
      switches.tokenMembers = ["expires_in": 3600]
    }
  }
}

extension HTTPRequest {
  /// What it proves possession for; `nil` where it carries no token.
  fileprivate var accessToken: String? { headers.all("Authorization").first }
}

extension Sequence<HTTPRequest> {
  /// The refresh tokens that were sent to the token endpoint.
  fileprivate var refreshTokens: Set<String> {
    Set(
      compactMap { request in
        guard request.url.path() == Path.token, case .bytes(let body) = request.body else {
          return nil
        }
        return FormURLEncoding.decode(body)?.first { $0.0 == "refresh_token" }?.1
      })
  }
}

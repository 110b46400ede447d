import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import Testing

/// One way in which a sign-in as Bob fails, and what a person is told.
struct RefusedSignIn: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// How the operation ends.
  let ending: String
  var typed = "bob.test"
  /// Makes the network, or the core's view of it, behave so.
  var arrange: @Sendable (World, CoreSession) async throws -> Void = { _, _ in }
  /// What else must be true afterwards.
  var check: @Sendable (World, Ending) async throws -> Void = { _, _ in }

  static let all: [RefusedSignIn] = looking + serving + returning

  /// Nobody is found, or not their server.
  private static let looking = [
    RefusedSignIn(
      testDescription: "a handle nobody has", ending: "failed login.handleNotFound",
      typed: "nobody.test"),
    RefusedSignIn(
      testDescription: "a DID nobody has", ending: "failed login.handleNotFound",
      typed: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"),
    RefusedSignIn(
      testDescription: "a directory that is out of order",
      ending: "failed login.identityUnreachable",
      arrange: { world, _ in
        await world.network.faults.add(
          .status(503), on: SandboxFaults.Match(server: "plc"), times: 20)
      }),
    RefusedSignIn(
      testDescription: "a DID whose document names no server (FB-A18)",
      ending: "failed login.noServer",
      arrange: { world, _ in try await world.moveBob(to: nil) }),
    RefusedSignIn(
      testDescription: "a server that accepts no connection", ending: "failed network.timeout",
      arrange: { world, _ in try await world.moveBob(to: "http://127.0.0.1:1") }),
    RefusedSignIn(
      testDescription: "a handle that the account itself does not confirm (G12)",
      ending: "failed login.identityMismatch",
      arrange: { world, _ in
        try await world.moveBob(
          to: world.network.addresses.pds.absoluteString, handle: "robert.test")
      }),
    RefusedSignIn(
      testDescription: "no network at all", ending: "failed network.offline",
      arrange: { _, core in core.tap.failure = .offline }),
  ]

  /// The server is found, but does not let the app in.
  private static let serving = [
    RefusedSignIn(
      testDescription: "a server without OAuth", ending: "failed login.serverUnsupported",
      arrange: { world, _ in
        try await world.moveBob(to: world.network.addresses.plc.absoluteString)
      }),
    RefusedSignIn(
      testDescription: "an app document the server cannot fetch (G68)",
      ending: "failed login.clientUnavailable",
      arrange: { world, _ in
        await world.network.faults.add(
          .status(404),
          on: SandboxFaults.Match(
            server: "appView", pathPrefix: "/oauth/app-client-metadata.json"), times: 20)
      }),
    RefusedSignIn(
      testDescription: "a server with a fault of its own", ending: "failed server.error",
      arrange: { world, _ in
        await world.network.faults.add(.status(500), on: .pds(Path.pushedRequest), times: 20)
      }),
    RefusedSignIn(
      testDescription: "a server that asks for a pause", ending: "failed server.rateLimited",
      arrange: { world, _ in
        await world.network.faults.add(
          .status(429, retryAfter: 30), on: .pds(Path.pushedRequest), times: 20)
      },
      check: { _, ending in #expect(ending.problem?.retryAfterMs == 30_000) }),
    RefusedSignIn(
      testDescription: "a proxy's page instead of an answer", ending: "failed server.error",
      arrange: { world, _ in
        await world.network.faults.add(.html502, on: .pds(Path.pushedRequest), times: 20)
      }),
  ]

  /// The browser's answer or the tokens are not what they should be.
  private static let returning = [
    RefusedSignIn(
      testDescription: "a callback that names another issuer (G21, FB-A14)",
      ending: "failed login.callbackMismatch",
      arrange: { world, _ in
        try world.authorizationFaults.set { $0.redirectIssuer = "https://other.example" }
      },
      check: { world, _ in #expect(world.count("POST", Path.token) == 0) }),
    RefusedSignIn(
      testDescription: "a callback that names no issuer (G21, FB-A14)",
      ending: "failed login.callbackMismatch",
      arrange: { world, _ in try world.authorizationFaults.set { $0.redirectIssuer = "" } },
      check: { world, _ in #expect(world.count("POST", Path.token) == 0) }),
    RefusedSignIn(
      testDescription: "tokens for somebody else, which are revoked (G23, FB-A15)",
      ending: "failed login.identityMismatch",
      arrange: { world, _ in
        let carol = try await world.did("carol.entryway.test").rawValue
        try world.authorizationFaults.set { $0.tokenMembers = ["sub": .string(carol)] }
      },
      check: { world, _ in #expect(world.count("POST", Path.revocation, status: 200) == 1) }),
    RefusedSignIn(
      testDescription: "tokens that allow nothing", ending: "failed login.serverUnsupported",
      arrange: { world, _ in try world.authorizationFaults.set { $0.tokenMembers["scope"] = "" } }),
    RefusedSignIn(
      testDescription: "an exchange that the server answers with rubbish",
      ending: "failed server.badResponse",
      arrange: { world, _ in
        try world.authorizationFaults.set { $0.missingTokenMembers = ["access_token"] }
      }),
    RefusedSignIn(
      testDescription: "a window that cannot be shown", ending: "failed effect.failed",
      arrange: { _, core in
        core.shell.browser.onPage { _, _ in .error(code: 6002, kind: "effect.failed") }
      }),
  ]
}

@Suite("A sign-in that fails", .serialized)
struct RefusedSignInTests {
  @Test(
    "says what happened in words for a person, and touches nobody else's account",
    arguments: RefusedSignIn.all)
  func refused(_ refusal: RefusedSignIn) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      // Somebody else, at another server, who must not notice.
      try await shell.signIn("carol.entryway.test")
      let before = try await shell.read("accounts")
      world.network.log.clear()
      shell.browser.approve("bob.test")
      try await refusal.arrange(world, core)

      let ending = try await shell.trySignIn(refusal.typed)
      #expect(ending.description == refusal.ending)
      #expect(ending.problem?.isWorded == true, "\(ending.problem?.words ?? "")")
      try await refusal.check(world, ending)
      let login = try await shell.read("login")
      #expect(login["phase"] == "failed")
      #expect(login["problem"].map(Trouble.init) == ending.problem)
      #expect(try await shell.read("accounts") == before)

      // Dismissed, the form is ready for another try, which succeeds once the cause is gone.
      try await shell.call("login.dismissProblem")
      core.tap.failure = nil
      await world.network.faults.clear()
      try world.authorizationFaults.clear()
      world.network.plcDirectory.vary { $0.replacements = [:] }
      try await core.end()
      let again = try await world.core()
      #expect(try await again.shell.read("accounts") == before)
      try await again.shell.signIn("bob.test")
      try await again.end()
    }
  }

  @Test(
    "what is no handle is refused at once, with the field it stands in",
    arguments: ["alice", "alice..test", "alice test", "did:nonsense", "", "http://alice.test/"])
  func malformed(typed: String) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.call("login.start")
      let refusal = try await core.shell.refusal(
        "login.submitHandle", ["handle": .string(typed)])
      #expect(refusal.kind == "login.handleInvalid")
      #expect(refusal.code == 2001)
      #expect(refusal.isWorded, "\(refusal.words)")
      #expect(core.shell.lastError?["data"]?["field"] == "/handle")
      #expect(core.tap.requests.isEmpty)
      #expect(try await core.shell.read("login")["phase"] == "enteringHandle")
      try await core.end()
    }
  }

  @Test("a no on the consent page ends quietly; scripts learn it (A15)")
  func denied() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      core.shell.browser.deny("alice.test")
      let ending = try await core.shell.trySignIn("alice.test")
      #expect(ending.description == "failed login.denied")
      #expect(ending.problem?.isWorded == true)
      let login = try await core.shell.read("login")
      #expect(login["problem"] == nil)
      #expect(login["phase"] == "signedOut")
      #expect(try await core.shell.read("accounts")["accountOrder"] == [])
      try await core.end()
    }
  }

  @Test("a page that the person closes ends quietly as cancelled (A15)")
  func dismissed() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      core.shell.browser.dismiss()
      #expect(try await core.shell.trySignIn("alice.test").description == "cancelled")
      let login = try await core.shell.read("login")
      #expect(login["problem"] == nil)
      #expect(login["phase"] == "signedOut")
      // Nothing of the attempt is left in the way of the next one.
      try await core.shell.signIn("alice.test")
      try await core.end()
    }
  }

  @Test("cancelling takes the page back and ends quietly (A46)")
  func cancelled() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      core.shell.browser.leaveOpen()
      let verdict = try await core.shell.submit("alice.test")
      try await core.shell.wait("login", "waiting") { $0["phase"] == "waitingForBrowser" }
      try await core.shell.call("login.cancel")
      #expect(try await core.shell.ending(of: verdict).description == "cancelled")
      try await within("the page to be taken back") {
        for await _ in core.shell.browser.takenBack { break }
      }
      let login = try await core.shell.read("login")
      #expect(login["problem"] == nil)
      #expect(login["phase"] == "signedOut")
      #expect(world.count("POST", Path.token) == 0)
      try await core.end()
    }
  }

  @Test("a second person's click joins nothing: one sign-in at a time (FB-A30)")
  func second() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      core.shell.browser.leaveOpen()
      let first = try await core.shell.submit("alice.test")
      let joined = try await core.shell.call("login.submitHandle", ["handle": "alice.test"])
      #expect(joined["joined"] == true)
      #expect(joined["operation"] == first["operation"])
      let refusal = try await core.shell.refusal("login.submitHandle", ["handle": "bob.test"])
      #expect(refusal.kind == "intent.notAvailable")
      try await core.shell.call("login.cancel")
      #expect(try await core.shell.ending(of: first).description == "cancelled")
      try await core.end()
    }
  }

  @Test(
    "a callback that belongs to nothing is refused, and the sign-in goes on (G20, A10–A12, A16)")
  func strangeCallbacks() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      shell.browser.onPage { [browser = shell.browser] args, client in
        let right = try await browser.approve("alice.test", args: args).absoluteString
        let state = try #require(right.firstMatch(of: /state=([^&]+)/)?.1)
        let wrong = [
          right.replacing(state, with: String(state.reversed())),
          right.replacing("social.grain:", with: "grain:"),
          right.replacing("/oauth/callback", with: "/oauth/callback/"),
          right.replacing("social.grain:/", with: "social.grain://evil.example/"),
          "social.grain:/oauth/callback", "not a url",
        ]
        for url in wrong {
          await #expect(throws: (any Error).self, "\(url.prefix(40))") {
            try await client.call("login.callback", ["callbackUrl": .string(url)])
          }
        }
        try await client.call("login.callback", ["callbackUrl": .string(right)])
        // The same link a second time is nobody's any more.
        await #expect(throws: (any Error).self) {
          try await client.call("login.callback", ["callbackUrl": .string(right)])
        }
        return .result(["outcome": "callbackDelivered"])
      }
      let ending = try await shell.trySignIn("alice.test")
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      let refusals = shell.traffic.values.compactMap { $0.json["error"]?["data"]?["kind"] }
      #expect(refusals.count == 7)
      #expect(refusals.prefix(6).allSatisfy { $0 == "login.callbackMismatch" })
      try await core.end()
    }
  }
}

extension World {
  /// Gives Bob's DID another document: the home server it names, none when `nil`, and the handle.
  func moveBob(to server: String?, handle: String = "bob.test") async throws {
    let did = try await did("bob.test")
    var services: [JSONValue] = []
    if let server {
      services.append([
        "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
        "serviceEndpoint": .string(server),
      ])
    }
    let document: JSONValue = [
      "id": .string(did.rawValue), "alsoKnownAs": [.string("at://\(handle)")],
      "service": .array(services),
    ]
    network.plcDirectory.vary { $0.replacements[did] = document }
  }
}

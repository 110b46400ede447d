import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite("Signing in and out", .serialized)
struct SignInTests {
  @Test("a handle and a browser page are enough, in at most eight requests (G6–G23)")
  func byHandle() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let did = try await core.shell.signIn("alice.test")
      // What the core asks for afterwards, nobody waits for; those are calls of the account's own.
      let asked = core.tap.requests.map { $0.url.path() }.filter { !$0.hasPrefix("/xrpc/") }
      #expect((5...8).contains(asked.count), "\(asked)")
      #expect(try await did == world.did("alice.test").rawValue)

      let accounts = try await core.shell.state("accounts")
      #expect(accounts["accountOrder"] == [.string(did)])
      #expect(accounts["account"]?[did]?["handle"] == "alice.test")
      #expect(accounts["account"]?[did]?["standing"] == "ok")
      #expect(accounts["account"]?[did]?["unavailable"] == [])
      let login = try await core.shell.wait("login", "at rest") { $0["phase"] == "signedIn" }
      #expect(login["status"] == "done")
      #expect(login["handle"] == "")
      #expect(login["problem"] == nil)
      try await core.end()
    }
  }

  @Test(
    "what people paste is understood: a DID, an @, capitals, an at:// address (G8, FB-A21)",
    arguments: ["did", "@Alice.test", " alice.test\u{200B}", "at://alice.test"])
  func otherSpellings(typed: String) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let did = try await world.did("alice.test").rawValue
      let name = typed == "did" ? did : typed
      #expect(try await core.shell.signIn(name, as: "alice.test") == did)
      // Typed or not, the handle that is shown was checked both ways (G12).
      #expect(
        try await core.shell.state("accounts")["account"]?[did]?["handle"] == "alice.test")
      try await core.end()
    }
  }

  @Test("with an external browser the core itself waits for the answer (G97, FB-B2)")
  func loopback() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core(presentations: ["externalBrowser"]) {
        $0.loopbackClient = true
      }
      try await core.shell.signIn("alice.test")
      let sent = core.shell.traffic.values.filter { $0.json["method"] == "effects/perform" }
      let args = try #require(sent.first?.json["params"]?["args"])
      #expect(args["callback"] == ["via": "core"])
      #expect(args["presentation"] == "externalBrowser")
      // No callback URL crosses the pipe.
      #expect(!core.shell.traffic.values.contains { $0.json["method"] == "login.callback" })
      try await core.end()
    }
  }

  @Test("an account behind an entryway signs in at the entryway and works at its own server (G13)")
  func entryway() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn("carol.entryway.test")
      let draft = try await core.shell.draft(try world.samplePhotos())
      #expect(try await core.shell.publish(draft).description == "succeeded")
      #expect(
        world.network.requests.contains { $0.server == "hostedPDS" && $0.path == Path.uploadBlob })
      try await core.end()
    }
  }

  @Test("after a restart the account is there without a network (A40, A43)")
  func restart() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      let did = try await first.shell.signIn("alice.test")
      try await first.end()

      let second = try await world.silentCore()
      second.tap.failure = .offline
      try await second.shell.initialize()
      let accounts = try await second.shell.read("accounts")
      #expect(accounts["session"] == "signedIn")
      #expect(accounts["active"]?.stringValue == did)
      #expect(accounts["account"]?[did]?["handle"] == "alice.test")
      #expect(accounts["account"]?[did]?["standing"] == "ok")
      // Publishing says what is wrong, and the draft waits for better times.
      let draft = try await second.shell.draft(try world.samplePhotos())
      let ending = try await world.impatiently { try await second.shell.publish(draft) }
      #expect(ending.description == "failed network.offline")
      second.tap.failure = nil
      #expect(try await second.shell.publish(draft, "gallery.retry").description == "succeeded")
      try await second.end()
    }
  }

  @Test("two accounts live side by side; signing the active one out leaves the other (A30, G60)")
  func twoAccounts() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      let alice = try await shell.signIn("alice.test")
      let draft = try await shell.emptyDraft(title: "Alice's")
      let bob = try await shell.signIn("bob.test")
      var accounts = try await shell.wait("accounts", "Bob's") { $0["active"] == .string(bob) }
      #expect(accounts["accountOrder"] == [.string(alice), .string(bob)])

      // Nothing of Alice's is shown to Bob (A30).
      try await shell.wait("drafts", "Bob's, who has none") { $0["draftOrder"] == [] }
      #expect(
        try await shell.refusal("gallery.setDetails", ["draft": .string(draft), "title": "Mine"])
          .kind == "gallery.draftUnknown")

      let switching = try await shell.call("accounts.switch", ["account": .string(alice)])
      #expect(try await shell.ending(of: switching).description == "succeeded")
      try await shell.wait("drafts", "Alice's again") { $0["draftOrder"] == [.string(draft)] }

      try await shell.signOut(alice)
      accounts = try await shell.wait("accounts", "Bob's again") { $0["active"] == .string(bob) }
      #expect(accounts["accountOrder"] == [.string(bob)])
      #expect(accounts["session"] == "signedIn")
      try await shell.signOut(bob)
      accounts = try await shell.wait("accounts", "empty") { $0["session"] == "signedOut" }
      #expect(accounts["accountOrder"] == [])
      #expect(accounts["active"] == nil)
      // Both grants were given back to the server.
      #expect(world.count("POST", Path.revocation, status: 200) == 2)
      try await core.end()
    }
  }

  @Test("signing out works without a network, and is final (G59, G60)")
  func signOutOffline() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let did = try await core.shell.signIn("alice.test")
      core.tap.failure = .offline
      try await core.shell.signOut(did)
      try await core.end()
      let again = try await world.core()
      let accounts = try await again.shell.wait("accounts", "empty") { $0["phase"] == "empty" }
      #expect(accounts["session"] == "signedOut")
      try await again.end()
    }
  }

  @Test("a first sign-in makes the Grain profile that nobody else makes (G114)")
  func profile() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core { $0.ensureProfile = true }
      let did = try await world.did("alice.test")
      try await core.shell.signIn("alice.test")
      try await core.shell.wait("accounts", "named") { $0["account"]?[did.rawValue] != nil }
      try await within("the profile") {
        while try await world.network.records(of: did, in: CollectionNames.actorProfile).isEmpty {
          await Task.yield()
        }
      }
      let profile = try await world.network.records(of: did, in: CollectionNames.actorProfile)
      #expect(profile.count == 1)
      #expect(profile.first?["value"]?["displayName"] == "Alice")
      try await core.end()
    }
  }

  @Test("a new account is made on the sign-up server's page (G25)")
  func newAccount() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      core.shell.browser.signUp("dora.signup.test")
      try await core.shell.call("login.start")
      let ending = try await core.shell.ending(
        of: try await core.shell.call("login.createAccount"))
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      let accounts = try await core.shell.wait("accounts", "signed in") {
        $0["session"] == "signedIn"
      }
      let did = try #require(accounts["active"]?.stringValue)
      // Its handle is looked up once its tokens are stored (FB-A26).
      try await core.shell.wait("accounts", "named") {
        $0["account"]?[did]?["handle"] == "dora.signup.test"
      }
      try await core.end()
    }
  }
}

import ATSyntax
import Foundation
import GrainLexicon
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import SystemClients
import Testing

@Suite("Deleting an account", .serialized)
struct AccountDeletionTests {
  @Test(
    "deletes what it has at its servers, then its drafts and itself here; others stay (A32, A45, G115)"
  )
  func success() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      let alice = try await world.aliceWithGallery(shell)
      let kept = try await shell.draft(try world.samplePhotos(), title: "Kept")
      let bob = try await shell.signIn("bob.test")
      let bobsDraft = try await shell.draft(try world.samplePhotos(), title: "Bob's")
      #expect(try await shell.publish(bobsDraft).description == "succeeded")
      #expect(try await world.isIndexed(alice))
      let folder = "\(world.dataFolder)/drafts/\(kept)"
      #expect(FileManager.default.fileExists(atPath: folder))
      let mark = shell.traffic.values.count
      world.network.log.clear()

      shell.browser.approve("alice.test")
      let ending = try await shell.delete(alice, confirm: " @Alice.test ")
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")

      #expect(try await world.remains(of: "alice.test") == 0)
      #expect(try await !world.isIndexed(alice))
      try await world.repository("bob.test").expect(photos: 3)
      #expect(try await world.isIndexed(bob))
      let accounts = try await shell.read("accounts")
      #expect(accounts["accountOrder"] == [.string(bob)])
      #expect(!FileManager.default.fileExists(atPath: folder))
      // Asked first, with the account's own new session, then looked for, then forgotten.
      #expect(world.count("POST", Path.deleteAccount, status: 200) >= 1)
      #expect(world.count("POST", Path.applyWrites, status: 200) >= 1)
      #expect(world.count("POST", Path.revocation, status: 200) == 2)
      // Whoever was active stayed it, at every moment.
      let states = shell.traffic.values.dropFirst(mark).compactMap { $0.json["params"] }
      let actives = states.compactMap { ($0["state"] ?? $0["merge"])?["active"]?.stringValue }
      #expect(Set(actives).isSubset(of: [bob]))
      try await core.end()

      let again = try await world.core()
      let list = try await again.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      #expect(list["accountOrder"] == [.string(bob)])
      try await again.end()
    }
  }

  @Test("the only account: afterwards nobody is signed in; an expired one can be deleted as well")
  func last() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      let alice = try await world.aliceWithGallery(shell)
      let home = try #require(world.network.authorizationServers[world.network.addresses.pds])
      await home.dropSessions(of: try await world.did("alice.test"))
      let draft = try await shell.draft(try world.samplePhotos(), title: "Unsent")
      #expect(try await shell.publish(draft).outcome == "failed")
      try await shell.wait("accounts", "expired") { $0["session"] == "signedOut" }

      shell.browser.approve("alice.test")
      let ending = try await shell.delete(alice)
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      #expect(try await world.remains(of: "alice.test") == 0)
      let accounts = try await shell.read("accounts")
      #expect(accounts["accountOrder"] == [])
      #expect(accounts["session"] == "signedOut")
      #expect(accounts["sessionReason"] == nil)
      #expect(try await shell.read("drafts")["draftOrder"] == [])
      try await core.end()
    }
  }

  @Test("a name that is not typed exactly deletes nothing and asks nobody (A45)")
  func wrongName() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let alice = try await world.aliceWithGallery(core.shell)
      world.network.log.clear()
      for typed in ["bob.test", "alice", "alice.test.", alice] {
        let refusal = try await core.shell.refusal(
          "accounts.delete", ["account": .string(alice), "confirm": .string(typed)])
        #expect(refusal.kind == "rpc.invalidParams")
        #expect(core.shell.lastError?["data"]?["field"] == "/confirm")
        #expect(refusal.words == "Type @alice.test to delete that account. Nothing was deleted.")
      }
      let unknown = try await core.shell.refusal(
        "accounts.delete", ["account": "did:web:nobody.test", "confirm": "nobody.test"])
      #expect(unknown.kind == "account.unknown")
      #expect(world.network.requests.isEmpty)
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }

  @Test("a page that is closed deletes nothing, and the account goes on as it was (A45, A46)")
  func dismissed() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let alice = try await world.aliceWithGallery(core.shell)
      core.shell.browser.dismiss()
      #expect(try await core.shell.delete(alice).description == "cancelled")
      core.shell.browser.deny("alice.test")
      let denied = try await core.shell.delete(alice)
      #expect(denied.description == "failed login.denied")
      #expect(denied.problem?.words.hasSuffix("Nothing was deleted.") == true)
      #expect(world.count("POST", Path.deleteAccount) == 0)
      try await world.expectUntouched(core.shell, alice)
      try await core.end()
    }
  }

  @Test("somebody else who signs in deletes neither account, and is not kept (A45)")
  func somebodyElse() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let alice = try await world.aliceWithGallery(core.shell)
      core.shell.browser.approve("bob.test")
      let ending = try await core.shell.delete(alice)
      #expect(ending.description == "failed login.identityMismatch")
      #expect(ending.problem?.words.hasSuffix("Nothing was deleted.") == true)
      #expect(ending.problem?.details?["deleted"] == "nothing")
      #expect(world.count("POST", Path.deleteAccount) == 0)
      try await world.expectUntouched(core.shell, alice)
      try await core.end()
    }
  }

  @Test("a server that refuses leaves everything as it was, and says so (A32)")
  func refused() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let alice = try await world.aliceWithGallery(core.shell)
      await world.network.faults.add(
        .status(403), on: SandboxFaults.Match(server: "appView", pathPrefix: Path.deleteAccount))
      core.shell.browser.approve("alice.test")
      let ending = try await core.shell.delete(alice)
      #expect(ending.outcome == "failed")
      #expect(ending.problem?.isWorded == true)
      #expect(ending.problem?.words.hasSuffix("Nothing was deleted.") == true)
      // Nothing goes on with it later.
      try await core.end()
      let again = try await world.core()
      try await again.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      try await world.expectUntouched(again.shell, alice)
      try await again.end()
    }
  }

  @Test("an AppView that cannot do it does not keep the records from going (G115)")
  func unable() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let alice = try await world.aliceWithGallery(core.shell)
      await world.network.faults.add(
        .status(500), on: SandboxFaults.Match(server: "appView", pathPrefix: Path.deleteAccount),
        times: 100)
      core.shell.browser.approve("alice.test")
      let ending = try await world.impatiently { try await core.shell.delete(alice) }
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      #expect(try await world.remains(of: "alice.test") == 0)
      // It has been told of every record that is gone.
      #expect(try await !world.isIndexed(alice))
      try await core.end()
    }
  }

  @Test(
    "an answer that is lost on the way is asked for again",
    arguments: [Path.deleteAccount, Path.listRecords, Path.applyWrites, Path.indexRecords])
  func lostAnswer(_ path: String) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let alice = try await world.aliceWithGallery(core.shell)
      await world.network.faults.add(.lostAnswer, on: .pds(path))
      core.shell.browser.approve("alice.test")
      let ending = try await world.impatiently { try await core.shell.delete(alice) }
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      #expect(await world.network.faults.remaining == 0)
      #expect(try await world.remains(of: "alice.test") == 0)
      #expect(try await core.shell.read("accounts")["accountOrder"] == [])
      try await core.end()
    }
  }

  @Test("answers that never come leave it open what is deleted, until the next start finishes it")
  func neverAnswered() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      let alice = try await world.aliceWithGallery(shell)
      await world.network.faults.add(.lostAnswer, on: .pds(Path.deleteAccount), times: 100)
      shell.browser.approve("alice.test")
      let ending = try await world.impatiently { try await shell.delete(alice) }
      #expect(ending.outcome == "failed")
      #expect(ending.problem?.isWorded == true)
      #expect(ending.problem?.details?["deleted"] == "unknown")
      #expect(ending.problem?.words.contains("othing was deleted") == false)
      // Until it is over, nothing is written in its name.
      let account = try await shell.read("accounts")["account"]?[alice]
      #expect(account?["can"] == ["accounts.delete", "accounts.signOut"])
      let draft = try await shell.draft(try world.samplePhotos(), title: "Too late")
      #expect(try await shell.publish(draft).outcome == "failed")
      try await core.end()

      await world.network.faults.clear()
      let again = try await world.core()
      try await again.shell.wait("accounts", "empty") { $0["phase"] == "empty" }
      #expect(try await world.remains(of: "alice.test") == 0)
      try await again.end()
    }
  }

  @Test(
    "a core killed in the middle finishes the deletion at its next start, without a new sign-in",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)),
    arguments: [Path.deleteAccount, Path.listRecords, Path.applyWrites, Path.indexRecords])
  func killed(_ path: String) async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      let alice = try await world.aliceWithGallery(first.shell)
      first.shell.browser.approve("alice.test")
      await world.network.faults.add(.delay(.zero), on: .pds(path))
      try await first.shell.call(
        "accounts.delete", ["account": .string(alice), "confirm": "alice.test"])
      try await world.arrival("the moment")
      try await first.kill()
      await world.network.faults.clear()
      world.turnstile.open()

      let second = try await world.process()
      second.shell.browser.dismiss()
      try await second.shell.wait("accounts", "empty") { $0["phase"] == "empty" }
      #expect(try await world.remains(of: "alice.test") == 0)
      #expect(try await !world.isIndexed(alice))
      try await second.end()
    }
  }
}

extension Shell {
  /// Asks for a deletion and waits for its end.
  fileprivate func delete(_ account: String, confirm: String = "alice.test") async throws -> Ending
  {
    try await ending(
      of: try await call(
        "accounts.delete", ["account": .string(account), "confirm": .string(confirm)]))
  }
}

extension World {
  /// Signs Alice in and publishes a gallery for her.
  fileprivate func aliceWithGallery(_ shell: Shell) async throws -> String {
    let alice = try await shell.signIn()
    let draft = try await shell.draft(try samplePhotos())
    #expect(try await shell.publish(draft).description == "succeeded")
    return alice
  }

  /// How many Grain records an account's server has.
  fileprivate func remains(of handle: String) async throws -> Int {
    let did = try await did(handle)
    var count = 0
    for collection in [
      CollectionNames.gallery, CollectionNames.galleryItem, CollectionNames.photo,
      CollectionNames.photoEXIF, CollectionNames.actorProfile,
    ] {
      count += try await network.records(of: did, in: collection).count
    }
    return count
  }

  /// Whether the AppView still shows a gallery of an account.
  fileprivate func isIndexed(_ account: String) async throws -> Bool {
    let query = FormURLEncoding.encodeText([("feed", "actor"), ("actor", account)])
    let url = try #require(
      URL(string: "\(network.addresses.appView)/xrpc/\(MethodNames.getFeed)?\(query)"))
    let answer = try await http.send(HTTPRequest(method: "GET", url: url))
    return try JSONParser.parse(answer.body)["items"]?.arrayValue?.isEmpty == false
  }

  /// Insists that nothing of Alice's is gone and that she can go on.
  fileprivate func expectUntouched(_ shell: Shell, _ alice: String) async throws {
    let accounts = try await shell.read("accounts")
    #expect(accounts["active"]?.stringValue == alice)
    #expect(accounts["session"] == "signedIn")
    try await repository().expect(photos: 3)
    let draft = try await shell.draft(try samplePhotos(), title: "Afterwards")
    #expect(try await shell.publish(draft).description == "succeeded")
    try await repository().expect(galleries: 2, photos: 3)
  }
}

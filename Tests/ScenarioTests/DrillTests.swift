import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import Testing

/// Trouble at every request in turn: whatever happens, the repository ends with one whole gallery and
/// one post, and until then the draft is there.
@Suite("Drills of publishing", .serialized)
struct DrillTests {
  /// What one publish with a post sends: three uploads, the commit, a word to the AppView, the post.
  private static let requests = Array(0..<6)

  @Test(
    "whichever request loses its answer, there is one gallery and one post (G108, FB-D10, FB-D11)",
    arguments: requests)
  func lostAnswer(_ number: Int) async throws {
    try await atRequest(number, .lostAnswer)
  }

  @Test("whichever request is dropped, there is one gallery and one post", arguments: requests)
  func dropped(_ number: Int) async throws {
    try await atRequest(number, .dropBeforeProcessing)
  }

  @Test(
    "whichever request is refused for its token, there is one gallery and one post (FB-D15)",
    arguments: requests)
  func unauthorized(_ number: Int) async throws {
    try await atRequest(number, .status(401))
  }

  private func atRequest(_ number: Int, _ fault: SandboxFault) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core { $0.limits.parallelUploads = 1 }
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draftToPost(try world.samplePhotos())
      await world.network.faults.add(
        fault, on: SandboxFaults.Match(server: "pds", method: "POST", pathPrefix: "/xrpc/"),
        after: number)
      var ending = try await world.impatiently { try await shell.publish(draft) }
      if ending.description != "succeeded" {
        #expect(ending.problem?.isWorded == true, "\(ending.problem?.words ?? "")")
        #expect(try await shell.read("drafts")["draft"]?[draft]?["photoCount"] == 3)
        ending = try await world.impatiently { try await shell.publish(draft, "gallery.retry") }
      }
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      if try await shell.state(draft)["crossPostStatus"] == "failed" {
        #expect(try await shell.publish(draft, "gallery.retryCrossPost").description == "succeeded")
      }
      try await shell.wait(draft, "posted") { $0["crossPostStatus"] == "posted" }
      let repository = try await world.repository()
      repository.expect(photos: 3)
      #expect(repository.posts.count == 1)
      try await shell.wait("drafts", "empty") { $0["draftOrder"] == [] }
      try await core.end()
    }
  }

  @Test(
    "killed at whichever request, there is one gallery and one post after the restart (FB-D10)",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)),
    arguments: requests)
  func killed(_ number: Int) async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      try await first.shell.signIn()
      let draft = try await first.shell.draftToPost(try world.samplePhotos())
      await world.network.faults.add(
        .delay(.zero), on: SandboxFaults.Match(server: "pds", method: "POST", pathPrefix: "/xrpc/"),
        after: number)
      try await first.shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("request \(number)")
      try await first.kill()
      await world.network.faults.clear()
      world.turnstile.open()

      let second = try await world.process()
      try await second.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      let drafts = try await second.shell.read("drafts")
      if let offered = drafts["draft"]?[draft] {
        let intent = offered["resumable"] == true ? "gallery.retry" : "gallery.publish"
        try await second.shell.goOn(draft, intent)
      }
      try await second.end()
      let repository = try await world.repository()
      repository.expect(photos: 3)
      #expect(repository.posts.count == 1)
    }
  }

  @Test("two impatient clicks are one publish")
  func impatient() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draftToPost(try world.samplePhotos())
      async let one = shell.call("gallery.publish", ["draft": .string(draft)])
      async let two = shell.call("gallery.publish", ["draft": .string(draft)])
      let verdicts = try await [one, two]
      #expect(verdicts[0]["operation"] == verdicts[1]["operation"])
      #expect(verdicts.count { $0["joined"] == true } == 1)
      #expect(try await shell.ending(of: verdicts[0]).description == "succeeded")
      let repository = try await world.repository()
      repository.expect(photos: 3)
      #expect(repository.posts.count == 1)
      try await core.end()
    }
  }

  @Test("a 500 for record keys that exist already is success, asked about at the PDS (G100, G108)")
  func existingKeys() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draftToPost(try world.samplePhotos())
      // Both commits land unheard, and the first questions about them stay without an answer. The AppView
      // asks for records too, but never for posts.
      for path in [Path.applyWrites, Path.createRecord] {
        await world.network.faults.add(.lostAnswer, on: .pds(path))
      }
      for collection in [CollectionNames.gallery, CollectionNames.blueskyPost] {
        var question = SandboxFaults.Match.pds(Path.getRecord)
        question.query = "collection=\(collection)&"
        await world.network.faults.add(.html502, on: question)
      }
      let ending = try await world.impatiently { try await shell.publish(draft) }
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      try await shell.wait(draft, "posted") { $0["crossPostStatus"] == "posted" }
      #expect(world.count("POST", Path.applyWrites, status: 500) == 1)
      #expect(world.count("POST", Path.createRecord, status: 500) == 1)
      #expect(await world.network.faults.remaining == 0)
      #expect(core.tap.requests.allSatisfy { !$0.url.path().hasSuffix("dev.hatk.getRecord") })
      let repository = try await world.repository()
      repository.expect(photos: 3)
      #expect(repository.posts.count == 1)
      try await core.end()
    }
  }

  @Test("a picture deleted from disk after it was added is published from its copy")
  func deletedPicture() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn()
      let photos = try world.samplePhotos()
      let draft = try await shell.draft(photos)
      try FileManager.default.removeItem(atPath: photos[1])
      #expect(try await shell.publish(draft).description == "succeeded")
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }

  @Test("a copy that is gone together with its picture is named; without it the rest is published")
  func deletedCopy() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn()
      let photos = try world.samplePhotos()
      let draft = try await shell.draft(photos)
      let ids = try await shell.photos(of: draft)
      try FileManager.default.removeItem(atPath: photos[1])
      try FileManager.default.removeItem(
        atPath: "\(world.dataFolder)/drafts/\(draft)/\(ids[1]).image")
      let ending = try await shell.publish(draft)
      #expect(ending.description == "failed gallery.photoUnreadable")
      #expect(ending.problem?.isWorded == true)
      try await world.repository().expect(galleries: 0, photos: 0)
      try await shell.wait(draft, "at rest") { $0["phase"] == "failed" }
      try await shell.call(
        "gallery.removePhoto", ["draft": .string(draft), "photo": .string(ids[1])])
      #expect(try await shell.publish(draft).description == "succeeded")
      try await world.repository().expect(photos: 2)
      try await core.end()
    }
  }
}

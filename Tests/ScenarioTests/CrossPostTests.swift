import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import GrainTestSupport
import HTTPTransport
import SQLiteDatabase
import Sandbox
import ShellClient
import StrictJSON
import Testing

@Suite("The post on Bluesky that follows a gallery", .serialized)
struct CrossPostScenarios {
  @Test("it shows the gallery, leads back to it, and is not told to the AppView (G51, G107)")
  func posted() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let did = try await core.shell.signIn()
      let draft = try await core.shell.draftToPost(try world.samplePhotos())
      try await core.shell.call(
        "gallery.setDetails",
        [
          "draft": .string(draft), "description": "Seen with @bob.test and @nobody.test #été",
          "location": [
            "h3": "8a2656088b17fff", "name": "Kansas City, Jackson County, Missouri, United States",
            "address": ["country": "US", "region": "Missouri", "locality": "Kansas City"],
          ],
        ])
      #expect(try await core.shell.publish(draft).description == "succeeded")
      let state = try await core.shell.wait(draft, "posted") { $0["crossPostStatus"] == "posted" }
      #expect(state["phase"] == "published" && state["problem"] == nil)
      #expect(state["can"] == [])

      let repository = try await world.repository()
      repository.expect(photos: 3)
      let gallery = try #require(repository.galleries.first)
      let post = try #require(repository.posts.first)
      #expect(repository.posts.count == 1)
      let key = try #require(gallery.uri.split(separator: "/").last)
      let site = try #require(world.configuration["appServer"]?.stringValue)
      #expect(
        post["text"]?.stringValue == """
          A walk, Seen with @bob.test and @nobody.test #été

          📍 Kansas City, Missouri, US

          #GrainSocial \(site)/profile/\(did)/gallery/\(key)
          """)
      let bob = try await world.did("bob.test").rawValue
      let features = post["facets"]?.arrayValue?.compactMap { $0["features"]?.arrayValue?.first }
      #expect(features?.first?["did"]?.stringValue == bob)
      #expect(features?.compactMap { $0["tag"]?.stringValue } == ["été", "GrainSocial"])
      let images = post["embed"]?["images"]?.arrayValue ?? []
      #expect(
        images.compactMap { $0["image"]?["ref"]?["$link"]?.stringValue }
          == gallery.photos.map(\.blob))
      // The resolver was asked once for each handle, and the AppView heard nothing of the post.
      let asked = core.tap.requests.filter { $0.url.path().hasSuffix("identity.resolveHandle") }
      #expect(asked.count == 2)
      for request in core.tap.requests where request.url.path() == Path.indexRecords {
        guard case .bytes(let body) = request.body else { continue }
        #expect(!String(decoding: body, as: UTF8.self).contains("app.bsky"))
      }
      try await core.shell.wait("drafts", "empty") { $0["draftOrder"] == [] }
      try await core.end()
    }
  }

  @Test(
    "the longest texts make a post that the server takes (G117, FB-D5)",
    arguments: ["👨‍👩‍👧‍👦", "写", "word "])
  func longest(_ piece: String) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      let draft = try await core.shell.draftToPost(try world.samplePhotos())
      let count = 1000 / piece.utf8.count
      try await core.shell.call(
        "gallery.setDetails",
        [
          "draft": .string(draft),
          "title": .string(String(String(repeating: piece, count: 100 / piece.utf8.count))),
          "description": .string(String(repeating: piece, count: count)),
        ])
      #expect(try await core.shell.publish(draft).description == "succeeded")
      try await core.shell.wait(draft, "posted") { $0["crossPostStatus"] == "posted" }
      let repository = try await world.repository()
      #expect(repository.posts.count == 1)
      try await core.end()
    }
  }

  static let passing = [
    PublishingFaultTests.Trouble(
      testDescription: "the answer to the post is lost", fault: .lostAnswer,
      path: Path.createRecord),
    PublishingFaultTests.Trouble(
      testDescription: "the answer to the post breaks off", fault: .truncatedAnswer,
      path: Path.createRecord),
    PublishingFaultTests.Trouble(
      testDescription: "the post does not reach the server", fault: .dropBeforeProcessing,
      path: Path.createRecord, times: 3),
    PublishingFaultTests.Trouble(
      testDescription: "the post meets a fault of the server", fault: .status(500),
      path: Path.createRecord, times: 2),
    PublishingFaultTests.Trouble(
      testDescription: "the server asks for a pause", fault: .status(429, retryAfter: 3),
      path: Path.createRecord),
  ]

  @Test("trouble that passes ends in one gallery and one post (FB-D11)", arguments: passing)
  func overcome(_ trouble: PublishingFaultTests.Trouble) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      let draft = try await core.shell.draftToPost(try world.samplePhotos())
      await world.network.faults.add(trouble.fault, on: .pds(trouble.path), times: trouble.times)
      let ending = try await world.impatiently { try await core.shell.publish(draft) }
      #expect(ending.description == "succeeded")
      try await core.shell.wait(draft, "posted") { $0["crossPostStatus"] == "posted" }
      let repository = try await world.repository()
      repository.expect(photos: 3)
      #expect(repository.posts.count == 1)
      try await core.end()
    }
  }

  @Test(
    "trouble that stays leaves the gallery published, says so, and is retried alone (FB-D11)",
    arguments: [SandboxFault.status(500), .status(400), .lostAnswer])
  func lasting(_ fault: SandboxFault) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draftToPost(try world.samplePhotos())
      await world.network.faults.add(fault, on: .pds(Path.createRecord), times: 100)
      if fault == .lostAnswer {
        await world.network.faults.add(.status(503), on: .pds(Path.getRecord), times: 100)
      }
      #expect(
        try await world.impatiently { try await shell.publish(draft) }.description == "succeeded")
      let state = try await shell.wait(draft, "without its post") {
        $0["crossPostStatus"] == "failed"
      }
      #expect(state["phase"] == "published")
      #expect(state["publishedUri"]?.stringValue?.hasPrefix("at://") == true)
      let told = try #require(state["problem"].map(ScenarioTests.Trouble.init))
      #expect(told.isWorded, "\(told.words)")
      #expect(state["can"]?.arrayValue?.contains("gallery.retryCrossPost") == true)
      try await world.repository().expect(photos: 3)

      // It fails again, and says so; then it succeeds, and nothing but the post is sent.
      let again = try await world.impatiently {
        try await shell.publish(draft, "gallery.retryCrossPost")
      }
      #expect(again.outcome == "failed")
      await world.network.faults.clear()
      world.network.log.clear()
      #expect(try await shell.publish(draft, "gallery.retryCrossPost").description == "succeeded")
      try await shell.wait(draft, "posted") { $0["crossPostStatus"] == "posted" }
      #expect(world.uploads == 0 && world.count("POST", Path.applyWrites) == 0)
      let repository = try await world.repository()
      repository.expect(photos: 3)
      #expect(repository.posts.count == 1)
      try await shell.wait("drafts", "empty") { $0["draftOrder"] == [] }
      try await core.end()
    }
  }

  @Test("a grant without posts publishes the gallery and says what is missing (G109)")
  func withoutScope() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try world.authorizationFaults.set { switches in
        switches.tokenMembers = ["scope": .string(Self.scope(of: world))]
      }
      try await shell.signIn()
      try world.authorizationFaults.clear()
      let draft = try await shell.draftToPost(try world.samplePhotos())
      #expect(try await shell.publish(draft).description == "succeeded")
      let state = try await shell.wait(draft, "without its post") {
        $0["crossPostStatus"] == "failed"
      }
      #expect(state["problem"]?["kind"] == "account.scopeMissing")
      #expect(world.count("POST", Path.createRecord) == 0)
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }

  @Test(
    "a core killed between the failed post and its retry keeps the gallery and the post's key (kill -9)",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)),
    arguments: [SandboxFault.status(500), .lostAnswer])
  func killed(_ fault: SandboxFault) async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      try await first.shell.signIn()
      let draft = try await first.shell.draftToPost(try world.samplePhotos())
      await world.network.faults.add(fault, on: .pds(Path.createRecord), times: 100)
      if fault == .lostAnswer {
        await world.network.faults.add(.status(503), on: .pds(Path.getRecord), times: 100)
      }
      #expect(try await first.shell.publish(draft).description == "succeeded")
      try await first.shell.wait(draft, "without its post") { $0["crossPostStatus"] == "failed" }
      let before = try await world.repository()
      before.expect(photos: 3)
      #expect(before.posts.count == (fault == .lostAnswer ? 1 : 0))
      try await first.kill()
      let key = try Self.postKey(of: draft, in: world)
      await world.network.faults.clear()
      world.network.log.clear()

      let second = try await world.process()
      try await second.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      try await second.shell.goOn(draft, "gallery.retryCrossPost")
      try await second.shell.wait("drafts", "empty") { $0["draftOrder"] == [] }
      try await second.end()
      // Nothing of the gallery was sent again, and what landed is what was meant before the kill.
      #expect(world.uploads == 0 && world.count("POST", Path.applyWrites) == 0)
      let after = try await world.repository()
      after.expect(photos: 3)
      #expect(after.galleries.map(\.uri) == before.galleries.map(\.uri))
      let posts = after.all(CollectionNames.blueskyPost).map(\.uri)
      #expect(posts.count == 1 && posts.first?.hasSuffix("/\(key)") == true, "\(posts), \(key)")
    }
  }

  /// The record key of a draft's post, as it lies on the disk.
  private static func postKey(of draft: String, in world: World) throws -> String {
    let database = try SQLiteConnection(path: "\(world.dataFolder)/core.sqlite")
    let rows = try database.query(
      "SELECT json_extract(body, '$.sending.postKey') AS post FROM draft WHERE id = ?",
      [.text(draft)])
    return try #require(rows.first?.text("post"))
  }

  /// Everything the core asks for but posts.
  static func scope(of world: World) -> String {
    // The configuration is the sandbox's own.
    let configuration = try? CoreConfiguration.reading(.object(world.configuration))
    let items = configuration?.appView?.scope.split(separator: " ") ?? []
    return items.filter { !$0.contains("app.bsky") }.joined(separator: " ")
  }
}

extension Shell {
  /// Makes a draft that is to be posted on Bluesky as well.
  func draftToPost(_ photos: [String]) async throws -> String {
    let draft = try await draft(photos)
    try await call("gallery.setDetails", ["draft": .string(draft), "crossPost": true])
    return draft
  }
}

import ATSyntax
import Foundation
import GrainLexicon
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import Testing

@Suite("Deleting a gallery that is up", .serialized)
struct DeletePublishedTests {
  /// Publishes a gallery that alice and bob have said something about.
  private func publish(_ world: World, _ shell: Shell) async throws -> String {
    let draft = try await shell.draft(try world.samplePhotos())
    #expect(try await shell.publish(draft).description == "succeeded")
    let gallery = try #require(try await world.repository().galleries.last?.uri)
    for who in ["alice.test", "bob.test"] {
      try await world.remark(CollectionNames.favorite, by: who, on: gallery)
      try await world.remark(CollectionNames.comment, by: who, on: gallery)
    }
    return gallery
  }

  private func expectGone(_ world: World) async throws {
    let mine = try await world.repository()
    mine.expect(galleries: 0, photos: 0)
    for collection in [
      CollectionNames.photo, CollectionNames.photoEXIF, CollectionNames.galleryItem,
      CollectionNames.favorite, CollectionNames.comment,
    ] {
      #expect(mine.all(collection).isEmpty, "\(collection)")
    }
    // What others said is theirs.
    let theirs = try await world.repository("bob.test")
    #expect(theirs.all(CollectionNames.favorite).count == 1)
    #expect(theirs.all(CollectionNames.comment).count == 1)
  }

  @Test("everything of one's own goes, by our own hand where the AppView cannot (G47, G115, G116)")
  func everything() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      let gallery = try await publish(world, core.shell)
      world.network.log.clear()
      let verdict = try await core.shell.call(
        "gallery.deletePublished", ["gallery": .string(gallery)])
      #expect(try await core.shell.ending(of: verdict).description == "succeeded")
      try await expectGone(world)
      // The AppView was asked, could not, and then heard of every address that went.
      #expect(core.tap.requests.contains { $0.url.path() == Path.deleteGallery })
      let body = try #require(core.tap.bodies(of: Path.applyWrites).last)
      let writes = body["writes"]?.arrayValue ?? []
      #expect(writes.count == 12)
      #expect(writes.last?["collection"] == "social.grain.gallery")
      let told = core.tap.bodies(of: Path.indexRecords).flatMap { $0["uris"]?.arrayValue ?? [] }
      #expect(told.suffix(12).contains(.string(gallery)))
      let did = try await world.did("alice.test")
      let view = try await world.http.send(
        HTTPRequest(
          url: try #require(
            URL(
              string: "\(world.network.addresses.appView)/xrpc/\(MethodNames.getFeed)"
                + "?feed=actor&actor=\(did)"))))
      #expect(!String(decoding: view.body, as: UTF8.self).contains(gallery))
      // Asked for once more, there is nothing to do.
      let again = try await core.shell.call(
        "gallery.deletePublished", ["gallery": .string(gallery)])
      #expect(try await core.shell.ending(of: again).description == "succeeded")
      #expect(world.count("POST", Path.applyWrites) == 1)
      try await core.end()
    }
  }

  @Test(
    "trouble that passes leaves nothing behind (G108)",
    arguments: [
      (SandboxFault.lostAnswer, Path.applyWrites), (.truncatedAnswer, Path.applyWrites),
      (.dropBeforeProcessing, Path.applyWrites), (.status(500), Path.applyWrites),
      (.lostAnswer, Path.deleteGallery), (.status(500), Path.indexRecords),
      (.status(503), "/xrpc/com.atproto.repo.listRecords"),
    ])
  func trouble(_ fault: SandboxFault, _ path: String) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      let gallery = try await publish(world, core.shell)
      await world.network.faults.add(fault, on: .pds(path))
      let verdict = try await core.shell.call(
        "gallery.deletePublished", ["gallery": .string(gallery)])
      let ending = try await world.impatiently { try await core.shell.ending(of: verdict) }
      #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
      try await expectGone(world)
      try await core.end()
    }
  }

  @Test("a deletion pressed twice is one, and notices what is added meanwhile (swapCommit)")
  func concurrent() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      let gallery = try await publish(world, core.shell)
      let item = try #require(
        try await world.repository().all(CollectionNames.galleryItem).first?.value.objectValue)
      await world.network.faults.add(.delay(.zero), on: .pds(Path.applyWrites))
      let verdict = try await core.shell.call(
        "gallery.deletePublished", ["gallery": .string(gallery)])
      try await world.arrival("the deletion at the server")
      let again = try await core.shell.call(
        "gallery.deletePublished", ["gallery": .string(gallery)])
      #expect(again["joined"] == true && again["operation"] == verdict["operation"])
      let did = try await world.did("alice.test")
      try await world.network.write(
        item, at: ATURI(did, CollectionNames.galleryItem, try RecordKey("3ke6kg3wk22k2")))
      world.turnstile.open()
      #expect(try await core.shell.ending(of: verdict).description == "succeeded")
      try await expectGone(world)
      try await core.end()
    }
  }

  @Test("a photograph that another gallery shows stays")
  func shared() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      let first = try await publish(world, core.shell)
      let did = try await world.did("alice.test")
      let other = ATURI(did, CollectionNames.gallery, try RecordKey("3ke6kg3wk22k2"))
      let photo = try #require(try await world.repository().all(CollectionNames.photo).first?.uri)
      let made: JSONValue = "2026-01-02T03:04:05.000Z"
      try await world.network.write(
        ["$type": "social.grain.gallery", "title": "Other", "createdAt": made], at: other)
      try await world.network.write(
        [
          "$type": "social.grain.gallery.item", "gallery": .string(other.rawValue),
          "item": .string(photo), "position": 0, "createdAt": made,
        ], at: ATURI(did, CollectionNames.galleryItem, try RecordKey("3ke6kg3wk22k3")))
      let verdict = try await core.shell.call(
        "gallery.deletePublished", ["gallery": .string(first)])
      #expect(try await core.shell.ending(of: verdict).description == "succeeded")
      let repository = try await world.repository()
      repository.expect(galleries: 1, photos: 1)
      #expect(repository.galleries.first?.uri == other.rawValue)
      try await core.end()
    }
  }

  @Test(
    "a core killed during the deletion leaves a gallery that can be deleted, or none (kill -9)",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)),
    arguments: [Path.deleteGallery, Path.applyWrites, Path.indexRecords])
  func killed(path: String) async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      try await first.shell.signIn()
      let gallery = try await publish(world, first.shell)
      await world.network.faults.add(.delay(.zero), on: .pds(path))
      try await first.shell.call("gallery.deletePublished", ["gallery": .string(gallery)])
      try await world.arrival("the moment")
      try await first.kill()
      await world.network.faults.clear()
      world.turnstile.open()
      let second = try await world.process()
      try await second.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      let verdict = try await second.shell.call(
        "gallery.deletePublished", ["gallery": .string(gallery)])
      #expect(try await second.shell.ending(of: verdict).description == "succeeded")
      try await second.end()
      try await expectGone(world)
    }
  }
}

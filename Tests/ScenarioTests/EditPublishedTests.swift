import ATSyntax
import Foundation
import GrainLexicon
import GrainTestSupport
import HTTPTransport
import Sandbox
import ShellClient
import StrictJSON
import Testing

@Suite("Editing a gallery that is up", .serialized)
struct EditPublishedTests {
  /// A published gallery of three photographs and the shell of its account.
  private struct Scene {
    let world: World
    let core: CoreSession
    let gallery: String
    var shell: Shell { core.shell }

    /// Publishes one.
    static func set(in world: World) async throws -> Scene {
      let core = try await world.core()
      try await core.shell.signIn()
      let draft = try await core.shell.draft(try world.samplePhotos())
      #expect(try await core.shell.publish(draft).description == "succeeded")
      let gallery = try #require(try await world.repository().galleries.first?.uri)
      world.network.log.clear()
      return Scene(world: world, core: core, gallery: gallery)
    }

    var uri: ATURI { get throws { try ATURI(gallery) } }

    /// What another program makes of the head record.
    func changeElsewhere(_ change: (inout JSONObject) -> Void) async throws {
      let record = try await world.repository().all(CollectionNames.gallery).first
      var value = try #require(record?.value.objectValue)
      change(&value)
      try await world.network.write(value, at: try uri)
    }
  }

  @Test("every kind of change is one commit of the difference, and the AppView is told (G43–G48)")
  func difference() async throws {
    try await World.run { (world) async throws -> Void in
      let scene = try await Scene.set(in: world)
      let shell = scene.shell
      // A member this core does not know, and the way the gallery looked before.
      try await scene.changeElsewhere { $0["theme"] = "dusk" }
      let before = try #require(try await world.repository().galleries.first)
      let commits = world.count("POST", Path.applyWrites)

      let draft = try await shell.edit(scene.gallery)
      let state = try await shell.state(draft)
      #expect(state["title"] == "A walk" && state["phase"] == "editing")
      let ids = try await shell.photos(of: draft)
      let media = state["photo"]?[ids[0]]?["media"]
      #expect(media?["uri"]?.stringValue?.contains("com.atproto.sync.getBlob") == true)
      #expect(media?["width"]?.intValue == before.photos[0].width)

      try await shell.call(
        "gallery.setDetails",
        ["draft": .string(draft), "title": "Another walk", "description": "At #dawn"])
      try await shell.call(
        "gallery.setAlt", ["draft": .string(draft), "photo": .string(ids[1]), "alt": "A gate"])
      try await shell.call(
        "gallery.removePhoto", ["draft": .string(draft), "photo": .string(ids[0])])
      let added = try await shell.add([try world.samplePhotos()[0]], to: draft)
      #expect(added.description == "succeeded")
      let new = try #require(try await shell.photos(of: draft).last)
      try await shell.call(
        "gallery.movePhoto",
        ["draft": .string(draft), "photo": .string(new), "before": .string(ids[1])])
      #expect(try await shell.publish(draft).description == "succeeded")

      let repository = try await world.repository()
      repository.expect(photos: 3)
      let after = try #require(repository.galleries.first)
      #expect(after.uri == scene.gallery && after.title == "Another walk")
      #expect(after.photos.map(\.alt) == ["", "A gate", ""])
      #expect(after.photos.dropFirst().map(\.blob) == before.photos.dropFirst().map(\.blob))
      let head = try #require(repository.all(CollectionNames.gallery).first?.value)
      #expect(head["theme"] == "dusk" && head["updatedAt"] != nil)
      #expect(head["facets"]?.arrayValue?.count == 1)
      #expect(world.count("POST", Path.applyWrites) == commits + 1)
      #expect(world.uploads == 1)
      // Three new records, one caption, the head, no other place changed, three that go.
      let body = try #require(scene.core.tap.bodies(of: Path.applyWrites).last)
      let kinds = body["writes"]?.arrayValue?.compactMap { write -> String? in
        let kind = write["$type"]?.stringValue?.split(separator: "#").last ?? ""
        return "\(kind) \(write["collection"]?.stringValue ?? "")"
      }
      #expect(
        kinds == [
          "create social.grain.photo", "create social.grain.photo.exif",
          "update social.grain.photo", "update social.grain.gallery",
          "create social.grain.gallery.item", "delete social.grain.gallery.item",
          "delete social.grain.photo.exif", "delete social.grain.photo",
        ])
      #expect(body["swapCommit"]?.stringValue?.isEmpty == false)
      let told = scene.core.tap.bodies(of: Path.indexRecords).suffix(1)
        .flatMap { $0["uris"]?.arrayValue ?? [] }
      #expect(told.count == 8)
      try await shell.wait("drafts", "empty") { $0["draftOrder"] == [] }
      try await scene.core.end()
    }
  }

  @Test("a draft that changes nothing writes nothing")
  func nothing() async throws {
    try await World.run { (world) async throws -> Void in
      let scene = try await Scene.set(in: world)
      let draft = try await scene.shell.edit(scene.gallery)
      // Opened twice it is one draft.
      #expect(try await scene.shell.edit(scene.gallery) == draft)
      #expect(try await scene.shell.publish(draft).description == "succeeded")
      #expect(world.count("POST", Path.applyWrites) == 0)
      #expect(world.count("POST", Path.indexRecords) == 0)
      try await scene.core.end()
    }
  }

  @Test(
    "trouble at the commit ends in the gallery as it was meant (G108)",
    arguments: [
      SandboxFault.lostAnswer, .truncatedAnswer, .dropBeforeProcessing, .status(500),
    ])
  func trouble(_ fault: SandboxFault) async throws {
    try await World.run { (world) async throws -> Void in
      let scene = try await Scene.set(in: world)
      let draft = try await scene.shell.edit(scene.gallery)
      try await scene.shell.call(
        "gallery.setDetails", ["draft": .string(draft), "title": "Mended"])
      let ids = try await scene.shell.photos(of: draft)
      try await scene.shell.call(
        "gallery.removePhoto", ["draft": .string(draft), "photo": .string(ids[1])])
      await world.network.faults.add(fault, on: .pds(Path.applyWrites))
      let ending = try await world.impatiently { try await scene.shell.publish(draft) }
      #expect(ending.description == "succeeded")
      let repository = try await world.repository()
      repository.expect(photos: 2)
      #expect(repository.galleries.first?.title == "Mended")
      try await scene.core.end()
    }
  }

  @Test("what somebody else changed meanwhile is not overwritten (swapCommit)")
  func conflict() async throws {
    try await World.run { (world) async throws -> Void in
      let scene = try await Scene.set(in: world)
      let shell = scene.shell
      let draft = try await shell.edit(scene.gallery)
      try await shell.call("gallery.setDetails", ["draft": .string(draft), "title": "Mine"])
      try await scene.changeElsewhere { $0["title"] = "Theirs" }
      let ending = try await shell.publish(draft)
      #expect(ending.description == "failed gallery.changedElsewhere")
      #expect(ending.problem?.isWorded == true)
      #expect(try await world.repository().galleries.first?.title == "Theirs")
      #expect(world.count("POST", Path.applyWrites) == 0)

      // The draft is there, can be given up, and the gallery opened anew.
      try await shell.call("gallery.discardDraft", ["draft": .string(draft)])
      let again = try await shell.edit(scene.gallery)
      #expect(try await shell.state(again)["title"] == "Theirs")
      try await scene.core.end()
    }
  }

  @Test(
    "what somebody else writes elsewhere in the repository, even at that moment, is no conflict")
  func unrelated() async throws {
    try await World.run { (world) async throws -> Void in
      let scene = try await Scene.set(in: world)
      let shell = scene.shell
      let draft = try await shell.edit(scene.gallery)
      try await shell.call("gallery.setDetails", ["draft": .string(draft), "title": "Mine"])
      await world.network.faults.add(.delay(.zero), on: .pds(Path.applyWrites))
      let verdict = try await shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("the commit at the server")
      try await world.remark(CollectionNames.favorite, by: "alice.test", on: scene.gallery)
      world.turnstile.open()
      #expect(try await shell.ending(of: verdict).description == "succeeded")
      #expect(try await world.repository().galleries.first?.title == "Mine")
      #expect(world.count("POST", Path.applyWrites, status: 400) == 1)
      #expect(world.count("POST", Path.applyWrites, status: 200) == 1)
      try await scene.core.end()
    }
  }

  @Test(
    "only one's own galleries can be opened or deleted, and only such as exist",
    arguments: ["gallery.editPublished", "gallery.deletePublished"])
  func foreign(_ intent: String) async throws {
    try await World.run { (world) async throws -> Void in
      let scene = try await Scene.set(in: world)
      let shell = scene.shell
      let bob = try await world.did("bob.test")
      let theirs = "at://\(bob)/social.grain.gallery/3ke6kg3wk22k2"
      #expect(
        try await shell.refusal(intent, ["gallery": .string(theirs)]).kind == "gallery.unknown")
      for bad in ["at://\(bob)", "at://\(bob)/social.grain.photo/3ke6kg3wk22k2", "at://x"] {
        #expect(
          try await shell.refusal(intent, ["gallery": .string(bad)]).kind == "rpc.invalidParams")
      }
      if intent == "gallery.editPublished" {
        let did = try await world.did("alice.test")
        let verdict = try await shell.call(
          intent, ["gallery": .string("at://\(did)/social.grain.gallery/3ke6kg3wk22k2")])
        #expect(try await shell.ending(of: verdict).description == "failed gallery.unknown")
        try await shell.wait("drafts", "empty") { $0["draftOrder"] == [] }
      }
      try await scene.core.end()
    }
  }

  @Test(
    "a core killed while the difference is at the server ends with it written once (kill -9)",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)),
    arguments: [false, true])
  func killed(losesAnswer: Bool) async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      try await first.shell.signIn()
      let made = try await first.shell.draft(try world.samplePhotos())
      #expect(try await first.shell.publish(made).description == "succeeded")
      let gallery = try #require(try await world.repository().galleries.first?.uri)
      let draft = try await first.shell.edit(gallery)
      try await first.shell.call(
        "gallery.setDetails", ["draft": .string(draft), "title": "Mended"])
      if losesAnswer {
        await world.network.faults.add(.lostAnswer, on: .pds(Path.applyWrites))
        await world.network.faults.add(.delay(.zero), on: .pds(Path.getRecord))
      } else {
        await world.network.faults.add(.delay(.zero), on: .pds(Path.applyWrites))
      }
      try await first.shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("the moment")
      try await first.kill()
      await world.network.faults.clear()
      world.turnstile.open()

      let second = try await world.process()
      try await second.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      try await second.shell.goOn(draft)
      try await second.end()
      let repository = try await world.repository()
      repository.expect(photos: 3)
      #expect(repository.galleries.first?.title == "Mended")
    }
  }

  @Test(
    "a core killed while it reads the gallery leaves no draft of it, and the gallery as it was (kill -9)",
    .enabled(if: BuiltProgram.isPresent, Comment(rawValue: BuiltProgram.skipReason)))
  func killedWhileReading() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.process()
      try await first.shell.signIn()
      let made = try await first.shell.draft(try world.samplePhotos())
      #expect(try await first.shell.publish(made).description == "succeeded")
      let gallery = try #require(try await world.repository().galleries.first?.uri)
      await world.network.faults.add(.delay(.zero), on: .pds(Path.listRecords))
      try await first.shell.call("gallery.editPublished", ["gallery": .string(gallery)])
      try await world.arrival("the question for the gallery")
      try await first.kill()
      await world.network.faults.clear()
      world.turnstile.open()

      let second = try await world.process()
      try await second.shell.wait("accounts", "restored") { $0["session"] == "signedIn" }
      #expect(try await second.shell.read("drafts")["draftOrder"] == [])
      let draft = try await second.shell.edit(gallery)
      #expect(try await second.shell.state(draft)["title"] == "A walk")
      try await second.end()
      try await world.repository().expect(photos: 3)
    }
  }
}

extension Shell {
  /// Opens a draft over a published gallery and waits until it is read.
  func edit(_ gallery: String) async throws -> String {
    let verdict = try await call("gallery.editPublished", ["gallery": .string(gallery)])
    let draft = try #require(verdict["draft"]?.stringValue)
    if await client.state(draft) == nil { try await open(draft) }
    let ending = try await ending(of: verdict)
    #expect(ending.description == "succeeded", "\(ending.problem?.description ?? "")")
    try await wait(draft, "read") { $0["photoOrder"] != [] && $0["operation"] == nil }
    return draft
  }
}

extension World {
  /// Somebody's favourite or comment on a gallery, written by another program.
  func remark(_ collection: NSID, by handle: String, on gallery: String) async throws {
    let uri = ATURI(try await did(handle), collection, try RecordKey("3ke6kg3wk22k2"))
    var record: JSONObject = [
      "$type": .string(collection.rawValue), "subject": .string(gallery),
      "createdAt": "2026-01-02T03:04:05.000Z",
    ]
    if collection == CollectionNames.comment { record["text"] = "Fine" }
    try await network.write(record, at: uri)
  }
}

extension RequestTap {
  /// The JSON bodies sent to a path, in order.
  func bodies(of path: String) -> [JSONValue] {
    requests.filter { $0.url.path() == path }.compactMap { request in
      guard case .bytes(let body) = request.body else { return nil }
      // The core sends JSON.
      return try? JSONParser.parse(body, limits: .document)
    }
  }
}

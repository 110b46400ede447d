import Foundation
import GrainTestSupport
import PhotoFile
import Sandbox
import ShellClient
import StrictJSON
import Testing

@Suite("Publishing a gallery", .serialized)
struct PublishingTests {
  @Test("photographs keep their order and captions, whatever order they were added in (G43–G49)")
  func orderAndCaptions() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draft(try world.samplePhotos(), title: "  Three views  ")
      let ids = try await shell.photos(of: draft)
      for (index, id) in ids.enumerated() {
        try await shell.call(
          "gallery.setAlt",
          ["draft": .string(draft), "photo": .string(id), "alt": .string("Été \(index) 🌅")])
      }
      try await shell.call(
        "gallery.movePhoto",
        ["draft": .string(draft), "photo": .string(ids[2]), "before": .string(ids[0])])
      #expect(try await shell.photos(of: draft) == [ids[2], ids[0], ids[1]])

      #expect(try await shell.publish(draft).description == "succeeded")
      let state = try await shell.wait(draft, "published") { $0["phase"] == "published" }
      let repository = try await world.repository()
      repository.expect(photos: 3)
      let gallery = try #require(repository.galleries.first)
      #expect(gallery.uri == state["publishedUri"]?.stringValue)
      #expect(gallery.title == "Three views")
      #expect(gallery.photos.map(\.alt) == ["Été 2 🌅", "Été 0 🌅", "Été 1 🌅"])
      #expect(state["percent"] == 100)
      #expect(world.count("POST", Path.applyWrites) == 1)
      // The AppView knows it, by way of the proxy.
      #expect(world.count("POST", Path.indexRecords, status: 200) >= 1)
      // The draft is done with, on disk too.
      try await shell.wait("drafts", "empty") { $0["draftOrder"] == [] }
      let left = try FileManager.default.contentsOfDirectory(atPath: "\(world.dataFolder)/drafts")
      #expect(left == [])
      try await core.end()
    }
  }

  @Test("what is uploaded says neither where nor with what it was taken (FB-D8)")
  func metadata() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      for sample in SamplePhotos.all {
        #expect(try PictureReader.read(sample.bytes).hasGPS)
      }
      for includeEXIF in [false, true] {
        let draft = try await core.shell.draft(try world.samplePhotos())
        try await core.shell.call(
          "gallery.setDetails", ["draft": .string(draft), "includeExif": .bool(includeEXIF)])
        #expect(try await core.shell.publish(draft).description == "succeeded")
        let repository = try await world.repository()
        let gallery = try #require(repository.galleries.last)
        for photo in gallery.photos {
          let info = try PictureReader.read(try await repository.blob(photo))
          #expect(!info.hasGPS)
          #expect(info.exif == nil)
          // Camera notes are a record of their own, and only when wanted.
          #expect(photo.hasEXIF == includeEXIF)
        }
      }
      try await core.end()
    }
  }

  @Test(
    "the recorded shape is that of the upright picture (FB-D7)",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func orientation() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      let names = [
        "landscape_1", "landscape_3", "landscape_6", "landscape_8", "portrait_2", "portrait_6",
      ]
      let paths = names.map { SharedData.url("photos/orientation/\($0).jpg").path }
      let draft = try await core.shell.draft(paths)
      #expect(try await core.shell.publish(draft).description == "succeeded")
      let repository = try await world.repository()
      repository.expect(photos: 6)
      let gallery = try #require(repository.galleries.first)
      for (name, photo) in zip(names, gallery.photos) {
        #expect((photo.width > photo.height) == name.hasPrefix("landscape"), "\(name)")
        let info = try PictureReader.read(try await repository.blob(photo))
        #expect(info.uprightWidth * photo.height == info.uprightHeight * photo.width, "\(name)")
        #expect(!info.hasGPS && info.exif == nil, "\(name)")
      }
      try await core.end()
    }
  }

  @Test("while a server stalls, everything local goes on (FB-C16)")
  func stalledServer() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.draft(try world.samplePhotos())
      await world.network.faults.add(.delay(.zero), on: .pds(Path.uploadBlob), times: 3)
      let verdict = try await shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("an upload at the server")

      let other = try await shell.emptyDraft(title: "Another")
      #expect(try await shell.read("accounts")["session"] == "signedIn")
      #expect(try await shell.read("drafts")["draftOrder"]?.arrayValue?.count == 2)
      try await shell.call("gallery.setDetails", ["draft": .string(other), "title": "Changed"])
      try await shell.call("login.start")
      try await shell.call("login.submitHandle", ["handle": "bob.test"])
      try await shell.call("login.cancel")
      // A tenth of a second; of several, since the machine has other tests to run.
      var times: [Duration] = []
      for _ in 0..<10 {
        let clock = ContinuousClock()
        let begin = clock.now
        _ = try await shell.read("drafts")
        times.append(begin.duration(to: clock.now))
      }
      #expect(try #require(times.min()) < .milliseconds(100))
      try await shell.call("gallery.discardDraft", ["draft": .string(other)])
      // Pressed twice, it is one publish.
      let again = try await shell.call("gallery.publish", ["draft": .string(draft)])
      #expect(again["joined"] == true)
      #expect(again["operation"] == verdict["operation"])
      world.turnstile.open()
      #expect(try await shell.ending(of: verdict).description == "succeeded")
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }

  @Test("a publish goes on for its owner while another account is looked at (A30)")
  func otherAccount() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      let bob = try await shell.signIn("bob.test")
      try await shell.signIn("alice.test")
      let draft = try await shell.draft(try world.samplePhotos())
      await world.network.faults.add(.delay(.zero), on: .pds(Path.applyWrites))
      let verdict = try await shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("the commit at the server")
      let switching = try await shell.call("accounts.switch", ["account": .string(bob)])
      #expect(try await shell.ending(of: switching).description == "succeeded")
      world.turnstile.open()
      #expect(try await shell.ending(of: verdict).description == "succeeded")
      try await world.repository("alice.test").expect(photos: 3)
      try await world.repository("bob.test").expect(galleries: 0, photos: 0)
      try await core.end()
    }
  }
}

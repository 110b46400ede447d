import Foundation
import GrainTestSupport
import Sandbox
import ShellClient
import StrictJSON
import Testing

@Suite("Drafts over time", .serialized)
struct DraftTests {
  @Test("a publish that was interrupted is continued by the next core on its own (FB-D10, FB-D14)")
  func continued() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      try await first.shell.signIn()
      let draft = try await first.shell.draft(try world.samplePhotos())
      await world.network.faults.add(.status(503), on: .pds(Path.applyWrites), times: 100)
      let ending = try await world.impatiently { try await first.shell.publish(draft) }
      #expect(ending.description.hasPrefix("failed"))
      let words = try #require(ending.problem).words
      #expect(words.contains("The draft is kept"), "\(words)")
      let uploads = world.uploads
      try await first.end()
      await world.network.faults.clear()

      let second = try await world.core()
      try await second.shell.wait("drafts", "finished") { $0["draftOrder"] == [] }
      try await second.end()
      try await world.repository().expect(photos: 3)
      #expect(world.uploads == uploads, "a photograph was uploaded twice")
    }
  }

  @Test("what the person has stopped waits until it is told to go on")
  func setAside() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      try await first.shell.signIn()
      let draft = try await first.shell.draft(try world.samplePhotos())
      await world.network.faults.add(.delay(.zero), on: .pds(Path.uploadBlob), times: 3)
      let verdict = try await first.shell.call("gallery.publish", ["draft": .string(draft)])
      try await world.arrival("an upload")
      try await first.shell.call("gallery.cancelPublish", ["draft": .string(draft)])
      world.turnstile.open()
      #expect(try await first.shell.ending(of: verdict).description == "cancelled")
      try await first.end()

      let second = try await world.core()
      let offered = try await second.shell.wait("drafts", "offered") {
        $0["draft"]?[draft] != nil
      }
      #expect(offered["draft"]?[draft]?["resumable"] == true)
      #expect(offered["draft"]?[draft]?["expiresAt"] == nil)
      try await second.shell.open(draft)
      #expect(try await second.shell.publish(draft, "gallery.retry").description == "succeeded")
      try await second.end()
      try await world.repository().expect(photos: 3)
    }
  }

  @Test("a draft expires a week after its last change, its pictures with it (§12)")
  func expires() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      try await first.shell.signIn()
      let draft = try await first.shell.draft(try world.samplePhotos())
      let shown = try await first.shell.wait("drafts", "there") { $0["draft"]?[draft] != nil }
      #expect(shown["draft"]?[draft]?["expiresAt"]?.stringValue != nil)
      try await first.end()
      for day in 1...8 {
        world.clock.ahead = Double(day) * 86_400 - 600
        let core = try await world.core()
        try await core.shell.wait("drafts", "still there") { $0["draft"]?[draft] != nil }
        try await core.end()
      }
      // Nobody has looked for a day at a time, and it was there for one more.
      world.clock.ahead = 9 * 86_400
      let last = try await world.core()
      #expect(try await last.shell.read("drafts")["draftOrder"] == [])
      let left = try FileManager.default.contentsOfDirectory(atPath: "\(world.dataFolder)/drafts")
      #expect(left == [])
      try await last.end()
    }
  }

  @Test("a start with the clock weeks ahead loses no draft, nor does setting it back (§12)")
  func clockAhead() async throws {
    try await World.run { (world) async throws -> Void in
      let first = try await world.core()
      try await first.shell.signIn()
      let draft = try await first.shell.draft(try world.samplePhotos())
      let shown = try await first.shell.wait("drafts", "there") { $0["draft"]?[draft] != nil }
      let expiry = shown["draft"]?[draft]?["expiresAt"]
      try await first.end()

      world.clock.ahead = 30 * 86_400
      let wrong = try await world.core()
      let kept = try await wrong.shell.wait("drafts", "kept") { $0["draft"]?[draft] != nil }
      #expect(kept["draft"]?[draft]?["expiresAt"] != expiry)
      // The person looks again while the clock is still wrong.
      try await wrong.shell.call("shell.setVisibility", ["visible": false])
      try await wrong.shell.call("shell.setVisibility", ["visible": true])
      try await wrong.end()

      world.clock.ahead = 0
      let right = try await world.core()
      let back = try await right.shell.wait("drafts", "still there") { $0["draft"]?[draft] != nil }
      #expect(back["draft"]?[draft]?["expiresAt"] != nil)
      #expect(back["draft"]?[draft]?["photoCount"] == 3)
      try await right.shell.open(draft)
      #expect(try await right.shell.publish(draft).description == "succeeded")
      try await right.end()
      try await world.repository().expect(photos: 3)
    }
  }

  @Test("drafts of one account are hidden from another, and there again when it returns (A30)")
  func hidden() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      let alice = try await shell.signIn()
      let draft = try await shell.draft(try world.samplePhotos())
      try await shell.signIn("bob.test")
      try await shell.wait("drafts", "hidden") { $0["draftOrder"] == [] }
      let refusal = try await shell.refusal("gallery.publish", ["draft": .string(draft)])
      #expect(refusal.kind == "gallery.draftUnknown")
      let back = try await shell.call("accounts.switch", ["account": .string(alice)])
      #expect(try await shell.ending(of: back).description == "succeeded")
      try await shell.wait("drafts", "there") { $0["draft"]?[draft] != nil }
      #expect(try await shell.publish(draft).description == "succeeded")
      try await core.end()
      try await world.repository().expect(photos: 3)
    }
  }

  @Test("pictures removed from the disk after they were added are published all the same")
  func picturesRemoved() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      try await core.shell.signIn()
      let photos = try world.samplePhotos()
      let draft = try await core.shell.draft(photos)
      for photo in photos { try FileManager.default.removeItem(atPath: photo) }
      #expect(try await core.shell.publish(draft).description == "succeeded")
      try await core.end()
      try await world.repository().expect(photos: 3)
    }
  }
}

import GrainServices
import GrainTestSupport
import Sandbox
import StrictJSON
import Testing

@Suite("A gallery that cannot be published", .serialized)
struct BadPhotoTests {
  /// A file that is no publishable picture, and what is said about it.
  struct BadFile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: String
    /// `nil`: there is no such file.
    let bytes: [UInt8]?
    let kind: String

    static let all = [
      BadFile(
        testDescription: "a file that is not there", name: "gone.jpg", bytes: nil,
        kind: "gallery.photoUnreadable"),
      BadFile(
        testDescription: "a text that calls itself .jpg (FB-D9)", name: "letter.jpg",
        bytes: Array("Dear Alice,\nsee you.\n".utf8), kind: "gallery.photoUnsupported"),
      BadFile(
        testDescription: "an empty file", name: "empty.png", bytes: [],
        kind: "gallery.photoUnsupported"),
      BadFile(
        testDescription: "half a picture", name: "half.jpg",
        bytes: Array(SamplePhotos.all[0].bytes.prefix(300)), kind: "gallery.photoUnreadable"),
      BadFile(
        testDescription: "a moving picture named .jpg (FB-D9)", name: "film.jpg",
        bytes: [0, 0, 0, 24] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 64),
        kind: "gallery.photoUnsupported"),
    ]
  }

  @Test(
    "a bad file is named, the good ones stay, and without it all is well", arguments: BadFile.all)
  func badFile(_ bad: BadFile) async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn()
      let path = try bad.bytes.map { try world.file(bad.name, $0) } ?? world.folder.path(bad.name)
      let good = try world.samplePhotos()
      let draft = try await shell.emptyDraft()
      let adding = try await shell.add([good[0], path, good[1]], to: draft)
      #expect(adding.description == "failed \(bad.kind)")
      let words = try #require(adding.problem)
      #expect(words.isWorded, "\(words.words)")
      #expect(words.words.contains(bad.name))

      let state = try await shell.wait(draft, "marked") { $0["status"] != "busy" }
      let ids = try await shell.photos(of: draft)
      #expect(ids.map { state["photo"]?[$0]?["step"] } == ["ready", "failed", "ready"])
      #expect(state["photo"]?[ids[1]]?["problem"]?["kind"] == .string(bad.kind))

      // Published all the same, the bad one stops it, by its number; nothing reaches the server.
      let publishing = try await shell.publish(draft)
      #expect(publishing.description == "failed \(bad.kind)")
      #expect(world.uploads == 0)
      try await shell.call(
        "gallery.removePhoto", ["draft": .string(draft), "photo": .string(ids[1])])
      #expect(try await shell.publish(draft).description == "succeeded")
      try await world.repository().expect(photos: 2)
      try await core.end()
    }
  }

  @Test("what is missing is said before anything is sent (G118)")
  func missing() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let shell = core.shell
      try await shell.signIn()
      let draft = try await shell.emptyDraft(title: "")
      func refusal() async throws -> String {
        let refusal = try await shell.refusal("gallery.publish", ["draft": .string(draft)])
        #expect(refusal.isWorded, "\(refusal.words)")
        return refusal.kind
      }
      func set(_ details: JSONObject) async throws {
        var details = details
        details["draft"] = .string(draft)
        try await shell.call("gallery.setDetails", details)
      }
      try await set(["title": "A walk"])
      #expect(try await refusal() == "gallery.noPhotos")
      _ = try await shell.add(try world.samplePhotos(), to: draft)
      for blank in ["", " \n\t "] {
        try await set(["title": .string(blank)])
        #expect(try await refusal() == "gallery.titleMissing")
      }
      // A title of 34 Japanese letters has 102 bytes.
      for long in [String(repeating: "a", count: 101), String(repeating: "港", count: 34)] {
        try await set(["title": .string(long)])
        #expect(try await refusal() == "gallery.titleTooLong")
      }
      try await set(["title": .string(String(repeating: "a", count: 100))])
      try await set(["description": .string(String(repeating: "b", count: 1001))])
      #expect(try await refusal() == "gallery.textTooLong")
      try await set(["description": ""])
      #expect(world.uploads == 0)
      #expect(try await shell.publish(draft).description == "succeeded")
      try await world.repository().expect(photos: 3)
      try await core.end()
    }
  }

  @Test("a photograph too many is refused, and none of its batch is added (FB-D13)")
  func tooMany() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core { $0.limits.photos = 3 }
      let shell = core.shell
      try await shell.signIn()
      let photos = try world.samplePhotos()
      let draft = try await shell.draft(Array(photos.prefix(2)))
      let files = photos.suffix(2).map { JSONValue.object(["path": .string($0)]) }
      let refusal = try await shell.refusal(
        "gallery.addPhotos", ["draft": .string(draft), "files": .array(files)])
      #expect(refusal.kind == "gallery.tooManyPhotos")
      #expect(refusal.words.contains("3"))
      #expect(refusal.isWorded, "\(refusal.words)")
      #expect(try await shell.photos(of: draft).count == 2)
      try await core.end()
    }
  }

  @Test("drafts belong to somebody: without an account there are none")
  func signedOut() async throws {
    try await World.run { (world) async throws -> Void in
      let core = try await world.core()
      let refusal = try await core.shell.refusal("gallery.createDraft")
      #expect(refusal.kind == "intent.notAvailable")
      #expect(refusal.isWorded, "\(refusal.words)")
      try await core.end()
    }
  }
}

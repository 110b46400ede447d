import GrainServices
import GrainTestSupport
import StrictJSON
import Testing

@Suite("Drafts on the wire", .timeLimit(.minutes(3)))
struct DraftWireTests {
  /// The bytes of the snapshot that shows one caption among so many photographs.
  private func bytesOfOneCaption(among count: Int) async throws -> Int {
    let shell = try await Shell.begin()
    let ids = (1000..<(1000 + count)).map { "p\($0)" }
    shell.galleries.add("d", of: .alice) { $0.fill("Lake", photos: ids) }
    try await shell.subscribe("s", to: "galleryPublish", draft: "d")
    #expect(shell.state("s")?["photoOrder"]?.arrayValue?.count == count)
    shell.request(
      "gallery.setAlt", ["draft": "d", "photo": "p1005", "alt": "A pier in the fog"])
    let snapshot = try await shell.next("models/snapshot")
    #expect(
      snapshot[pointer: "/params/merge"] == ["photo": ["p1005": ["alt": "A pier in the fog"]]])
    #expect(try await shell.finish().filter { $0["method"] == "models/snapshot" } == [])
    return snapshot.serialized().count
  }

  @Test("one photo's change costs the same bytes among a thousand as among ten")
  func oneCaption() async throws {
    let few = try await bytesOfOneCaption(among: 10)
    let many = try await bytesOfOneCaption(among: 1_000)
    #expect(few == many)
    #expect(many < 500)
  }

  @Test("a publish that the core continues on its own says so, and names no request (§6)")
  func resumed() async throws {
    let shell = try await Shell.connect()
    shell.galleries.add("d", of: .alice) { draft in
      draft.fill("Lake", photos: ["p1"])
      draft.sending = .known
    }
    _ = try await shell.call("initialize", .hello)
    await shell.galleries.begun("d")
    try await shell.subscribe("s", to: "galleryPublish", draft: "d")
    let operation = shell.state("s")?["operation"]
    #expect(operation != nil)
    await shell.galleries.end("d", .failure(.commit(.remote(.offline))))
    let end = try await shell.next("operations/ended")["params"]
    #expect(end?["operation"] == operation)
    #expect(end?["intent"] == "gallery.retry")
    #expect(end?["origin"] == "resume")
    #expect(end?["causedBy"] == nil)
    #expect(end?[pointer: "/revisions/galleryPublish"]?.intValue == shell.revision("s"))
    // Coming to the foreground is a new occasion.
    _ = try await shell.call("shell.setVisibility", ["visible": true])
    await shell.galleries.begun("d")
    await shell.galleries.end("d", .failure(.commit(.remote(.offline))))
    _ = try await shell.next("operations/ended")
    _ = try await shell.finish()
  }
}

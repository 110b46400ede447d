import GrainSnapshots
import StrictJSON
import SystemClients
import Testing

@testable import GrainBridge

@Suite("Collections that are encoded again and again")
struct EncodedEntriesTests {
  /// An entry that counts how often it is taken apart.
  private struct Counted: Encodable, Equatable {
    let text: String
    let encodings: Counter

    static func == (left: Counted, right: Counted) -> Bool { left.text == right.text }

    func encode(to encoder: any Encoder) throws {
      encodings.count += 1
      try text.encode(to: encoder)
    }
  }

  private final class Counter {
    var count = 0
  }

  @Test("one entry of a thousand that changed is encoded, and no other (§4.3)")
  func changedOnly() throws {
    let counter = Counter()
    let entries = EncodedEntries()
    var map = OrderedMap(
      (0..<1_000).map { ("p\($0)", Counted(text: "\($0)", encodings: counter)) })
    _ = try entries.json(of: map, named: "photo")
    #expect(counter.count == 1_000)
    map["p500"] = Counted(text: "new", encodings: counter)
    #expect(try entries.json(of: map, named: "photo")["p500"] == "new")
    #expect(counter.count == 1_001)
    map["p3"] = nil
    map["p1000"] = Counted(text: "last", encodings: counter)
    #expect(try entries.json(of: map, named: "photo").count == 1_000)
    #expect(counter.count == 1_002)
    #expect(try entries.json(of: map, named: "other").count == 1_000)
    #expect(counter.count == 2_002, "another collection has entries of its own")
  }

  @Test(
    "what is remembered has the bytes of what is encoded anew, whatever was changed, moved or removed"
  )
  func sameBytes() throws {
    let random = SystemRandom.seeded(11)
    let entries = EncodedEntries()
    var shown = GalleryPublishSnapshot(
      status: .idle, phase: .editing, can: [], includeExif: true, crossPost: false)
    for step in 0..<300 {
      let key = "p\(random.integer(below: 12))"
      switch random.integer(below: 4) {
      case 0: shown.photo[key] = nil
      case 1: shown.photo.move(key)
      case 2: shown.title = "\(step)"
      default:
        shown.photo[key] = GalleryPublishSnapshot.Photo(
          media: Media(uri: "file:///\(key).jpg"), alt: "\(random.integer(below: 3))",
          step: .ready)
      }
      let remembered = try JSONValueEncoder().encode(shown, userInfo: [.entryWriter: entries])
      #expect(remembered.text() == (try JSONValueEncoder().encode(shown).text()))
    }
    #expect(!shown.photo.isEmpty)
  }
}

import ATSyntax
import GrainLexicon
import GrainTestSupport
import StrictJSON
import SystemClients
import Testing

@testable import GrainServices

@Suite("Deleting a gallery in pieces")
struct PublishedGalleriesTests {
  private static let key = "3ke6kg3wk2222"

  /// Alice's gallery of that many photographs, with notes, and a favourite of her own.
  private static func gallery(photos: Int) throws -> [RecordWrite] {
    let did = DraftWorld.alice
    let address = ATURI(did, CollectionNames.gallery, try RecordKey(key))
    var writes: [RecordWrite] = [
      RecordWrite(
        collection: CollectionNames.gallery, key: try RecordKey(key), value: ["title": "Lake"]),
      RecordWrite(
        collection: CollectionNames.favorite, key: try RecordKey("3ke6kg3wkfaaa"),
        value: ["subject": .string(address.rawValue)]),
    ]
    for number in 0..<photos {
      let letters = Array("234567abcdefghijklmnopqrstuvwxyz")
      let tail = "\(letters[number / 32])\(letters[number % 32])"
      func add(_ collection: NSID, _ group: String, _ value: JSONObject) throws {
        let key = try RecordKey("3ke6kg3wk\(group)2\(tail)")
        writes.append(RecordWrite(collection: collection, key: key, value: value))
      }
      let photo = ATURI(did, CollectionNames.photo, try RecordKey("3ke6kg3wka2\(tail)"))
      try add(CollectionNames.photo, "a", [:])
      try add(CollectionNames.photoEXIF, "b", ["photo": .string(photo.rawValue)])
      try add(
        CollectionNames.galleryItem, "c",
        [
          "gallery": .string(address.rawValue), "item": .string(photo.rawValue),
          "position": JSONValue(number),
        ])
    }
    return writes
  }

  private func galleries(_ world: DraftWorld) -> PublishedGalleries {
    let repository = world.repository
    return PublishedGalleries(
      drafts: world.drafts, clients: { _ in repository.client }, limits: .init(),
      clock: world.quick, random: .seeded(1), log: .silent)
  }

  @Test("wherever it is cut off, what is left is found by the next one (G115)")
  func anywhere() async throws {
    let all = try Self.gallery(photos: 3)
    let address = ATURI(DraftWorld.alice, CollectionNames.gallery, try RecordKey(Self.key))
    for cut in 0...all.count {
      let repository = ScriptedRepository()
      try await repository.client.commit(all, nil)
      func deletions() async throws -> [RecordWrite] {
        let survey = try await GallerySurvey.read(
          try RecordKey(Self.key), of: DraftWorld.alice, repository.client)
        return survey.deletions(try await repository.client.remarks(on: address))
      }
      let planned = try await deletions()
      #expect(planned.count == all.count)
      try await repository.client.commit(Array(planned.prefix(cut)), nil)
      #expect(try await deletions() == Array(planned.dropFirst(cut)), "after \(cut)")
    }
  }

  @Test("a large gallery goes in several commits; one that fails is repaired by asking again")
  func large() async throws {
    let world = try await DraftWorld()
    try await world.repository.client.commit(Self.gallery(photos: 90), nil)
    let refused = CallFault.refused(status: 400, error: "InvalidRequest", message: "no")
    world.repository.onCommit(.lands, .fails(refused))
    let galleries = galleries(world)
    await #expect(throws: PublishedGalleryError.call(refused)) {
      try await galleries.delete(try RecordKey(Self.key), of: DraftWorld.alice)
    }
    #expect(!world.repository.landed.isEmpty)
    try await galleries.delete(try RecordKey(Self.key), of: DraftWorld.alice)
    #expect(world.repository.landed.isEmpty)
  }

  @Test("given up while a commit is under way, it is heard to its end, and the rest goes too")
  func givenUp() async throws {
    let world = try await DraftWorld()
    try await world.repository.client.commit(Self.gallery(photos: 90), nil)
    let gate = world.repository.hold("commit")
    let galleries = galleries(world)
    let deleting = Task { try await galleries.delete(RecordKey(Self.key), of: DraftWorld.alice) }
    await gate.arrivals(atLeast: 1)
    deleting.cancel()
    gate.open()
    try await deleting.value
    #expect(world.repository.landed.isEmpty)
  }
}

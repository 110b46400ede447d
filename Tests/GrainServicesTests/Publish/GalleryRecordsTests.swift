import ATSyntax
import Foundation
import GrainLexicon
import GrainServices
import StrictJSON
import Testing

@Suite("The records of a gallery")
struct GalleryRecordsTests {
  private static let repo = AccountsWorld.alice
  private static let createdAt = ATDateTime(Date(timeIntervalSince1970: 1_772_366_400))

  private static func key(_ number: Int) -> RecordKey {
    RecordKey(TID(microseconds: Int64(number), clockID: 0))
  }

  private static func uri(_ collection: String, _ number: Int) -> JSONValue {
    .string("at://\(repo.rawValue)/\(collection)/\(key(number).rawValue)")
  }

  private static func blob(_ id: String) -> BlobReference {
    BlobReference(cid: CID(rawSHA256: Array(id.utf8)), mimeType: "image/jpeg", size: 7)
  }

  /// Two photographs, uploaded, the second with camera data and a description.
  private var draft: Draft {
    var draft = Draft(id: "d", repo: Self.repo, createdAt: Self.createdAt)
    draft.title = "  Harbour\n"
    draft.photoOrder = ["b", "a"]
    for (id, exif) in [("b", nil), ("a", PhotoEXIF(exposureTime: 1.0 / 60, make: "Lumen"))] {
      var photo = DraftPhoto(id: id, source: "/\(id).jpg")
      photo.prepared = DraftPhoto.Prepared(
        file: "\(id).image", mediaType: "image/jpeg", width: 300, height: 400, bytes: 7,
        exif: exif)
      photo.blob = Self.blob(id)
      draft.photos[id] = photo
    }
    draft.photos["a"]?.alt = "A crane"
    draft.sending = Draft.Sending(
      galleryKey: Self.key(7),
      photoKeys: [
        "b": .init(photo: Self.key(1), exif: Self.key(2), item: Self.key(3)),
        "a": .init(photo: Self.key(4), exif: Self.key(5), item: Self.key(6)),
      ])
    return draft
  }

  @Test("photographs and their camera data come first, then the gallery, then its items in order")
  func everything() throws {
    let records = try #require(GalleryRecords(draft))
    let date: JSONValue = "2026-03-01T12:00:00.000Z"
    let expected: [(String, Int, JSONObject)] = [
      (
        "social.grain.photo", 1,
        [
          "$type": "social.grain.photo", "photo": Self.blob("b").json,
          "aspectRatio": ["width": 300, "height": 400], "createdAt": date,
        ]
      ),
      (
        "social.grain.photo", 4,
        [
          "$type": "social.grain.photo", "photo": Self.blob("a").json, "alt": "A crane",
          "aspectRatio": ["width": 300, "height": 400], "createdAt": date,
        ]
      ),
      (
        "social.grain.photo.exif", 5,
        [
          "$type": "social.grain.photo.exif", "photo": Self.uri("social.grain.photo", 4),
          "createdAt": date, "exposureTime": 16667, "make": "Lumen",
        ]
      ),
      (
        "social.grain.gallery", 7,
        [
          "$type": "social.grain.gallery", "title": "Harbour", "createdAt": date,
        ]
      ),
      (
        "social.grain.gallery.item", 3,
        [
          "$type": "social.grain.gallery.item", "gallery": Self.uri("social.grain.gallery", 7),
          "item": Self.uri("social.grain.photo", 1), "position": 0, "createdAt": date,
        ]
      ),
      (
        "social.grain.gallery.item", 6,
        [
          "$type": "social.grain.gallery.item", "gallery": Self.uri("social.grain.gallery", 7),
          "item": Self.uri("social.grain.photo", 4), "position": 1, "createdAt": date,
        ]
      ),
    ]
    #expect(records.writes.count == expected.count)
    for (write, (collection, key, value)) in zip(records.writes, expected) {
      #expect(write.collection.rawValue == collection)
      #expect(write.key == Self.key(key))
      #expect(write.value == value)
    }
    #expect(records.galleryURI.rawValue == Self.uri("social.grain.gallery", 7).stringValue)
    #expect(records.isComplete)
  }

  @Test("description, labels and place are written only where the person gave them")
  func details() throws {
    var draft = draft
    draft.description = " Ships \n"
    draft.labels = ["nudity", "gore"]
    draft.location = GridLocation(value: "8a2656088b17fff", name: "Kansas City")
    draft.address = PostalAddress(country: "US", region: "Missouri", locality: "Kansas City")
    let gallery = try #require(GalleryRecords(draft)?.writes.first { $0.key == Self.key(7) })
    #expect(
      gallery.value == [
        "$type": "social.grain.gallery", "title": "Harbour", "description": "Ships",
        "labels": [
          "$type": "com.atproto.label.defs#selfLabels",
          "values": [["val": "nudity"], ["val": "gore"]],
        ],
        "location": ["value": "8a2656088b17fff", "name": "Kansas City"],
        "address": ["country": "US", "region": "Missouri", "locality": "Kansas City"],
        "createdAt": "2026-03-01T12:00:00.000Z",
      ])
  }

  @Test("with the switch off no camera data leave (FB-D8)")
  func withoutEXIF() throws {
    var draft = draft
    draft.includeExif = false
    let writes = try #require(GalleryRecords(draft)?.writes)
    #expect(!writes.contains { $0.collection == CollectionNames.photoEXIF })
    #expect(writes.count == 5)
  }

  @Test("a photograph that is not at the server makes the gallery incomplete")
  func incomplete() throws {
    var draft = draft
    draft.photos["b"]?.blob = nil
    let records = try #require(GalleryRecords(draft))
    #expect(!records.isComplete)
    #expect(records.writes.map(\.key) == [4, 5, 7, 6].map(Self.key))
  }

  @Test("without keys there are no records")
  func withoutKeys() {
    var draft = draft
    draft.sending = nil
    #expect(GalleryRecords(draft) == nil)
  }
}

import ATSyntax
import Foundation
import GrainLexicon
import StrictJSON
import Testing

@Suite struct RecordTests {
  private let alice: DID
  private let noon = ATDateTime(Date(timeIntervalSince1970: 1_700_000_000))
  private let blob = BlobReference(cid: CID(rawSHA256: []), mimeType: "image/jpeg", size: 48_213)

  init() throws { alice = try DID("did:plc:aaaabbbbccccddddeeeeffff") }

  private func uri(_ collection: NSID, _ key: String) throws -> ATURI {
    ATURI(alice, collection, try RecordKey(key))
  }

  @Test("a photo record has exactly the members of its lexicon")
  func photo() {
    let record = PhotoRecord(
      photo: blob, alt: "A gull", aspectRatio: AspectRatio(width: 2000, height: 1333),
      createdAt: noon)
    #expect(
      JSONValue.object(record.json).text()
        == #"{"$type":"social.grain.photo","photo":{"$type":"blob","ref":{"$link":"\#(blob.cid)"},"#
        + #""mimeType":"image/jpeg","size":48213},"alt":"A gull","#
        + #""aspectRatio":{"width":2000,"height":1333},"createdAt":"2023-11-14T22:13:20.000Z"}"#)
  }

  @Test("EXIF numbers are stored times a million, rounded (grain-product §14)")
  func exif() throws {
    let record = PhotoEXIFRecord(
      photo: try uri(CollectionNames.photo, "3ke6kg3wk22k2"), createdAt: noon,
      exif: PhotoEXIF(exposureTime: 1 / 60, fNumber: 2.8, focalLengthIn35mmFormat: 35, iSO: 400))
    #expect(record.json["exposureTime"] == 16667)
    #expect(record.json["fNumber"] == 2_800_000)
    #expect(record.json["iSO"] == 400_000_000)
    #expect(record.json["focalLengthIn35mmFormat"] == 35_000_000)
    #expect(PhotoEXIF.scaled(4.1) == 4_100_000)
    #expect(record.json["make"] == nil)
  }

  @Test(
    "a number EXIF cannot mean has no place in the record", arguments: [-1, .infinity, .nan, 1e12])
  func impossibleEXIF(value: Double) {
    #expect(PhotoEXIF.scaled(value) == nil)
  }

  @Test("EXIF with nothing in it makes no record")
  func emptyEXIF() {
    #expect(PhotoEXIF().isEmpty)
    #expect(!PhotoEXIF(make: "Leica").isEmpty)
  }

  @Test("a gallery carries labels, place and address in their own types")
  func gallery() {
    let record = GalleryRecord(
      title: "Harbour", description: "", labels: ["nudity"],
      location: GridLocation(value: "8a2656088b17fff", name: "Kansas City"),
      address: PostalAddress(country: "US", locality: "Kansas City"), createdAt: noon)
    let expected: JSONObject = [
      "$type": "social.grain.gallery", "title": "Harbour",
      "labels": [
        "$type": "com.atproto.label.defs#selfLabels", "values": [["val": "nudity"]],
      ],
      "location": ["value": "8a2656088b17fff", "name": "Kansas City"],
      "address": ["country": "US", "locality": "Kansas City"],
      "createdAt": "2023-11-14T22:13:20.000Z",
    ]
    #expect(record.json == expected)
    #expect(record.violations.isEmpty)
  }

  @Test("an item ties a photo to a gallery at a position")
  func galleryItem() throws {
    let record = GalleryItemRecord(
      gallery: try uri(CollectionNames.gallery, "g"), item: try uri(CollectionNames.photo, "p"),
      position: 0, createdAt: noon)
    let expected: JSONObject = [
      "$type": "social.grain.gallery.item",
      "gallery": "at://did:plc:aaaabbbbccccddddeeeeffff/social.grain.gallery/g",
      "item": "at://did:plc:aaaabbbbccccddddeeeeffff/social.grain.photo/p", "position": 0,
      "createdAt": "2023-11-14T22:13:20.000Z",
    ]
    #expect(record.json == expected)
  }

  @Test("editing a profile keeps its first date and what this core does not know")
  func profileEdit() throws {
    var record = ActorProfileRecord(json: [
      "$type": "social.grain.actor.profile", "displayName": "Alice",
      "createdAt": "2020-01-01T00:00:00Z", "pinned": ["x": 1], "avatar": blob.json,
    ])
    record.displayName = nil
    record.description = "Photographs"
    let expected: JSONObject = [
      "$type": "social.grain.actor.profile", "description": "Photographs", "avatar": blob.json,
      "createdAt": "2020-01-01T00:00:00Z", "pinned": ["x": 1],
    ]
    #expect(record.json == expected)
  }

  @Test("a comment names its subject, focus and root")
  func comment() throws {
    let record = CommentRecord(
      text: "@bob.test yes", facets: [Facet(bytes: 0..<9, feature: .mention(alice))],
      subject: try uri(CollectionNames.gallery, "g"), focus: try uri(CollectionNames.photo, "p"),
      replyTo: try uri(CollectionNames.comment, "c"), createdAt: noon)
    #expect(
      record.json["replyTo"] == "at://did:plc:aaaabbbbccccddddeeeeffff/social.grain.comment/c")
    #expect(record.json["facets"]?.arrayValue?.first?["index"]?["byteEnd"] == 9)
    #expect(
      record.json["facets"]?.arrayValue?.first?["features"]
        == [["$type": "app.bsky.richtext.facet#mention", "did": .string(alice.rawValue)]])
  }

  @Test("the small records carry a subject and a date, nothing else")
  func smallRecords() throws {
    let gallery = try uri(CollectionNames.gallery, "g")
    let favorite: JSONObject = [
      "$type": "social.grain.favorite", "subject": .string(gallery.rawValue),
      "createdAt": "2023-11-14T22:13:20.000Z",
    ]
    #expect(FavoriteRecord(subject: gallery, createdAt: noon).json == favorite)
    #expect(
      FollowRecord(subject: alice, createdAt: noon).json["$type"] == "social.grain.graph.follow")
    #expect(BlockRecord(subject: alice, createdAt: noon).json["subject"] == .string(alice.rawValue))
    let story = StoryRecord(
      media: blob, aspectRatio: AspectRatio(width: 1, height: 2), createdAt: noon)
    #expect(story.json.keys == ["$type", "media", "aspectRatio", "createdAt"])
  }

  @Test("a cross-post embeds pictures with alt text even when it is empty")
  func crossPost() {
    let record = BlueskyPostRecord(
      text: "#GrainSocial", facets: [Facet(bytes: 0..<12, feature: .tag("GrainSocial"))],
      images: [.init(image: blob, alt: "", aspectRatio: AspectRatio(width: 3, height: 2))],
      tags: ["grainsocial"], createdAt: noon)
    let expected: JSONValue = [
      "$type": "app.bsky.embed.images",
      "images": [["image": blob.json, "alt": "", "aspectRatio": ["width": 3, "height": 2]]],
    ]
    #expect(record.json["embed"] == expected)
    #expect(record.json["tags"] == ["grainsocial"])
  }

  @Test("every record is of the data model: it encodes to DAG-CBOR")
  func dataModel() throws {
    let gallery = try uri(CollectionNames.gallery, "g")
    let records: [any LexiconRecord] = [
      PhotoRecord(photo: blob, aspectRatio: AspectRatio(width: 1, height: 1), createdAt: noon),
      PhotoEXIFRecord(photo: gallery, createdAt: noon, exif: PhotoEXIF(exposureTime: 0.5)),
      GalleryRecord(title: "A", createdAt: noon), ActorProfileRecord(createdAt: noon),
      GalleryItemRecord(gallery: gallery, item: gallery, position: 3, createdAt: noon),
      CommentRecord(text: "hi", subject: gallery, createdAt: noon),
      BlueskyPostRecord(text: "hi", createdAt: noon),
    ]
    for record in records {
      #expect(throws: Never.self) { try DataModel.validate(record: .object(record.json)) }
      #expect(record.json["$type"]?.stringValue == type(of: record).collection.rawValue)
      #expect(record.json["createdAt"] == "2023-11-14T22:13:20.000Z")
    }
  }
}

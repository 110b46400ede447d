import ATSyntax
import Foundation
import GrainLexicon
import StrictJSON
import Testing

@Suite struct LimitTests {
  private let noon = ATDateTime(Date(timeIntervalSince1970: 1_700_000_000))
  private let family = "👨‍👩‍👧‍👧"  // one grapheme, 25 bytes

  @Test("bytes and graphemes are counted apart, and both bind")
  func counting() {
    let limit = TextLimit(bytes: 30, graphemes: 2)
    #expect(limit.admits(family))
    #expect(limit.excess(of: family + family) == .tooManyBytes(50, maximum: 30))
    #expect(limit.excess(of: "abc") == .tooManyGraphemes(3, maximum: 2))
    #expect(TextLimit.galleryTitle.admits(String(repeating: "é", count: 50)))
    #expect(!TextLimit.galleryTitle.admits(String(repeating: "é", count: 51)))
  }

  @Test("a post of 301 graphemes is refused before the server refuses it (grain-product §13)")
  func postLength() {
    let post = BlueskyPostRecord(text: String(repeating: "a", count: 301), createdAt: noon)
    #expect(post.violations == [LexiconViolation("text", .tooManyGraphemes(301, maximum: 300))])
  }

  @Test("a gallery wants a title and keeps to its lengths")
  func gallery() {
    let gallery = GalleryRecord(
      title: "", description: String(repeating: "a", count: 1001),
      labels: Array(repeating: "gore", count: 11), address: PostalAddress(country: "U"),
      createdAt: noon)
    #expect(
      gallery.violations == [
        LexiconViolation("title", .empty),
        LexiconViolation("description", .tooManyBytes(1001, maximum: 1000)),
        LexiconViolation("labels", .tooManyItems(11, maximum: 10)),
        LexiconViolation("address", .outOfRange(1)),
      ])
  }

  @Test("a photo is an image of at most a million bytes with real sides")
  func photo() {
    func violations(_ type: String, _ size: Int, _ width: Int) -> [LexiconViolation] {
      PhotoRecord(
        photo: BlobReference(cid: CID(rawSHA256: []), mimeType: type, size: size),
        aspectRatio: AspectRatio(width: width, height: 1), createdAt: noon
      ).violations
    }
    #expect(violations("image/webp", 1_000_000, 1).isEmpty)
    #expect(violations("video/mp4", 1, 1) == [LexiconViolation("photo", .mediaType("video/mp4"))])
    #expect(
      violations("image/png", 1_000_001, 0) == [
        LexiconViolation("photo", .tooManyBytes(1_000_001, maximum: 1_000_000)),
        LexiconViolation("aspectRatio", .outOfRange(0)),
      ])
  }

  @Test("an avatar is a PNG or a JPEG")
  func avatar() {
    let webp = BlobReference(cid: CID(rawSHA256: []), mimeType: "image/webp", size: 1)
    #expect(
      ActorProfileRecord(avatar: webp, createdAt: noon).violations
        == [LexiconViolation("avatar", .mediaType("image/webp"))])
  }

  @Test("an empty comment is refused, and so is one beyond 300 characters")
  func comment() throws {
    let subject = try ATURI("at://alice.test/social.grain.gallery/g")
    func violations(_ text: String) -> [LexiconViolation] {
      CommentRecord(text: text, subject: subject, createdAt: noon).violations
    }
    #expect(violations("") == [LexiconViolation("text", .empty)])
    #expect(violations(String(repeating: "a", count: 300)).isEmpty)
    #expect(violations(String(repeating: "a", count: 301)).count == 1)
  }

  @Test("foreign facets are read; unknown and broken ones are skipped")
  func foreignFacets() throws {
    let json: JSONValue = [
      [
        "index": ["byteStart": 0, "byteEnd": 4],
        "features": [
          ["$type": "app.bsky.richtext.facet#tag", "tag": "gull"],
          ["$type": "com.example.facet#blink"],
          ["$type": "app.bsky.richtext.facet#mention", "did": "alice"],
        ],
      ],
      [
        "index": ["byteStart": 9, "byteEnd": 4],
        "features": [["$type": "app.bsky.richtext.facet#tag", "tag": "x"]],
      ],
      "text",
    ]
    #expect(Facet.read(json) == [Facet(bytes: 0..<4, feature: .tag("gull"))])
    #expect(Facet.read(nil).isEmpty)
  }
}

import ATSyntax
import Foundation
import Testing

@Suite struct ATURITests {
  @Test("a record's address comes apart and goes together")
  func parts() throws {
    let text = "at://did:plc:aaaabbbbccccddddeeeeffff/social.grain.photo/3ke6kg3wk22k2"
    let uri = try ATURI(text)
    #expect(uri.authority == .did(try DID("did:plc:aaaabbbbccccddddeeeeffff")))
    #expect(uri.collection == (try NSID("social.grain.photo")))
    #expect(uri.recordKey == (try RecordKey("3ke6kg3wk22k2")))
    #expect(uri.rawValue == text)
    let built = ATURI(
      try DID("did:plc:aaaabbbbccccddddeeeeffff"), try NSID("social.grain.photo"),
      try RecordKey("3ke6kg3wk22k2"))
    #expect(built == uri)
  }

  @Test("shorter addresses name a repository or a collection")
  func shorterForms() throws {
    #expect(try ATURI("at://alice.test").collection == nil)
    #expect(try ATURI("at://alice.test/social.grain.photo").recordKey == nil)
    #expect(try ATURI("at://Alice.TEST").rawValue == "at://alice.test")
  }

  @Test("identifiers travel through Codable as bare strings and are checked on the way in")
  func codable() throws {
    let json = Data(#"["at://alice.test/social.grain.photo/self"]"#.utf8)
    let uris = try JSONDecoder().decode([ATURI].self, from: json)
    #expect(uris == [try ATURI("at://alice.test/social.grain.photo/self")])
    let did = try DID("did:web:grain.social")
    #expect(
      String(decoding: try JSONEncoder().encode([did]), as: UTF8.self)
        == #"["did:web:grain.social"]"#)
    #expect(throws: SyntaxError.self) {
      _ = try JSONDecoder().decode([DID].self, from: Data(#"["alice"]"#.utf8))
    }
  }

  @Test("the name of an NSID is its last segment")
  func nsidName() throws {
    #expect(try NSID("social.grain.unspecced.getGallery").name == "getGallery")
  }
}

import ATSyntax
import Testing

@Suite struct DIDTests {
  @Test(
    "only did:plc of 24 base32 characters and did:web of one host can be resolved (wire §1.5)",
    arguments: [
      ("did:plc:aaaabbbbccccddddeeeeffff", true), ("did:plc:aaaabbbbccccddddeeeefff", false),
      ("did:plc:aaaabbbbccccddddeeee1111", false), ("did:web:grain.social", true),
      ("did:web:localhost%3A3000", true), ("did:web:grain.social:users:alice", false),
      ("did:web:grain.social%3a3000", false), ("did:web:a%3A", false), ("did:web:a%3A99999", false),
      ("did:web:-a.example", false),
      ("did:key:zQ3shZc2QzApp2oymGvQbzP8eKheVshBHbU4ZYjeXqwSKEn6N", false),
    ])
  func blessedMethods(text: String, expected: Bool) throws {
    // `a%3A` ends in a colon once decoded but not as written: the DID itself is well-formed.
    #expect(try DID(text).isBlessed == expected)
  }

  @Test("a did:web names its host, with the port of a development server")
  func webHost() throws {
    #expect(try DID("did:web:grain.social").webHost == "grain.social")
    #expect(try DID("did:web:127.0.0.1%3A3000").webHost == "127.0.0.1:3000")
    #expect(try DID("did:plc:aaaabbbbccccddddeeeeffff").webHost == nil)
  }

  @Test("a server's authority becomes its did:web, the colon escaped (G96)")
  func derivedFromHost() throws {
    #expect(try DID(webHost: "127.0.0.1:3000").rawValue == "did:web:127.0.0.1%3A3000")
    #expect(try DID(webHost: "grain.social").rawValue == "did:web:grain.social")
  }

  @Test("the method is told apart without judging the rest")
  func methods() throws {
    #expect(try DID("did:plc:x").method == .plc)
    #expect(try DID("did:web:x.example").method == .web)
    #expect(try DID("did:key:x").method == .other("key"))
    #expect(try DID("did:web:x.example").identifier == "x.example")
  }

  @Test("a DID is kept as typed, a handle in lower case")
  func letterCase() throws {
    #expect(try ATIdentifier("did:method:VAL") == .did(DID("did:method:VAL")))
    #expect(try ATIdentifier("Alice.Example.NET").rawValue == "alice.example.net")
    #expect(try Handle("ALICE.test") == Handle("alice.test"))
  }

  @Test("reserved names never resolve, .test only where development allows it")
  func resolvableHandles() throws {
    #expect(try Handle("alice.example.net").isResolvable(allowingTest: false))
    #expect(try Handle("alice.test").isResolvable(allowingTest: true))
    #expect(try !Handle("alice.test").isResolvable(allowingTest: false))
    #expect(!Handle.invalid.isResolvable(allowingTest: true))
    for domain in ["alt", "arpa", "example", "internal", "local", "localhost", "onion"] {
      #expect(try !Handle("alice.\(domain)").isResolvable(allowingTest: true))
    }
  }

  @Test("what is too long says so, with the limit")
  func lengths() {
    #expect(throws: SyntaxError.tooLong(.did, limit: 2048)) {
      _ = try DID("did:plc:" + String(repeating: "a", count: 2041))
    }
    #expect(throws: SyntaxError.malformed(.handle, "blah")) { _ = try Handle("blah") }
  }
}

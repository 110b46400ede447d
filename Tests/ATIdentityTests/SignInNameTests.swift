import ATIdentity
import ATSyntax
import Testing

@Suite("What a person types as their name")
struct SignInNameTests {
  @Test(
    "all spellings people paste lead to the same name (FB-A21)",
    arguments: [
      " @Alice.Test ", "at://alice.test", "\u{202A}alice.test\u{202C}", "ALICE.TEST\n",
      "\u{FEFF}@alice.test", "at://@Alice.test",
      "At://Alice.test", "AT://alice.test", "alice\u{200B}.test", "\u{A0}alice.test",
    ])
  func handles(typed: String) throws {
    #expect(try SignInName.parse(typed) == .handle(.init("alice.test")))
  }

  @Test("a DID is kept as it was typed")
  func did() throws {
    let did = "did:web:localhost%3A2583"
    #expect(try SignInName.parse(" \(did) ") == .did(.init(did)))
    #expect(
      try SignInName.parse("at://did:plc:aaaabbbbccccddddeeeeffff")
        == .did(.init("did:plc:aaaabbbbccccddddeeeeffff")))
  }

  @Test(
    "anything else is refused as it would be read",
    arguments: [
      ("", ""), ("alice", "alice"), ("https://pds.test", "https://pds.test"),
      ("alice test.com", "alice test.com"), ("alice@test.com", "alice@test.com"),
      ("alice..test", "alice..test"), ("did:plc", "did:plc"),
    ])
  func refused(typed: String, name: String) {
    #expect(throws: IdentityError.invalidInput(name)) { try SignInName.parse(typed) }
  }
}

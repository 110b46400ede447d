import ATSyntax
import GrainLexicon
import Testing

@Suite("Links, mentions and tags in a person's text")
struct TextMarkTests {
  private let alice: DID

  init() throws { alice = try DID("did:plc:aaaabbbbccccddddeeeeffff") }

  private func piece(_ bytes: Range<Int>, of text: String) -> String {
    String(decoding: Array(text.utf8)[bytes], as: UTF8.self)
  }

  private func tags(in text: String) -> [String] {
    TextMark.marks(in: text).compactMap { if case .tag(let tag) = $0.kind { tag } else { nil } }
  }

  @Test("a facet's bytes are exactly the marked piece, whatever stands before it (FB-D1)")
  func bytes() throws {
    let text = "🔗 Été à #Zürich 👩🏽‍🚀 https://example.com/ä @alice.example"
    let facets = Facet.facets(of: text, mentions: [try Handle("alice.example"): alice])
    #expect(
      facets.map { piece($0.bytes, of: text) } == [
        "#Zürich", "https://example.com/ä", "@alice.example",
      ])
    #expect(
      facets.map(\.feature) == [
        .tag("Zürich"), .link("https://example.com/ä"), .mention(alice),
      ])
  }

  @Test("tags are whole words in every script (FB-D2)")
  func scripts() {
    #expect(
      tags(in: "#Bogotá #写真 #фото #été2024 #🌅sunset")
        == ["Bogotá", "写真", "фото", "été2024", "🌅sunset"])
  }

  @Test("a tag ends before the sentence's punctuation; digits alone are none (FB-D3)")
  func edges() {
    let long = String(repeating: "a", count: 65)
    let text =
      "I love #turtles!!! (#sea), #2024 #1st #a_ x#no https://e.example/p#frag ＃全角 # #\(long)"
    #expect(tags(in: text) == ["turtles", "sea", "1st", "a", "全角"])
    #expect(tags(in: "#\(long.dropLast())") == [String(long.dropLast())])
    #expect(tags(in: "#️⃣ ## #\u{200B}x") == [])
  }

  @Test(
    "a link ends at white space or a bracket, and before the sentence's punctuation",
    arguments: [
      ("see https://example.com/a.", ["https://example.com/a"]),
      ("(http://a.example/b_(c))", ["http://a.example/b_"]),
      ("<HTTPS://a.example>!", ["HTTPS://a.example"]),
      (
        "https://a.example/?q=1&r=#top, https://b.example",
        ["https://a.example/?q=1&r=#top", "https://b.example"]
      ),
      ("https:// http:///x example.com ftp://a.example", []),
    ])
  func links(text: String, expected: [String]) {
    let found = TextMark.marks(in: text).compactMap { mark in
      if case .link(let uri) = mark.kind { uri } else { nil }
    }
    #expect(found == expected)
  }

  @Test(
    "a mention is a handle behind an at sign, not part of an e-mail address",
    arguments: [
      ("@Alice.Example, @bob.test.", ["alice.example", "bob.test"]),
      ("mail alice@alice.example or @alice", []),
      ("https://a.example/@carol.test (@dave.test)", ["dave.test"]),
      ("@-x.test @x..test @eve.test-", ["eve.test"]),
    ])
  func mentions(text: String, expected: [String]) {
    #expect(TextMark.mentions(in: text).map(\.rawValue) == expected)
  }

  @Test("an unknown mention stays text; a known one is marked each time it is made (FB-D4)")
  func knownMentions() throws {
    let text = "@nobody.invalid @alice.example @alice.example"
    #expect(TextMark.mentions(in: text).map(\.rawValue) == ["nobody.invalid", "alice.example"])
    let facets = Facet.facets(of: text, mentions: [try Handle("alice.example"): alice])
    #expect(facets.map(\.feature) == [.mention(alice), .mention(alice)])
    #expect(facets.map { piece($0.bytes, of: text) } == ["@alice.example", "@alice.example"])
  }
}

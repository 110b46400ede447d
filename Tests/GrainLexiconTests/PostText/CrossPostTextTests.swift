import ATSyntax
import Foundation
import GrainLexicon
import Testing

@Suite("The words of a cross-post")
struct CrossPostTextTests {
  private static let url =
    "https://grain.social/profile/did:plc:aaaabbbbccccddddeeeeffff/gallery/3ke6kg3wk22k2"
  private static let tail = "#GrainSocial \(url)"

  private func text(
    _ title: String = "", _ description: String = "", _ place: String? = nil
  ) -> CrossPostText {
    CrossPostText(title: title, description: description, place: place, url: Self.url)
  }

  /// A place and its line.
  struct Place: Sendable, CustomTestStringConvertible {
    let name: String?
    var address: PostalAddress?
    let line: String?

    var testDescription: String { name ?? "no name" }

    static let all = [
      Place(
        name: "New York, New York, United States",
        address: PostalAddress(country: "US", region: "New York", locality: "New York"),
        line: "📍 New York, US"),
      Place(
        name: "Blue Bottle Coffee",
        address: PostalAddress(country: "US", region: "California", locality: "Oakland"),
        line: "📍 Blue Bottle Coffee, Oakland, California, US"),
      Place(
        name: "Kansas City, Jackson County, Missouri, United States",
        address: PostalAddress(country: "US", region: "Missouri", locality: "Kansas City"),
        line: "📍 Kansas City, Missouri, US"),
      Place(
        name: "Eiffel Tower", address: PostalAddress(country: "FR"), line: "📍 Eiffel Tower, FR"),
      Place(name: "Somewhere, far away", line: "📍 Somewhere, far away"),
      Place(
        name: "paris", address: PostalAddress(country: "FR", locality: "Paris"),
        line: "📍 paris, FR"),
      Place(name: " ", line: nil),
      Place(name: nil, line: nil),
    ]
  }

  @Test("a place is named once, with what tells it from others (FB-D16)", arguments: Place.all)
  func place(_ place: Place) {
    let location = place.name.map { GridLocation(value: "8a2656088b17fff", name: $0) }
    #expect(PlaceLine.text(location, place.address) == place.line)
  }

  @Test(
    "content, place and the way back stand apart; what is missing leaves no empty line (FB-D16)",
    arguments: [
      ("Title", "Words", "📍 Here", "Title, Words\n\n📍 Here\n\n"),
      ("Title", "Words", nil, "Title, Words\n\n"),
      ("Title", "", "📍 Here", "Title\n\n📍 Here\n\n"),
      ("Title", "", nil, "Title\n\n"), ("", " Words ", "📍 Here", "Words\n\n📍 Here\n\n"),
      ("", "", "📍 Here", "📍 Here\n\n"), ("", "", nil, ""),
    ] as [(String, String, String?, String)])
  func parts(title: String, description: String, place: String?, head: String) {
    #expect(text(title, description, place).text == head + Self.tail)
  }

  @Test(
    "the whole text keeps to 300 characters and 3000 bytes, cut with an ellipsis (FB-D5, G117)",
    arguments: [
      (String(repeating: "👨‍👩‍👧‍👦", count: 400), nil),
      (String(repeating: "a", count: 299), "📍 New York, US"),
      (String(repeating: "写", count: 1200), nil),
      (String(repeating: "e\u{301}\u{302}\u{303}\u{304}\u{305}", count: 290), nil),
      ("Z" + String(repeating: "\u{301}", count: 3000), nil),
      ("A", "📍 " + String(repeating: "long ", count: 400)),
    ] as [(String, String?)])
  func limits(description: String, place: String?) throws {
    let made = text("A title", description, place).text
    #expect(made.count <= 300)
    #expect(made.utf8.count <= 3000)
    #expect(made.hasSuffix("\n\n" + Self.tail))
    #expect(made.contains("…\n\n"))
    #expect(TextLimit.post.admits(made))
    // Cut between two characters, and no earlier than needed.
    let head = try #require(made.components(separatedBy: "…").first)
    if place?.contains("long") != true {
      #expect("A title, \(description)".hasPrefix(head))
      #expect(made.count >= 299 || made.utf8.count > 2950 || head == "A title,")
    }
  }

  @Test("a text that just fits is not cut")
  func exact() {
    let room = 300 - Self.tail.count - 2
    let fits = String(repeating: "a", count: room)
    #expect(text(fits).text == fits + "\n\n" + Self.tail)
    #expect(text(fits).text.count == 300)
    #expect(text(fits + "b").text == fits.dropLast() + "…\n\n" + Self.tail)
  }

  @Test("the way back is a tag and a link; what the cut went through leads nowhere (FB-D1)")
  func facets() throws {
    let alice = try DID("did:plc:aaaabbbbccccddddeeeeffff")
    let mentions = [try Handle("alice.example"): alice]
    let short = text("By @alice.example", "#dawn")
    #expect(
      short.facets(mentions: mentions).map(\.feature) == [
        .mention(alice), .tag("dawn"), .tag("GrainSocial"), .link(Self.url),
      ])
    for cut in ["https://example.com/", "#", "@alice.example."] {
      let long = text("", cut + String(repeating: "a", count: 400))
      #expect(
        long.facets(mentions: mentions).map(\.feature) == [.tag("GrainSocial"), .link(Self.url)])
    }
    let bytes = Array(short.text.utf8)
    let last = try #require(short.facets(mentions: mentions).last)
    #expect(String(decoding: bytes[last.bytes], as: UTF8.self) == Self.url)
  }
}

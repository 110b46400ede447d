import HTTPTransport
import Testing

@Suite("Forms")
struct FormURLEncodingTests {
  @Test("every byte but the unreserved ones is escaped, a space too (G119)")
  func encode() {
    let form = FormURLEncoding.encode([
      ("scope", "atproto repo:a?b=c"), ("a+b", "é&=~-._"), ("empty", ""),
    ])
    #expect(
      String(decoding: form, as: UTF8.self)
        == "scope=atproto%20repo%3Aa%3Fb%3Dc&a%2Bb=%C3%A9%26%3D~-._&empty=")
  }

  @Test("what was encoded is decoded, in order")
  func roundTrip() throws {
    let pairs = [("z", "1 +%&=\u{0}🙂"), ("a", ""), ("z", "2")]
    let decoded = try #require(FormURLEncoding.decode(FormURLEncoding.encode(pairs)))
    #expect(decoded.map(\.0) == pairs.map(\.0))
    #expect(decoded.map(\.1) == pairs.map(\.1))
  }

  @Test(
    "a plus is a space, a missing value is empty, empty parts do not count",
    arguments: [
      ("a=b+c", [["a", "b c"]]), ("a", [["a", ""]]), ("=b", [["", "b"]]),
      ("a=b=c", [["a", "b=c"]]),
      ("&a=1&&b=2&", [["a", "1"], ["b", "2"]]), ("", []), ("%61=%2b", [["a", "+"]]),
    ])
  func decode(query: String, expected: [[String]]) {
    #expect(FormURLEncoding.decodeQuery(query)?.map { [$0.0, $0.1] } == expected)
  }

  @Test(
    "broken escapes and broken UTF-8 are refused", arguments: ["a=%", "a=%4", "a=%zz", "%ff=1"])
  func broken(query: String) {
    #expect(FormURLEncoding.decodeQuery(query) == nil)
  }
}

import StrictJSON
import Testing

@testable import Transcripts

@Suite("What a message is held against (§13)")
struct PatternTests {
  private static func json(_ text: String) throws -> JSONValue {
    try JSONParser.parse(Array(text.utf8))
  }

  @Test(
    "objects match by subset, arrays and scalars exactly, matchers by their meaning",
    arguments: [
      (#"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"a":{"b":[1,"x"]}}"#, #"{"a":{"b":[1,"x"],"c":0}}"#),
      (#""$any""#, "null"), (#""$string""#, #""""#), (#""$int""#, "3"), (#""$bool""#, "false"),
      (#""$uri""#, #""https://a.example/b""#), (#""$did""#, #""did:plc:abc""#),
      (#""$time""#, #""2026-03-01T12:00:00.000Z""#), (#"{"a":"$absent"}"#, "{}"),
      (#""$re:^op-""#, #""op-12""#), (#""$gte:3""#, "3"), (#""$gte:2.5""#, "3"),
      (#""$var:x""#, #"{"k":7}"#), (#""$secret:callbackUrl""#, #""x""#),
      (#""$private:path""#, #""/a""#), (#""$$any""#, #""$any""#),
      (#"{"$contains":[2,{"k":1}]}"#, #"[1,2,{"k":1,"l":2}]"#),
      (#"{"$exact":{"a":{"b":1}}}"#, #"{"a":{"b":1}}"#),
    ])
  func matching(pattern: String, value: String) throws {
    let held = Pattern(values: ["x": ["k": 7]])
    #expect(held.mismatch(try Self.json(pattern), try Self.json(value)) == nil)
  }

  @Test(
    "what differs is named by its place",
    arguments: [
      (#"{"a":1}"#, #"{"a":2}"#, "/a"), (#"{"a":true}"#, #"{"a":1}"#, "/a"),
      (#"{"a":1}"#, "{}", "/a"), (#"[1]"#, "[1,2]", ""),
      (#"{"a":[{"b/c":1}]}"#, #"{"a":[{"b/c":2}]}"#, "/a/0/b~1c"),
      (#""$string""#, "1", ""), (#""$int""#, "1.5", ""), (#""$bool""#, #""true""#, ""),
      (#""$uri""#, #""no uri""#, ""), (#""$did""#, #""did""#, ""),
      (#""$time""#, #""2026-03-01""#, ""),
      (#"{"a":"$absent"}"#, #"{"a":null}"#, "/a"), (#""$re:^op-""#, #""an op-1""#, ""),
      (#""$gte:3""#, "2", ""), (#""$gte:3""#, #""4""#, ""), (#""$var:x""#, #"{"k":8}"#, ""),
      (#""$var:y""#, "1", ""), (#""$$any""#, #""any""#, ""), (#""$private:path""#, #""""#, ""),
      (#"{"$contains":[2]}"#, "[1]", ""),
      (#"{"$exact":{"a":{"b":1}}}"#, #"{"a":{"b":1,"c":2}}"#, "/a/c"),
      (#"1"#, "1.0", ""),
    ])
  func differing(pattern: String, value: String, place: String) throws {
    let held = Pattern(values: ["x": ["k": 7]])
    let mismatch = held.mismatch(try Self.json(pattern), try Self.json(value))
    #expect(mismatch?.place == place)
  }

  @Test(
    "a matcher nobody knows is a mistake of the script",
    arguments: [#""$strnig""#, #"{"a":["$re:("]}"#, #""$gte:many""#, #"{"$has":[]}"#])
  func mistakes(pattern: String) throws {
    #expect(Pattern.mistake(in: try Self.json(pattern)) != nil)
  }
}

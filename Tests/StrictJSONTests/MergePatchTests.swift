import StrictJSON
import Testing

@Suite("JSON Merge Patch")
struct MergePatchTests {
  @Test(
    "patches apply as in RFC 7396 appendix A",
    arguments: [
      (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
      (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
      (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
      (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
      (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
      (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
      (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
      (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
      (#"{"a":"foo"}"#, #"null"#, #"null"#),
      (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
      (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
      (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
      (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
  func published(target: String, patch: String, result: String) throws {
    let target = try JSONParser.parse(target.utf8)
    let patch = try JSONParser.parse(patch.utf8)
    #expect(MergePatch.apply(patch, to: target).text() == result)
  }

  @Test("the difference holds only what changed")
  func minimal() {
    let old: JSONValue = ["phase": "a", "can": ["x"], "photo": ["p1": ["alt": "", "step": 1]]]
    let new: JSONValue = ["phase": "b", "can": ["x"], "photo": ["p1": ["alt": "sea", "step": 1]]]
    #expect(
      MergePatch.difference(from: old, to: new).text()
        == #"{"phase":"b","photo":{"p1":{"alt":"sea"}}}"#)
    #expect(MergePatch.difference(from: new, to: new) == [:])
  }

  @Test("true and 1, 1 and 1.0, and two spellings of é are changes")
  func typedComparison() throws {
    let old = try JSONParser.parse(#"{"a":true,"b":1,"c":"\u00e9"}"#.utf8)
    let new = try JSONParser.parse(#"{"a":1,"b":1.0,"c":"e\u0301"}"#.utf8)
    #expect(MergePatch.difference(from: old, to: new).objectValue?.keys == ["a", "b", "c"])
  }

  @Test("10,000 random states without null survive the round trip (§14.4)")
  func roundTrip() {
    var random = SplitMix(state: 7)
    var held = JSONValue.object([:])
    for _ in 0..<10_000 {
      let next = random.object(depth: 3)
      held = MergePatch.apply(MergePatch.difference(from: held, to: next), to: held)
      #expect(held == next)
    }
  }

  @Test("a state that shares its parts with the last one gives the patch of one made anew")
  func sharedParts() throws {
    var random = SplitMix(state: 9)
    var held = JSONObject()
    for _ in 0..<2_000 {
      var next = held
      // A member that goes, comes or changes; every other is the very one of before.
      next["k\(Int.random(in: 0...9, using: &random))"] =
        Bool.random(using: &random) ? random.object(depth: 3) : nil
      let anew = try JSONParser.parse(next.serialized())
      #expect(
        MergePatch.difference(from: .object(held), to: .object(next)).text()
          == MergePatch.difference(from: .object(held), to: anew).text())
      held = next
    }
  }

  @Test("ten thousand removals at once take no quadratic time")
  func manyRemovals() {
    let old = JSONValue.object(JSONObject((0..<10_000).map { ("k\($0)", 1) }))
    let patch = MergePatch.difference(from: old, to: ["k0": 1])
    #expect(MergePatch.apply(patch, to: old) == ["k0": 1])
  }
}

/// Reproducible random states.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func object(depth: Int) -> JSONValue {
    var object = JSONObject()
    for _ in 0..<Int.random(in: 0...4, using: &self) {
      object["k\(Int.random(in: 0...5, using: &self))"] = value(depth: depth - 1)
    }
    return .object(object)
  }

  mutating func value(depth: Int) -> JSONValue {
    switch Int.random(in: 0...(depth > 0 ? 5 : 3), using: &self) {
    case 0: .bool(Bool.random(using: &self))
    case 1: .number(JSONNumber(Int.random(in: 0...2, using: &self)))
    case 2: .string(["a", "é", "e\u{301}"].randomElement(using: &self) ?? "")
    case 3: .array([.number(JSONNumber(Int.random(in: 0...2, using: &self)))])
    default: object(depth: depth)
    }
  }
}

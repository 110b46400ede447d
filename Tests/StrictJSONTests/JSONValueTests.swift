import StrictJSON
import Testing

@Suite("JSON values")
struct JSONValueTests {
  @Test("objects are equal in any order, arrays only in theirs")
  func equality() {
    let left: JSONValue = ["a": 1, "b": [1, 2]]
    let right: JSONValue = ["b": [1, 2], "a": 1]
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    #expect(left != ["a": 1, "b": [2, 1]])
    #expect(left != ["a": 1])
    #expect(JSONValue.bool(true) != 1)
  }

  @Test("a member can be replaced in place, added at the end and removed")
  func members() {
    var object: JSONObject = ["a": 1, "b": 2, "c": 3]
    object["b"] = "x"
    object["d"] = nil
    object["e"] = 5
    object["a"] = nil
    #expect(JSONValue.object(object).text() == #"{"b":"x","c":3,"e":5}"#)
    #expect(object.count == 3)
  }

  @Test("whether a value takes so many bytes is told exactly")
  func bytesTaken() {
    let value: JSONValue = ["a": [1, "two\u{2028}", ["b": true]], "c": ["d": [:]], "e": "end"]
    let count = value.serialized().count
    #expect((0...count).allSatisfy { value.takes(atLeast: $0) })
    #expect(!(1...100).contains { value.takes(atLeast: count + $0) })
  }

  @Test("look-up stays right when a large object changes")
  func largeObject() {
    var object = JSONObject((0..<100).map { ("k\($0)", JSONValue($0)) })
    object["k7"] = nil
    object["k99"] = "last"
    object["new"] = true
    #expect(object["k8"] == 8)
    #expect(object["k7"] == nil)
    #expect(object["k99"] == "last")
    #expect(object["new"] == true)
    #expect(object.keys.count == 100)
    object.removeAll { key, _ in key != "k50" }
    #expect(object == ["k50": 50])
  }

  @Test("output is one line however readers define lines (§1)")
  func escaping() throws {
    let text =
      "\u{0}\u{1f}\u{7f}\u{80}\u{85}\u{9f}\u{a0}\u{2027}\u{2028}\u{2029}\u{202a}\"\\/\n\r\t"
    let expected =
      #""\u0000\u001f\u007f\u0080\u0085\u009f"# + "\u{a0}\u{2027}" + #"\u2028\u2029"# + "\u{202a}"
      + #"\"\\/\n\r\t""#
    #expect(JSONValue.string(text).text() == expected)
    #expect(try JSONParser.parse(expected.utf8) == .string(text))
  }

  @Test("sorted keys go by the bytes of the names, at every level")
  func sorting() {
    let value: JSONValue = ["b": ["z": 1, "a": 2], "a": 1, "é": 3, "B": 4]
    #expect(value.text(sortedKeys: true) == #"{"B":4,"a":1,"b":{"a":2,"z":1},"é":3}"#)
    #expect(value.text() == #"{"b":{"z":1,"a":2},"a":1,"é":3,"B":4}"#)
  }

  @Test(
    "pointers lead to the values of RFC 6901 §5",
    arguments: [
      ("", true), ("/foo/0", true), ("/", true), ("/a~1b", true), ("/m~0n", true),
      ("/foo/00", false),
      ("/foo/2", false), ("/foo/-1", false), ("foo", false), ("/m~2n", false), ("/foo/0/x", false),
    ])
  func pointers(pointer: String, leadsSomewhere: Bool) {
    let value: JSONValue = ["foo": ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8]
    #expect((value[pointer: pointer] != nil) == leadsSomewhere)
  }

  @Test("a pointer made of names finds its way back")
  func pointerText() {
    #expect(JSONPointer.text(of: ["a/b", "m~n", ""]) == "/a~1b/m~0n/")
    #expect(JSONPointer.steps(of: "/a~1b/m~0n/") == ["a/b", "m~n", ""])
    #expect(JSONPointer.text(of: []) == "")
  }

  @Test(
    "a number literal is taken only when JSON would take it",
    arguments: [
      ("0", true), ("-0", true), ("1.50", true), ("1E+2", true), ("", false), ("-", false),
      ("01", false), (".5", false), ("1.", false), ("+1", false), ("1e", false), ("0x1", false),
      (" 1", false), ("1 ", false), ("Infinity", false),
    ])
  func literals(literal: String, isNumber: Bool) {
    #expect((JSONNumber(literal: literal) != nil) == isNumber)
  }

  @Test("numbers give integers and doubles only when they are that")
  func numbers() {
    #expect(JSONNumber(literal: "1.0")?.intValue == nil)
    #expect(JSONNumber(literal: "-0")?.intValue == 0)
    #expect(JSONNumber(literal: "9223372036854775808")?.intValue == nil)
    #expect(JSONNumber(literal: "9223372036854775807")?.int64Value == .max)
    #expect(JSONNumber(literal: "1e400")?.doubleValue == nil)
    #expect(JSONNumber(Double.infinity) == nil)
    #expect(JSONNumber(0.1)?.literal == "0.1")
    #expect(JSONNumber(UInt64.max).literal == "18446744073709551615")
  }
}

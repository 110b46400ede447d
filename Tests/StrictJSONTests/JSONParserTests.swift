import StrictJSON
import Testing

@Suite("Reading JSON")
struct JSONParserTests {
  private func parse(
    _ text: String, _ limits: JSONLimits = JSONLimits()
  ) throws(JSONParseError) -> JSONValue { try JSONParser.parse(text.utf8, limits: limits) }

  @Test("members keep their order and numbers their digits (FB-F8)")
  func orderAndDigits() throws {
    let text = #"{"z":9007199254740993,"a":[1.0,0.1,1e2,-0],"url":"https://a/b","n":null,"t":true}"#
    let value = try parse(text)
    #expect(value.objectValue?.keys == ["z", "a", "url", "n", "t"])
    #expect(value.text() == text)
    #expect(value["z"]?.intValue == 9_007_199_254_740_993)
    #expect(value[pointer: "/a/0"]?.intValue == nil)
    #expect(value[pointer: "/a/0"]?.doubleValue == 1)
    #expect(value["t"]?.intValue == nil)
    #expect(value["t"]?.boolValue == true)
  }

  @Test(
    "a member given twice is refused, however it is spelt (FB-C19)",
    arguments: [#"{"id":1,"id":2}"#, #"{"id":1,"\u0069d":1}"#, #"{"id":{},"a":1,"id":null}"#])
  func duplicates(text: String) {
    #expect(throws: JSONParseError.duplicateKey("id")) { try parse(text) }
  }

  @Test("a duplicate is found among thousands of members")
  func duplicateInLargeObject() throws {
    let members = (0..<9_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
    #expect(try parse("{\(members)}")["m8999"]?.intValue == 8_999)
    #expect(throws: JSONParseError.duplicateKey("m17")) { try parse("{\(members),\"m17\":0}") }
  }

  @Test("names that only look alike are different members")
  func canonicalEquivalents() throws {
    let value = try parse(#"{"\u00e9":1,"e\u0301":2,"K":3,"\u212a":4}"#)
    #expect(value["\u{e9}"]?.intValue == 1)
    #expect(value["e\u{301}"]?.intValue == 2)
    #expect(value["\u{212A}"]?.intValue == 4)
  }

  @Test("text that differs only in normalisation is different text")
  func normalisation() {
    #expect(JSONValue.string("\u{e9}") != JSONValue.string("e\u{301}"))
    #expect(JSONValue.string("a\u{301}\u{323}") != JSONValue.string("a\u{323}\u{301}"))
  }

  @Test("depth is counted from the outermost bracket and ends at the limit")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try parse(nested(64))
    #expect(throws: JSONParseError.tooDeep) { try parse(nested(65)) }
    #expect(throws: JSONParseError.tooDeep) { try parse(String(repeating: "[", count: 1_000_000)) }
    #expect(throws: JSONParseError.tooDeep) {
      try parse(String(repeating: "{\"a\":", count: 100_000))
    }
    _ = try parse(nested(128), .document)
  }

  @Test("a text may be as long as the limit, counted after its escapes")
  func stringLimit() throws {
    let limits = JSONLimits(maximumStringBytes: 4)
    _ = try parse(#""abcd""#, limits)
    _ = try parse(#""\u0061\u0062cd""#, limits)
    #expect(throws: JSONParseError.stringTooLong) { try parse(#""abcde""#, limits) }
    #expect(throws: JSONParseError.stringTooLong) { try parse(#""\u00e9\u00e9a""#, limits) }
    #expect(throws: JSONParseError.stringTooLong) { try parse(#"{"abcde":1}"#, limits) }
    #expect(throws: JSONParseError.stringTooLong) { try parse("12345", limits) }
  }

  @Test("an object or array may have as many entries as the limit")
  func memberLimit() throws {
    let limits = JSONLimits(maximumMembers: 2)
    _ = try parse(#"[[1,2],{"a":1,"b":2}]"#, limits)
    #expect(throws: JSONParseError.tooManyMembers) { try parse("[1,2,3]", limits) }
    #expect(throws: JSONParseError.tooManyMembers) { try parse(#"{"a":1,"b":2,"c":3}"#, limits) }
  }

  @Test(
    "what is not JSON says where",
    arguments: [
      ("", 0), ("nul", 0), ("NaN", 0), ("{} {}", 3), ("[1,]", 3), (#"{"a" 1}"#, 5), ("01", 1),
      ("\"a\nb\"", 2), (#""\x""#, 2), (#""\ud800""#, 7), ("[1", 2), ("1.", 0), ("+1", 0),
      ("\u{feff}{}", 0), ("{\"a\":1,}", 7),
    ])
  func faults(text: String, offset: Int) {
    #expect(throws: JSONParseError.invalidJSON(offset: offset)) { try parse(text) }
  }

  @Test("bytes that are not UTF-8 are told apart from bad JSON")
  func invalidUTF8() {
    #expect(throws: JSONParseError.invalidUTF8(offset: 0)) { try JSONParser.parse([0xFF, 0xFE]) }
    #expect(throws: JSONParseError.invalidUTF8(offset: 1)) {
      try JSONParser.parse([0x22, 0xC3, 0x22])
    }
  }

  @Test("escapes become the text they stand for")
  func escapes() throws {
    let value = try parse(#""\"\\\/\b\f\n\r\t\u0000\u00E9\ud83d\udE00é😀""#)
    #expect(value.stringValue == "\"\\/\u{8}\u{c}\n\r\t\u{0}é😀é😀")
  }

  @Test("a slice and a sequence without storage of its own read like an array")
  func otherCollections() throws {
    let bytes = Array("xx[1]".utf8)
    #expect(try JSONParser.parse(bytes[2...]) == [1])
    #expect(try JSONParser.parse(bytes[2...].lazy.map { $0 }) == [1])
  }

  @Test("no prefix of a document is a document, and none crashes")
  func truncation() throws {
    let bytes = Array(#"{"a":[1.5e3,"é\ud83d\ude00",true,null],"b":{"c":"d"}}"#.utf8)
    for length in 0..<bytes.count {
      #expect(throws: JSONParseError.self) { try JSONParser.parse(bytes[..<length]) }
    }
  }
}

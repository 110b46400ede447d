import Foundation
import StrictJSON
import Testing

@Suite("Swift values as JSON")
struct CodingTests {
  struct Photo: Codable, Equatable {
    var title: String
    var alt: String?
    var width: Int
    var ratio: Double
    var tags: [String: Int]
    var extra: JSONValue?
    var nested: [Nested]
    struct Nested: Codable, Equatable { var on: Bool }
  }

  static let photo = Photo(
    title: "a/b", alt: nil, width: 3, ratio: 0.1, tags: ["z": 1, "a": 2],
    extra: .number(JSONNumber(literal: "1.00") ?? JSONNumber(0)), nested: [.init(on: true)])

  @Test("members come in order of declaration, dictionaries sorted, absent optionals not at all")
  func encoding() throws {
    let text = try JSONValueEncoder().encode(Self.photo).text()
    #expect(
      text
        == #"{"title":"a/b","width":3,"ratio":0.1,"tags":{"a":2,"z":1},"extra":1.00,"nested":[{"on":true}]}"#
    )
  }

  @Test("what was encoded decodes to the same value")
  func roundTrip() throws {
    let value = try JSONValueEncoder().encode(Self.photo)
    #expect(try JSONValueDecoder().decode(Photo.self, from: value) == Self.photo)
  }

  @Test("dates, URLs, data and numbers without end have no agreed form and are refused")
  func refusals() {
    #expect(throws: EncodingError.self) {
      try JSONValueEncoder().encode(Date(timeIntervalSince1970: 0))
    }
    #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(["at": Date.distantPast]) }
    #expect(throws: EncodingError.self) { try JSONValueEncoder().encode([URL(filePath: "/a")]) }
    #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(Data()) }
    #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(Double.nan) }
    #expect(throws: EncodingError.self) { try JSONValueEncoder().encode([Float.infinity]) }
  }

  @Test("a Float is written with its own digits")
  func float() throws {
    #expect(try JSONValueEncoder().encode([Float(0.1)]).text() == "[0.1]")
  }

  @Test("enums, sets of values and nil in an array keep Codable's usual form")
  func otherShapes() throws {
    enum Phase: String, Codable { case signedOut }
    #expect(try JSONValueEncoder().encode([Phase.signedOut]).text() == #"["signedOut"]"#)
    #expect(try JSONValueEncoder().encode([1, nil]).text() == "[1,null]")
    #expect(try JSONValueEncoder().encode(Optional<Int>.none).text() == "null")
    #expect(try JSONValueEncoder().encode([Int]()).text() == "[]")
    #expect(try JSONValueEncoder().encode([String: Int]()).text() == "{}")
  }

  @Test("containers made by hand, opened twice or out of order, end up where they belong")
  func handMadeContainers() throws {
    struct Shape: Encodable {
      enum Key: String, CodingKey { case a, list, b }
      func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: Key.self)
        var a = root.nestedContainer(keyedBy: Key.self, forKey: .a)
        var list = root.nestedUnkeyedContainer(forKey: .list)
        try root.encode(true, forKey: .b)
        try list.encode(1)
        var inner = list.nestedContainer(keyedBy: Key.self)
        try list.encode("end")
        try inner.encodeNil(forKey: .a)
        try a.encode(2, forKey: .b)
        var again = root.nestedContainer(keyedBy: Key.self, forKey: .a)
        try again.encode(3, forKey: .a)
      }
    }
    #expect(
      try JSONValueEncoder().encode(Shape()).text()
        == #"{"a":{"b":2,"a":3},"list":[1,{"a":null},"end"],"b":true}"#)
  }

  struct Everything: Codable, Equatable {
    var flag: Bool
    var count: Int
    var small: UInt8
    var ratio: Double
  }

  @Test(
    "a value of another kind is refused where it stands (FB-F8)",
    arguments: [
      (#"{"flag":1,"count":1,"small":1,"ratio":1}"#, "/flag", "boolean"),
      (#"{"flag":true,"count":true,"small":1,"ratio":1}"#, "/count", "integer"),
      (#"{"flag":true,"count":1.0,"small":1,"ratio":1}"#, "/count", "integer"),
      (#"{"flag":true,"count":1.5,"small":1,"ratio":1}"#, "/count", "integer"),
      (#"{"flag":true,"count":1,"small":256,"ratio":1}"#, "/small", "integer"),
      (#"{"flag":true,"count":1,"small":1,"ratio":"1"}"#, "/ratio", "number"),
      (#"{"flag":true,"count":1,"small":1}"#, "/ratio", "a member"),
      (#"[]"#, "", "object"),
    ])
  func mismatches(text: String, pointer: String, expected: String) throws {
    let value = try JSONParser.parse(text.utf8)
    #expect(throws: JSONDecodingError(pointer: pointer, expected: expected)) {
      try JSONValueDecoder().decode(Everything.self, from: value)
    }
  }

  @Test("an error deep inside names its place as a JSON Pointer")
  func deepPointer() {
    let value: JSONValue = ["list": [["on": true], ["on": "x"]]]
    #expect(throws: JSONDecodingError(pointer: "/list/1/on", expected: "boolean")) {
      try JSONValueDecoder().decode([String: [Photo.Nested]].self, from: value)
    }
  }

  struct Parameters: Codable, Equatable {
    var name: String
    var server: String?
    var inner: Inner?
    struct Inner: Codable, Equatable { var a: Int? }
  }

  @Test("null for an optional is nothing in foreign documents, a fault in parameters (FB-C13)")
  func nulls() throws {
    let value: JSONValue = ["name": "x", "server": .null]
    #expect(
      try JSONValueDecoder().decode(Parameters.self, from: value)
        == Parameters(name: "x", server: nil, inner: nil))
    #expect(throws: JSONDecodingError(pointer: "/server", expected: "string")) {
      try JSONValueDecoder(nullMembers: .refused).decode(Parameters.self, from: value)
    }
  }

  @Test("a closed schema refuses members it does not know, at any level (§5)")
  func unknownMembers() throws {
    let closed = JSONValueDecoder(nullMembers: .refused, unknownMembers: .refused)
    _ = try closed.decode(Parameters.self, from: ["name": "x", "inner": ["a": 1]])
    #expect(throws: JSONDecodingError(pointer: "/inner/b", expected: "no such member")) {
      try closed.decode(Parameters.self, from: ["name": "x", "inner": ["a": 1, "b": 2]])
    }
    #expect(throws: JSONDecodingError(pointer: "/nmae", expected: "no such member")) {
      try closed.decode(Parameters.self, from: ["name": "x", "nmae": "y"])
    }
    #expect(try closed.decode([String: Int].self, from: ["a": 1, "b": 2]) == ["a": 1, "b": 2])
    #expect(try closed.decode(JSONValue.self, from: ["a": ["b": 1]]) == ["a": ["b": 1]])
  }

  @Test("other coders are refused rather than given wrong digits")
  func foreignCoders() {
    #expect(throws: (any Error).self) { try JSONEncoder().encode(JSONValue.null) }
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(JSONValue.self, from: Data("1".utf8))
    }
  }
}

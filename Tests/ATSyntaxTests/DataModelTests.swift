import ATSyntax
import Foundation
import GrainTestSupport
import StrictJSON
import Testing

@Suite struct DataModelTests {
  private func fixtures(_ name: String) throws -> [JSONValue] {
    let data = try Data(contentsOf: SharedData.url("atproto/data-model/\(name).json"))
    let list = try JSONParser.parse(Array(data)).arrayValue
    return try #require(list)
  }

  @Test(
    "records of the published fixtures encode to the same bytes and CID",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func publishedFixtures() throws {
    for fixture in try fixtures("data-model-fixtures") {
      let bytes = try DAGCBOR.encode(try #require(fixture["json"]))
      let base64 = Data(bytes).base64EncodedString().replacing("=", with: "")
      #expect(base64 == fixture["cbor_base64"]?.stringValue)
      #expect(CID(dagCBOR: bytes).rawValue == fixture["cid"]?.stringValue)
    }
  }

  @Test(
    "published valid records pass, invalid ones are refused",
    .enabled(if: SharedData.isPresent, Comment(rawValue: SharedData.skipReason)))
  func publishedLists() throws {
    for entry in try fixtures("data-model-valid") {
      let record = try #require(entry["json"])
      #expect(throws: Never.self, "\(entry["note"] as Any)") {
        try DataModel.validate(record: record)
      }
      #expect(throws: Never.self) { _ = try DAGCBOR.encode(record) }
    }
    for entry in try fixtures("data-model-invalid") {
      let record = try #require(entry["json"])
      #expect(throws: DataModelError.self, "\(entry["note"] as Any)") {
        try DataModel.validate(record: record)
      }
    }
  }

  @Test("faults name the place they are at")
  func faultPlaces() {
    #expect(throws: DataModelError.float(literal: "1.5", path: "$.a[1].b")) {
      _ = try DAGCBOR.encode([
        "a": [1, ["b": .number(JSONNumber(literal: "1.5") ?? JSONNumber(0))]]
      ])
    }
    #expect(throws: DataModelError.link(path: "$.l")) {
      _ = try DAGCBOR.encode(["l": ["$link": "x"]])
    }
    #expect(throws: DataModelError.notAnObject) { try DataModel.validate(record: "text") }
  }

  @Test("integers stop at 2⁵³ − 1 on both sides")
  func integerRange() throws {
    #expect(
      try DAGCBOR.encode(9_007_199_254_740_991) == [
        0x1b, 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      ])
    #expect(throws: DataModelError.integerOutOfRange(literal: "9007199254740992", path: "$")) {
      _ = try DAGCBOR.encode(9_007_199_254_740_992)
    }
    #expect(throws: DataModelError.self) { _ = try DAGCBOR.encode(-9_007_199_254_740_992) }
  }

  @Test(
    "lengths take the shortest form",
    arguments: [
      (0, [0]), (23, [23]), (24, [0x18, 24]), (255, [0x18, 255]), (256, [0x19, 1, 0]),
      (65_536, [0x1a, 0, 1, 0, 0]), (-1, [0x20]), (-25, [0x38, 24]),
    ] as [(Int, [UInt8])])
  func shortestForms(number: Int, expected: [UInt8]) throws {
    #expect(try DAGCBOR.encode(.number(JSONNumber(number))) == expected)
  }

  @Test("map keys are ordered by length, then by bytes, and not as they were written")
  func keyOrder() throws {
    let one = try DAGCBOR.encode(["bb": 1, "a": 2, "c": 3])
    #expect(one == [0xa3, 0x61, 0x61, 2, 0x61, 0x63, 3, 0x62, 0x62, 0x62, 1])
    #expect(try DAGCBOR.encode(["c": 3, "bb": 1, "a": 2]) == one)
  }

  @Test("a malformed link can be kept as the plain map the reference server stores (wire §11.5)")
  func malformedKept() throws {
    let record: JSONValue = ["l": ["$link": "x"]]
    #expect(
      try DAGCBOR.encode(record, malformed: .keepAsMap)
        == [0xa1, 0x61, 0x6c, 0xa1, 0x65, 0x24, 0x6c, 0x69, 0x6e, 0x6b, 0x61, 0x78])
  }

  @Test("$bytes is read with and without padding", arguments: ["AQI=", "AQI"])
  func bytesPadding(text: String) throws {
    #expect(try DAGCBOR.encode(["$bytes": .string(text)]) == [0x42, 1, 2])
  }
}

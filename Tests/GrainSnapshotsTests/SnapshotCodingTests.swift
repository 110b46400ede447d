import Foundation
import GrainSnapshots
import GrainTestSupport
import StrictJSON
import Testing

@Suite("What snapshots look like on the wire")
struct SnapshotCodingTests {
  /// A sample, and where in `Schemas/v1/examples/models` the same state is written by hand.
  struct Case: Sendable, CustomTestStringConvertible {
    let file: String
    let note: String
    let encoded: @Sendable () throws -> JSONValue

    init(_ sample: some ModelSnapshot, _ file: String, _ note: String) {
      self.file = file
      self.note = note
      encoded = { try JSONValueEncoder().encode(sample) }
    }

    var testDescription: String { "\(file): \(note)" }
  }

  static let cases: [Case] = [
    Case(
      SnapshotSamples.bareLogin, "login",
      "the first snapshot of the protocol document: nothing optional"),
    Case(SnapshotSamples.fullLogin, "login", "everything at once"),
    Case(SnapshotSamples.bareAccounts, "accounts", "nobody has signed in"),
    Case(SnapshotSamples.fullAccounts, "accounts", "everything at once"),
    Case(SnapshotSamples.bareDrafts, "drafts", "no draft"),
    Case(SnapshotSamples.fullDrafts, "drafts", "everything at once"),
    Case(SnapshotSamples.bareGallery, "gallery-publish", "a new draft: nothing optional"),
    Case(SnapshotSamples.fullGallery, "gallery-publish", "everything at once"),
  ]

  @Test("a snapshot encodes to the bytes of its hand-written example", arguments: cases)
  func encoding(_ item: Case) throws {
    let file = SharedData.repositoryRoot
      .appending(path: "Schemas/v1/examples/models/\(item.file).json")
    let examples = try JSONParser.parse(Data(contentsOf: file)).arrayValue ?? []
    let example = try #require(examples.first { $0["note"]?.stringValue == item.note })
    let expected = try #require(example["value"])
    // Text, not values: the order of members counts as well.
    #expect(try item.encoded().text() == expected.text())
  }

  @Test("equal values are equal bytes, whatever order their dictionaries happen to have")
  func stableBytes() throws {
    let names = (0..<40).map { "name\($0)" }
    let values = names.map { ($0, PlainValue.integer(1)) }
    let one = Dictionary(uniqueKeysWithValues: values)
    let other = Dictionary(uniqueKeysWithValues: values.reversed())
    let texts = try [one, other].map { members in
      let problem = Problem(.coreInternal, params: members, details: ["all": .members(members)])
      return try JSONValueEncoder().encode(problem).text()
    }
    #expect(texts[0] == texts[1])
  }

  @Test("details of any null-free shape survive the wire")
  func openDetails() throws {
    let details: [String: PlainValue] = [
      "text": "a", "whole": 7, "part": .number(0.5), "flag": true, "zero": 0,
      "list": [1, "b", false, []], "members": .members(["inner": .members([:])]),
    ]
    let encoded = try JSONValueEncoder().encode(Problem(.storeLocked, details: details))
    #expect(encoded["details"]?["flag"] == .bool(true))
    #expect(encoded["details"]?["whole"]?.intValue == 7)
    #expect(try JSONValueDecoder().decode(Problem.self, from: encoded).details == details)
  }

  @Test(
    "a state whose order and collection disagree is refused",
    arguments: [
      #"{"draftOrder":["a"],"draft":{}}"#, #"{"draftOrder":[]}"#, #"{"draft":{}}"#,
      #"{"draftOrder":["a","a"],"draft":{"a":{"kind":"gallery","title":"","photoCount":0,"#
        + #""updatedAt":"2026-03-01T12:00:00.000Z","resumable":false}}}"#,
    ])
  func disagreement(members: String) throws {
    let text = #"{"status":"idle","phase":"ready","can":[],"# + members.dropFirst()
    let value = try JSONParser.parse(Array(text.utf8))
    #expect(throws: (any Error).self) {
      try JSONValueDecoder().decode(DraftListSnapshot.self, from: value)
    }
  }

  @Test("half of the provider collection is refused, none of it means nothing to choose")
  func optionalCollection() throws {
    let bare = try JSONValueEncoder().encode(SnapshotSamples.bareLogin)
    #expect(bare["provider"] == nil)
    #expect(try JSONValueDecoder().decode(LoginSnapshot.self, from: bare).provider.isEmpty)
    var half = try #require(bare.objectValue)
    half["providerOrder"] = []
    #expect(throws: (any Error).self) {
      try JSONValueDecoder().decode(LoginSnapshot.self, from: .object(half))
    }
  }
}

import ATSyntax
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite struct BatchWriteTests {
  private static let type = "com.atproto.repo.applyWrites"

  private func write(
    _ action: String, _ key: String?, _ value: JSONValue? = [:],
    collection: String = "social.grain.photo"
  ) -> JSONValue {
    var write: JSONObject = [
      "$type": .string("\(Self.type)#\(action)"), "collection": .string(collection),
    ]
    write["rkey"] = key.map(JSONValue.string)
    write["value"] = value
    return .object(write)
  }

  private func apply(
    _ visit: SandboxVisit, _ writes: [JSONValue], more: JSONObject = [:], scopes: [String]? = nil
  ) async throws -> Answer {
    var body = more
    body["repo"] = .string(visit.alice.rawValue)
    body["writes"] = .array(writes)
    return try await visit.call(Self.type, .object(body), scopes: scopes)
  }

  @Test("a batch answers in the order of its writes, with one commit (wire §11.4)")
  func results() async throws {
    try await SandboxVisit.run { visit in
      _ = try await visit.create("social.grain.photo", ["n": 1], key: "old")
      _ = try await visit.create("social.grain.photo", ["n": 1], key: "gone")
      let answer = try await apply(
        visit,
        [
          write("create", "new"), write("update", "old", ["n": 2]), write("delete", "gone", nil),
          write("create", nil),
        ])
      #expect(answer.status == 200)
      let results = try #require(answer["results"]?.arrayValue)
      #expect(
        results.map { $0["$type"]?.stringValue } == [
          "\(Self.type)#createResult", "\(Self.type)#updateResult", "\(Self.type)#deleteResult",
          "\(Self.type)#createResult",
        ])
      #expect(results[0]["uri"] == .string("at://\(visit.alice)/social.grain.photo/new"))
      #expect(results[0]["validationStatus"] == "unknown")
      #expect(results[2].objectValue?.count == 1)
      #expect(answer["commit"]?["cid"] != nil)
      #expect(try await visit.read("social.grain.photo", "old")["value"]?["n"] == 2)
    }
  }

  @Test("a batch that fails anywhere changes nothing")
  func atomic() async throws {
    try await SandboxVisit.run { visit in
      _ = try await visit.create("social.grain.photo", ["n": 1], key: "there")
      for bad in [
        write("create", "there"), write("update", "missing"), write("delete", "missing", nil),
      ] {
        let answer = try await apply(visit, [write("create", "new"), bad])
        #expect(answer.refusal == "500 InternalServerError: Internal Server Error")
      }
      let blob: JSONValue = [
        "$type": "blob", "ref": ["$link": .string(CID(rawSHA256: []).rawValue)],
        "mimeType": "image/png", "size": 0,
      ]
      let missing = try await apply(
        visit, [write("create", "new"), write("create", "with-blob", ["photo": blob])])
      #expect(missing.refusal == "400 BlobNotFound: Could not find blob: \(CID(rawSHA256: []))")
      #expect(try await visit.read("social.grain.photo", "new").status == 400)
    }
  }

  @Test("one missing permission rejects the whole batch before any write")
  func permissions() async throws {
    try await SandboxVisit.run { visit in
      let scopes = ["atproto", "repo:social.grain.photo?action=create"]
      let answer = try await apply(
        visit, [write("create", "new"), write("delete", "x", nil)], scopes: scopes)
      #expect(answer.refusal.hasPrefix("403 ScopeMissingError"))
      #expect(try await visit.read("social.grain.photo", "new").status == 400)
      #expect(try await apply(visit, [write("create", "new")], scopes: scopes).status == 200)
    }
  }

  @Test("200 writes are taken, 201 are not, whatever the permission (wire §11)")
  func batchSize() async throws {
    try await SandboxVisit.run { visit in
      let writes = (0..<201).map { write("create", "k\($0)") }
      let tooMany = try await apply(visit, writes, scopes: ["atproto"])
      #expect(tooMany.refusal == "400 InvalidRequest: Too many writes. Max: 200")
      let answer = try await apply(visit, Array(writes.dropLast()))
      #expect(answer["results"]?.arrayValue?.count == 200)
    }
  }

  @Test("a body over a million bytes is too large under the name JSON bodies have")
  func bodySize() async throws {
    try await SandboxVisit.run { visit in
      let text = JSONValue.string(String(repeating: "a", count: 1_000_000))
      let answer = try await apply(visit, [write("create", "k", ["text": text])])
      #expect(answer.refusal == "413 PayloadTooLargeError: request entity too large")
    }
  }

  @Test("a gallery of twenty photos with EXIF fits one commit (grain-product §12)")
  func wholeGallery() async throws {
    try await SandboxVisit.run { visit in
      var writes: [JSONValue] = []
      for index in 0..<20 {
        writes.append(write("create", "p\(index)"))
        writes.append(write("create", "e\(index)", collection: "social.grain.photo.exif"))
        writes.append(write("create", "i\(index)", collection: "social.grain.gallery.item"))
      }
      writes.append(write("create", "g", collection: "social.grain.gallery"))
      let answer = try await apply(visit, writes)
      #expect(answer["results"]?.arrayValue?.count == 61)
    }
  }

  @Test("malformed writes name their place")
  func malformed() async throws {
    try await SandboxVisit.run { visit in
      let key = try await apply(visit, [write("create", "a"), write("update", nil)])
      #expect(key.refusal == "400 InvalidRequest: Missing required key \"rkey\" at $.writes[1]")
      let type = try await apply(visit, [write("replace", "a")])
      #expect(type.status == 400)
      let swap = try await apply(
        visit, [write("create", "a")], more: ["swapCommit": .string(CID(dagCBOR: []).rawValue)])
      #expect(swap.refusal.hasPrefix("400 InvalidSwap: Commit was at "))
      let again = try await apply(visit, [write("create", "same"), write("create", "same")])
      #expect(again.status == 500)
    }
  }
}

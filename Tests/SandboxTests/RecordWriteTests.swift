import ATSyntax
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite struct RecordWriteTests {
  private let photo = "social.grain.photo"

  @Test("a created record is read back under the CID its DAG-CBOR gives it")
  func createAndRead() async throws {
    try await SandboxVisit.run { visit in
      let record: JSONValue = ["$type": "social.grain.favorite", "subject": "at://x.test", "n": 1]
      let created = try await visit.create("social.grain.favorite", record, key: "3ke6kg3wk22k2")
      #expect(created.status == 200)
      let uri = "at://\(visit.alice)/social.grain.favorite/3ke6kg3wk22k2"
      #expect(created["uri"] == .string(uri))
      #expect(created["cid"]?.stringValue == CID(dagCBOR: try DAGCBOR.encode(record)).rawValue)
      #expect(created["validationStatus"] == "unknown")
      #expect(throws: Never.self) { _ = try CID(created["commit"]?["cid"]?.stringValue ?? "") }
      #expect(throws: Never.self) { _ = try TID(created["commit"]?["rev"]?.stringValue ?? "") }

      let read = try await visit.read("social.grain.favorite", "3ke6kg3wk22k2")
      #expect(read["uri"] == .string(uri))
      #expect(read["cid"] == created["cid"])
      #expect(read["value"] == record)
    }
  }

  @Test("without a key the server makes a TID; without a type it fills in the collection")
  func serverMadeKey() async throws {
    try await SandboxVisit.run { visit in
      let created = try await visit.create("social.grain.favorite", ["subject": "at://x.test"])
      let uri = try ATURI(try #require(created["uri"]?.stringValue))
      #expect(throws: Never.self) { _ = try TID(uri.recordKey?.rawValue ?? "") }
      let read = try await visit.read("social.grain.favorite", uri.recordKey?.rawValue ?? "")
      #expect(read["value"]?["$type"] == "social.grain.favorite")
    }
  }

  @Test("a create over an existing key is a 500, not a conflict (wire §11.1)")
  func createTwice() async throws {
    try await SandboxVisit.run { visit in
      #expect(try await visit.create("social.grain.favorite", ["a": 1], key: "k").status == 200)
      let again = try await visit.create("social.grain.favorite", ["a": 1], key: "k")
      #expect(again.refusal == "500 InternalServerError: Internal Server Error")
    }
  }

  @Test("a put creates, replaces, and does nothing when nothing changes (wire §11.2)")
  func put() async throws {
    try await SandboxVisit.run { visit in
      let profile = "social.grain.actor.profile"
      let first = try await visit.put(profile, "self", ["displayName": "A"])
      #expect(first["commit"] != nil)
      let second = try await visit.put(profile, "self", ["displayName": "B"])
      #expect(second["cid"] != first["cid"])
      let same = try await visit.put(
        profile, "self", ["displayName": "B"], more: ["swapRecord": .null])
      #expect(same.status == 200)
      #expect(same["commit"] == nil)
      #expect(same["cid"] == second["cid"])
      #expect(try await visit.read(profile, "self")["value"]?["displayName"] == "B")
    }
  }

  @Test("deleting is idempotent: nothing to delete answers an empty object (wire §11.3)")
  func delete() async throws {
    try await SandboxVisit.run { visit in
      _ = try await visit.create("social.grain.favorite", ["a": 1], key: "k")
      #expect(try await visit.delete("social.grain.favorite", "k")["commit"]?["rev"] != nil)
      let again = try await visit.delete(
        "social.grain.favorite", "k", more: ["swapRecord": .string(CID(dagCBOR: []).rawValue)])
      #expect(again.status == 200)
      #expect(again.json == [:])
      let read = try await visit.read("social.grain.favorite", "k")
      #expect(
        read.refusal
          == "400 RecordNotFound: Could not locate record: at://\(visit.alice)/social.grain.favorite/k"
      )
    }
  }

  @Test("a swap that does not match names what is there (wire §11.5)")
  func swaps() async throws {
    try await SandboxVisit.run { visit in
      let stored = try await visit.put("social.grain.actor.profile", "self", ["n": 1])
      let cid = try #require(stored["cid"]?.stringValue)
      let other = CID(dagCBOR: []).rawValue
      for swap in [JSONValue.null, .string(other)] {
        let put = try await visit.put(
          "social.grain.actor.profile", "self", ["n": 2], more: ["swapRecord": swap])
        #expect(put.refusal == "400 InvalidSwap: Record was at \(cid)")
      }
      let head = try #require(stored["commit"]?["cid"]?.stringValue)
      let create = try await visit.create(
        "social.grain.favorite", ["n": 1], more: ["swapCommit": .string(other)])
      #expect(create.refusal == "400 InvalidSwap: Commit was at \(head)")
      let matching = try await visit.put(
        "social.grain.actor.profile", "self", ["n": 2],
        more: ["swapRecord": .string(cid), "swapCommit": .string(head)])
      #expect(matching.status == 200)
    }
  }

  @Test("each write asks for its permission, a put for two (wire §11)")
  func permissions() async throws {
    try await SandboxVisit.run { visit in
      let create = ["atproto", "repo:social.grain.photo?action=create"]
      let other = try await visit.create("social.grain.favorite", [:], scopes: create)
      #expect(
        other.refusal
          == "403 ScopeMissingError: Missing required scope \"repo:social.grain.favorite?action=create\""
      )
      #expect(other.headers["WWW-Authenticate"] == nil)
      let put = try await visit.put(photo, "k", [:], scopes: create)
      #expect(
        put.refusal
          == "403 ScopeMissingError: Missing required scope \"repo:social.grain.photo?action=update\""
      )
      let delete = try await visit.delete(photo, "k", scopes: create)
      #expect(delete.refusal.hasSuffix("\"repo:social.grain.photo?action=delete\""))
      // The permission is asked for before the record is looked at.
      let broken = try await visit.create(
        "social.grain.favorite", ["$type": "a.b.c"], scopes: create)
      #expect(broken.status == 403)
    }
  }

  @Test("the account comes before the token's owner, and both before the permission (wire §11)")
  func accounts() async throws {
    try await SandboxVisit.run { visit in
      let stranger = try DID("did:plc:aaaabbbbccccddddeeeeffff")
      let body: JSONObject = [
        "repo": .string(stranger.rawValue), "collection": "a.b.c", "record": [:],
      ]
      let unknown = try await visit.call(
        "com.atproto.repo.createRecord", .object(body), scopes: ["atproto"])
      #expect(unknown.refusal == "403 AccountNotFound: Account not found")
      let others = try await visit.call(
        "com.atproto.repo.createRecord",
        ["repo": "bob.test", "collection": "a.b.c", "record": [:]],
        scopes: ["atproto"])
      #expect(others.refusal == "401 AuthenticationRequired: Authentication Required")
      let byHandle = try await visit.call(
        "com.atproto.repo.createRecord",
        ["repo": "ALICE.test", "collection": "social.grain.favorite", "record": [:]])
      #expect(byHandle.status == 200)
    }
  }

  @Test(
    "an account that may not write says why, without a challenge (wire §13)",
    arguments: [
      (AccountStatus.deactivated, "401 AccountDeactivated: Account is deactivated"),
      (.takendown, "401 AccountTakedown: Account has been taken down"),
    ])
  func accountStates(status: AccountStatus, expected: String) async throws {
    try await SandboxVisit.run { visit in
      try await visit.network.setStatus(status, of: visit.alice)
      let write = try await visit.create("social.grain.favorite", [:])
      #expect(write.refusal == expected)
      #expect(write.headers["WWW-Authenticate"] == nil)
      let session = try await visit.query("com.atproto.server.getSession", as: visit.alice)
      #expect(session["active"] == false)
      #expect(session["status"] == .string(status.rawValue))
      let upload = try await visit.upload([0xff, 0xd8, 0xff], as: "image/jpeg")
      #expect(upload.status == (status == .deactivated ? 200 : 401))
    }
  }

  @Test("what a record may not be is refused in the reference's words (wire §11.5)")
  func dataModel() async throws {
    try await SandboxVisit.run { visit in
      let float = try await visit.create("social.grain.favorite", ["x": .number(number("1.5"))])
      #expect(
        float.refusal
          == "400 InvalidRequest: Expected one of null, boolean, integer, string, cid, bytes, array or "
          + "object value type (got 1.5) at $.record.x")
      let huge = try await visit.create("social.grain.favorite", ["x": 9_007_199_254_740_992])
      #expect(huge.status == 500)
      let type = try await visit.create("social.grain.favorite", ["$type": "a.b.c"])
      #expect(
        type.refusal
          == "400 InvalidRequest: Invalid $type: expected social.grain.favorite, got a.b.c")
      let legacy = try await visit.create(
        "social.grain.favorite", ["b": ["cid": "bafy", "mimeType": "image/png"]])
      #expect(legacy.status == 400)
      // A malformed link is stored as the map it is, so a client must get it right by itself.
      let link = try await visit.create("social.grain.favorite", ["l": ["$link": "x"]], key: "link")
      #expect(link.status == 200)
      let integral = try await visit.create(
        "social.grain.favorite", ["x": .number(number("3.0"))], key: "i")
      #expect(integral.status == 200)
      #expect(try await visit.read("social.grain.favorite", "i")["value"]?["x"] == 3)
    }
  }

  @Test("only Bluesky's own records are validated, and only they may be asked for (wire §11.5)")
  func validation() async throws {
    try await SandboxVisit.run { visit in
      let scopes = visit.everything
      let asked = try await visit.create("social.grain.favorite", [:], more: ["validate": true])
      #expect(asked.refusal == "400 InvalidRequest: Unknown lexicon type: social.grain.favorite")
      let unasked = try await visit.create("social.grain.favorite", [:], more: ["validate": false])
      #expect(unasked["validationStatus"] == nil)

      let post: JSONObject = ["text": "hi", "createdAt": "2024-01-01T00:00:00.000Z"]
      let good = try await visit.create("app.bsky.feed.post", .object(post), scopes: scopes)
      #expect(good["validationStatus"] == "valid")
      var long = post
      long["text"] = .string(String(repeating: "a", count: 301))
      let tooLong = try await visit.create("app.bsky.feed.post", .object(long))
      #expect(
        tooLong.refusal
          == "400 InvalidRequest: Invalid app.bsky.feed.post record: grapheme too big (maximum 300, got 301) at $.text"
      )
      var undated = post
      undated["createdAt"] = "yesterday"
      #expect(try await visit.create("app.bsky.feed.post", .object(undated)).status == 400)
      var tagged = post
      tagged["tags"] = .array(Array(repeating: "a", count: 9))
      #expect(try await visit.create("app.bsky.feed.post", .object(tagged)).status == 400)
      let unchecked = try await visit.create(
        "app.bsky.feed.post", .object(long), more: ["validate": false])
      #expect(unchecked.status == 200)
    }
  }

  @Test("a second follow of the same account replaces the first in one commit (wire §11.1)")
  func backlinks() async throws {
    try await SandboxVisit.run { visit in
      let scopes = ["atproto", "repo:*"]
      let follow: JSONValue = [
        "subject": .string(visit.bob.rawValue), "createdAt": "2024-01-01T00:00:00.000Z",
      ]
      _ = try await visit.create("app.bsky.graph.follow", follow, key: "one", scopes: scopes)
      _ = try await visit.create("app.bsky.graph.follow", follow, key: "two", scopes: scopes)
      let list = try await visit.network.records(
        of: visit.alice, in: NSID(constant: "app.bsky.graph.follow"))
      #expect(list.count == 1)
    }
  }

  private func number(_ literal: String) -> JSONNumber {
    JSONNumber(literal: literal) ?? JSONNumber(0)
  }
}

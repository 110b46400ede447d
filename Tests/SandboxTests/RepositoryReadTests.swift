import ATSyntax
import Foundation
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite struct RepositoryReadTests {
  @Test("listing goes from the newest key down and ends with an empty page (wire §10.1)")
  func listing() async throws {
    try await SandboxVisit.run { visit in
      for key in ["a", "b", "c"] {
        _ = try await visit.create("social.grain.photo", ["k": .string(key)], key: key)
      }
      func page(_ cursor: String?, reverse: Bool = false) async throws -> ([String?], String?) {
        var parameters = [
          ("repo", "alice.test"), ("collection", "social.grain.photo"), ("limit", "2"),
          ("reverse", "\(reverse)"),
        ]
        if let cursor { parameters.append(("cursor", cursor)) }
        let answer = try await visit.query("com.atproto.repo.listRecords", parameters)
        let records = try #require(answer["records"]?.arrayValue)
        return (records.map { $0["value"]?["k"]?.stringValue }, answer["cursor"]?.stringValue)
      }
      #expect(try await page(nil) == (["c", "b"], "b"))
      #expect(try await page("b") == (["a"], "a"))
      #expect(try await page("a") == ([], nil))
      #expect(try await page(nil, reverse: true) == (["a", "b"], "b"))
    }
  }

  @Test("what a query needs is refused in the reference's words (wire §10.1)")
  func parameters() async throws {
    try await SandboxVisit.run { visit in
      let missing = try await visit.query(
        "com.atproto.repo.getRecord", [("repo", "alice.test"), ("collection", "a.b.c")])
      #expect(
        missing.refusal
          == "400 InvalidRequest: Invalid com.atproto.repo.getRecord params: Missing required key \"rkey\""
      )
      let stranger = try await visit.query(
        "com.atproto.repo.listRecords", [("repo", "zoe.example.net"), ("collection", "a.b.c")])
      #expect(stranger.refusal == "400 InvalidRequest: Could not find repo: zoe.example.net")
      let foreign = try await visit.read("a.b.c", "k", of: "zoe.example.net")
      #expect(foreign.refusal == "400 InvalidRequest: Could not locate record")
      let limit = try await visit.query(
        "com.atproto.repo.listRecords",
        [("repo", "alice.test"), ("collection", "a.b.c"), ("limit", "101")])
      #expect(limit.status == 400)
    }
  }

  @Test("what a body needs is refused in the reference's words (wire §10.1)")
  func bodies() async throws {
    try await SandboxVisit.run { visit in
      let method = "com.atproto.repo.createRecord"
      let address = "\(visit.network.addresses.pds.absoluteString)/xrpc/\(method)"
      let token = TrustingVerifier.token(visit.alice, visit.everything)
      func post(_ type: String?, _ body: String) async throws -> String {
        var headers: HTTPHeaders = ["Authorization": token]
        headers["Content-Type"] = type
        return try await visit.send(
          "POST", address, headers: headers, body: .bytes(Array(body.utf8))
        ).refusal
      }
      #expect(
        try await visit.call(method, [:]).refusal
          == "400 InvalidRequest: Missing required key \"repo\" at $")
      #expect(
        try await visit.call(method, ["repo": "alice.test", "collection": "a", "record": [:]])
          .refusal
          == "400 InvalidRequest: Invalid NSID (got \"a\") at $.collection")
      #expect(
        try await visit.create("a.b.c", [:], key: "..").refusal
          == "400 InvalidRequest: Invalid record key (got \"..\") at $.rkey")
      #expect(
        try await post("application/json", "")
          == "400 InvalidRequest: A request body is expected but none was provided")
      #expect(
        try await post("text/plain", "{}")
          == "400 InvalidRequest: Wrong request encoding (Content-Type): text/plain")
      #expect(try await post("application/json", "{").hasPrefix("400 SyntaxError"))
      #expect(
        try await visit.send("GET", address).refusal
          == "400 InvalidRequest: Incorrect HTTP method (GET) expected POST")
      let path = try await visit.send("GET", "\(visit.network.addresses.pds.absoluteString)/xrpc/a")
      #expect(path.refusal == "400 InvalidRequest: invalid xrpc path")
      let session = try await visit.call("com.atproto.server.getSession", [:])
      #expect(session.refusal == "400 InvalidRequest: Incorrect HTTP method (POST) expected GET")
    }
  }

  @Test("a session says who it is; the address only with permission (wire §10.1)")
  func session() async throws {
    try await SandboxVisit.run { visit in
      let session = try await visit.query(
        "com.atproto.server.getSession", as: visit.alice, scopes: ["atproto"])
      #expect(
        session.json
          == ["did": .string(visit.alice.rawValue), "handle": "alice.test", "active": true])
      #expect(session.headers["DPoP-Nonce"] != nil)
      #expect(session.headers["Cache-Control"] == "private")
      let email = try await visit.query(
        "com.atproto.server.getSession", as: visit.alice, scopes: ["atproto", "account:email"])
      #expect(email["email"] == "alice@example.com")
      #expect(try await visit.query("com.atproto.server.getSession").status == 401)
    }
  }

  @Test("an open method answers without a nonce; some methods are closed to OAuth (wire §10.2)")
  func openAndClosed() async throws {
    try await SandboxVisit.run { visit in
      let open = try await visit.query("com.atproto.server.describeServer")
      #expect(open.headers["DPoP-Nonce"] == nil)
      #expect(open.headers["Content-Type"] == "application/json; charset=utf-8")
      let closed = try await visit.call("com.atproto.server.deactivateAccount", [:])
      #expect(
        closed.refusal == "403 Forbidden: OAuth credentials are not supported for this endpoint")
      let unknown = try await visit.query("com.atproto.repo.importRepo")
      #expect(unknown.refusal == "501 MethodNotImplemented: Method Not Implemented")
    }
  }

  @Test("a handle resolves through its own host and through any server (wire §1)")
  func handles() async throws {
    try await SandboxVisit.run { visit in
      let document = try await visit.send("GET", "https://alice.test/.well-known/atproto-did")
      #expect(document.text == visit.alice.rawValue)
      let carol = try await visit.send("GET", "https://carol.entryway.test/.well-known/atproto-did")
      #expect(carol.text == (await visit.network.account("carol.entryway.test"))?.did.rawValue)
      let nobody = try await visit.send("GET", "https://zoe.test/.well-known/atproto-did")
      #expect(nobody.status == 404)
      #expect(nobody.text == "User not found")
      let hosted = visit.network.addresses.hostedPDS.absoluteString
      #expect(try await visit.send("GET", "\(hosted)/.well-known/atproto-did").status == 404)

      func resolve(_ handle: String) async throws -> Answer {
        try await visit.query("com.atproto.identity.resolveHandle", [("handle", handle)])
      }
      #expect(try await resolve("Alice.test")["did"] == .string(visit.alice.rawValue))
      #expect(
        try await resolve("zoe.test").refusal == "400 HandleNotFound: Unable to resolve handle")
      #expect(
        try await resolve("zoe.signup.test").refusal
          == "400 HandleNotFound: Unable to resolve handle")
      #expect(
        try await resolve("zoe").refusal.hasPrefix(
          "400 InvalidRequest: Invalid com.atproto.identity.resolveHandle params: "))
      let atResolver = try await visit.query(
        "com.atproto.identity.resolveHandle", [("handle", "alice.test")],
        at: visit.network.addresses.handleResolver)
      #expect(atResolver["did"] == .string(visit.alice.rawValue))
    }
  }

  @Test("the resource document names the issuer, be it the server or its entryway (wire §3.1)")
  func resourceDocument() async throws {
    try await SandboxVisit.run { visit in
      let addresses = visit.network.addresses
      for (pds, issuer) in [
        (addresses.pds, addresses.pds), (addresses.hostedPDS, addresses.entryway),
        (addresses.signUpPDS, addresses.signUpPDS),
      ] {
        let document = try await visit.send(
          "GET", "\(pds.absoluteString)/.well-known/oauth-protected-resource")
        #expect(document["resource"] == .string(pds.absoluteString))
        #expect(document["authorization_servers"] == [.string(issuer.absoluteString)])
      }
    }
  }

  @Test("a repository's public status follows its account (wire §13)")
  func repositoryStatus() async throws {
    try await SandboxVisit.run { visit in
      let parameters = [("did", visit.alice.rawValue)]
      let active = try await visit.query("com.atproto.sync.getRepoStatus", parameters)
      #expect(active["active"] == true)
      #expect(active["rev"] != nil)
      try await visit.network.setStatus(.takendown, of: visit.alice)
      let down = try await visit.query("com.atproto.sync.getRepoStatus", parameters)
      #expect(down["active"] == false)
      #expect(down["status"] == "takendown")
      let unknown = try await visit.query(
        "com.atproto.sync.getRepoStatus", [("did", "did:plc:aaaabbbbccccddddeeeeffff")])
      #expect(unknown.status == 400)
      #expect(unknown["error"] == "RepoNotFound")
    }
  }
}

import ATSyntax
import Foundation
import GrainLexicon
import HTTPTransport
import JOSE
import Sandbox
import StrictJSON
import Testing

/// The table of wire §10.4, row by row.
@Suite struct ServiceProxyTests {
  @Test(
    "a header that names no service is refused before the token is looked at",
    arguments: [
      ("#svc", "no did specified in proxy header"),
      ("did:web:a.example", "no service id specified in proxy header"),
      ("did:web:a.example#", "no service id specified in proxy header"),
      ("did:web:a.example#b#c", "invalid proxy header format"),
      ("did:web:a.example#b c", "proxy header cannot contain spaces"),
    ])
  func malformedHeaders(header: String, message: String) async throws {
    try await SandboxVisit.run { visit in
      let answer = try await visit.query("a.b.c", as: visit.alice, proxy: header)
      #expect(answer.refusal == "400 InvalidRequest: \(message)")
      #expect(answer.headers["DPoP-Nonce"] == nil)
    }
  }

  @Test("a service that cannot be found is told apart from one that cannot be asked for")
  func resolution() async throws {
    try await SandboxVisit.run { visit in
      let own = visit.network.addresses.appViewDID
      func refusal(_ header: String) async throws -> String {
        try await visit.query("a.b.c", as: visit.alice, proxy: header).refusal
      }
      #expect(
        try await refusal("\(own)#other")
          == "400 InvalidRequest: could not resolve proxy did service url")
      #expect(
        try await refusal("did:plc:aaaabbbbccccddddeeeeffff#svc")
          == "400 InvalidRequest: could not resolve proxy did")
      #expect(try await refusal("did:key:zabc#svc").hasPrefix("500 InternalServerError"))
      #expect(try await refusal("nonsense#svc").hasPrefix("500 InternalServerError"))
      let absent = try await visit.query("a.b.c", as: visit.alice)
      #expect(absent.refusal == "400 InvalidRequest: No service configured for a.b.c")
    }
  }

  @Test(
    "the permission names method and audience; its text escapes the port only once (wire §10.4)")
  func permission() async throws {
    try await SandboxVisit.run { visit in
      let answer = try await visit.query(
        "dev.hatk.getFeed", [("feed", "recent")], as: visit.alice, scopes: ["atproto"],
        proxy: visit.proxyHeader)
      let audience = visit.proxyHeader.replacing("#", with: "%23")
      #expect(
        answer.refusal
          == "403 ScopeMissingError: Missing required scope \"rpc:dev.hatk.getFeed?aud=\(audience)\""
      )
      #expect(answer.headers["DPoP-Nonce"] != nil)
    }
  }

  @Test("no proxy carries account management; a header on the server's own method is ignored")
  func localMethods() async throws {
    try await SandboxVisit.run { visit in
      let update = try await visit.call(
        "com.atproto.identity.updateHandle", ["handle": "x.test"], proxy: visit.proxyHeader)
      #expect(update.refusal == "400 InvalidToken: Bad token method")
      let session = try await visit.query(
        "com.atproto.server.getSession", as: visit.alice, proxy: "did:web:nowhere.example#x")
      #expect(session["did"] == .string(visit.alice.rawValue))
    }
  }

  @Test("a call arrives in the account's name and its answer comes back with a nonce")
  func passedOn() async throws {
    try await SandboxVisit.run { visit in
      let answer = try await visit.proxied(MethodNames.getFeed, [("feed", "recent")])
      #expect(answer.status == 200)
      #expect(answer["items"] == [])
      #expect(answer.headers["DPoP-Nonce"] != nil)
      #expect(answer.headers["Vary"] == "Authorization")
      let path = "/xrpc/dev.hatk.getFeed"
      let seen = visit.network.requests.filter { $0.path == path }
      #expect(seen.map(\.server) == ["pds", "appView"])
    }
  }

  @Test("a service token is good for one service, one method and a minute")
  func serviceToken() async throws {
    try await SandboxVisit.run { visit in
      let answer = try await visit.query(
        "com.atproto.server.getServiceAuth",
        [("aud", visit.proxyHeader), ("lxm", "dev.hatk.getFeed")], as: visit.alice)
      let token = try CompactJWS(parsing: try #require(answer["token"]?.stringValue))
      let claims = try token.claims()
      #expect(token.header["typ"] == "JWT")
      #expect(claims["iss"] == .string(visit.alice.rawValue))
      #expect(claims["lxm"] == "dev.hatk.getFeed")
      #expect(claims["jti"]?.stringValue?.count == 32)
      let issued = try #require(claims["iat"]?.intValue)
      #expect(claims["exp"] == .number(JSONNumber(issued + 60)))

      func refusal(_ parameters: [(String, String)]) async throws -> String {
        try await visit.query("com.atproto.server.getServiceAuth", parameters, as: visit.alice)
          .refusal
      }
      let late = String(issued + 7200)
      #expect(
        try await refusal([("aud", visit.proxyHeader), ("lxm", "a.b.c"), ("exp", late)])
          .hasPrefix("400 BadExpiration"))
      #expect(
        try await refusal([("aud", visit.proxyHeader), ("exp", String(issued + 600))])
          .hasPrefix("400 BadExpiration"))
      #expect(
        try await refusal([("aud", "did:web:other.example#x"), ("lxm", "a.b.c")])
          .hasPrefix("403 ScopeMissingError"))
    }
  }

  @Test(
    "an upstream's refusal keeps its status, name and words, but no header; its 500 becomes 502",
    arguments: [
      (SandboxFault.status(500), 502), (.status(429, retryAfter: 7), 429), (.status(503), 503),
    ])
  func upstreamErrors(fault: SandboxFault, expected: Int) async throws {
    try await SandboxVisit.run { visit in
      await visit.network.faults.add(fault, on: .init(server: "appView", pathPrefix: "/xrpc/"))
      let answer = try await visit.proxied(MethodNames.getFeed, [("feed", "recent")])
      #expect(answer.status == expected)
      #expect(answer["error"] == "SandboxFault")
      #expect(answer.headers["Retry-After"] == nil)
      #expect(await visit.network.faults.remaining == 0)
    }
  }

  @Test("an upstream that cannot be reached, or answers with a page, is a 502")
  func unreachable() async throws {
    try await SandboxVisit.run { visit in
      let match = SandboxFaults.Match(server: "appView", pathPrefix: "/xrpc/")
      await visit.network.faults.add(.html502, on: match)
      let page = try await visit.proxied(MethodNames.getFeed, [("feed", "recent")])
      #expect(page.status == 502)
      #expect(page["error"] == "UpstreamFailure")
      await visit.network.faults.add(.dropBeforeProcessing, on: match, times: 5)
      let dropped = try await visit.call(
        MethodNames.indexRecords.rawValue, ["uris": []], proxy: visit.proxyHeader)
      #expect(dropped.refusal == "502 UpstreamFailure: Upstream service unreachable")
    }
  }

  @Test(
    "a service's document is fetched once an hour, and an old one outlives its server's silence")
  func documentCache() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      func fetches() -> Int {
        visit.network.requests.filter { $0.path == "/.well-known/did.json" }.count
      }
      func feed() async throws -> Int {
        try await visit.proxied(MethodNames.getFeed, [("feed", "recent")]).status
      }
      #expect(try await feed() == 200)
      #expect(try await feed() == 200)
      #expect(fetches() == 1)
      visit.network.clockOffset = 3601
      let silent = SandboxFaults.Match(server: "appView", pathPrefix: "/.well-known/")
      await visit.network.faults.add(.dropBeforeProcessing, on: silent, times: 9)
      #expect(try await feed() == 200)
      #expect(fetches() > 1)
      visit.network.clockOffset = 25 * 3600
      #expect(try await feed() == 500)
      await visit.network.faults.clear()
      #expect(try await feed() == 200)
    }
  }

  @Test("a record of somebody else's can be read through the service in the header")
  func foreignRecord() async throws {
    try await SandboxVisit.run { visit in
      let carol = try #require(await visit.network.account("carol.entryway.test"))
      let answer = try await visit.query(
        "com.atproto.repo.getRecord",
        [("repo", carol.did.rawValue), ("collection", "a.b.c"), ("rkey", "k")],
        proxy: visit.proxyHeader)
      // This AppView does not implement the method; that it answered is what counts.
      #expect(answer.refusal == "501 MethodNotImplemented: Method Not Implemented")
    }
  }
}

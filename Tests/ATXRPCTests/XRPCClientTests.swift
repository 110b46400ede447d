import ATSyntax
import ATXRPC
import Foundation
import GrainTestSupport
import HTTPTransport
import StrictJSON
import Testing

@Suite("Calling methods")
struct XRPCClientTests {
  private let getFeed: NSID
  private let getRecord: NSID
  private let createRecord: NSID

  init() throws {
    getFeed = try NSID("dev.hatk.getFeed")
    getRecord = try NSID("com.atproto.repo.getRecord")
    createRecord = try NSID("com.atproto.repo.createRecord")
  }

  @Test("parameters are encoded one by one: + as %2B, arrays by repeating the name (§6)")
  func parameters() async throws {
    let network = ScriptedHTTP(.json(#"{"ok":true}"#))
    let answer = try await Account().client(network).query(
      getFeed,
      [
        "actor": "did:plc:x", "limit": 50, "fuzzy": false, "uris": ["at://a/b", "c+d e&=ü"],
      ])
    #expect(answer == ["ok": true])
    #expect(
      network.requests[0].url.absoluteString
        == "https://pds.test/xrpc/dev.hatk.getFeed?actor=did%3Aplc%3Ax&limit=50&fuzzy=false"
        + "&uris=at%3A%2F%2Fa%2Fb&uris=c%2Bd%20e%26%3D%C3%BC")
    #expect(network.requests[0].method == "GET")
    #expect(network.requests[0].body == .none)
  }

  @Test("a parameter that is absent is not sent")
  func absent() async throws {
    let network = ScriptedHTTP(.json("{}"))
    var parameters = XRPCParameters()
    parameters.add("cursor", nil)
    _ = try await Account().client(network).query(getFeed, parameters)
    #expect(network.requests[0].url.absoluteString == "https://pds.test/xrpc/dev.hatk.getFeed")
  }

  @Test("a procedure posts JSON; one without input posts nothing, not even braces")
  func procedure() async throws {
    let network = ScriptedHTTP(.json("{}"), .status(200))
    let client = try Account().client(network)
    _ = try await client.procedure(createRecord, ["rkey": "1", "n": 1, "url": "https://a/b"])
    #expect(network.requests[0].method == "POST")
    #expect(network.requests[0].headers["Content-Type"] == "application/json")
    #expect(
      network.requests[0].body == .bytes(Array(#"{"rkey":"1","n":1,"url":"https://a/b"}"#.utf8)))
    #expect(try await client.procedure(createRecord) == [:])
    #expect(network.requests[1].body == .none)
    #expect(network.requests[1].headers["Content-Type"] == nil)
  }

  @Test(
    "every method but atproto's own is for the service behind the home server (G36, G37, G87, FB-A33)",
    arguments: [
      ("dev.hatk.getFeed", true), ("social.grain.unspecced.getGallery", true),
      ("app.bsky.feed.getTimeline", true), ("com.atproto.repo.getRecord", false),
      ("com.atproto.server.getSession", false), ("com.atproto.identity.resolveHandle", false),
      ("com.atprotox.repo.getRecord", true),
    ])
  func proxy(method: String, isProxied: Bool) async throws {
    let network = ScriptedHTTP(.json("{}"))
    _ = try await Account().client(network).query(NSID(method))
    #expect(
      network.requests[0].headers["atproto-proxy"]
        == (isProxied ? "did:web:grain.test#grain_appview" : nil))
  }

  @Test("signed-in calls go to the home server with token and proof (G33–G35, G86)")
  func signedIn() async throws {
    let network = ScriptedHTTP(.json("{}"))
    _ = try await Account().client(network).query(getFeed)
    #expect(network.requests[0].url.host() == "pds.test")
    #expect(network.tokens == ["DPoP token-number-0"])
    #expect(network.proofs == ["proof-with-nonce-none"])
  }

  @Test("signed-out calls carry no credentials and no proxy header (G42)")
  func signedOut() async throws {
    let network = ScriptedHTTP(.json("{}"))
    _ = try await XRPCClient(
      base: CallFixture.url("https://grain.test"), http: network.client,
      proxy: "did:web:grain.test#grain_appview"
    ).query(getFeed)
    #expect(network.requests[0].url.absoluteString == "https://grain.test/xrpc/dev.hatk.getFeed")
    #expect(network.requests[0].headers.fields.map(\.name) == ["Accept"])
  }

  @Test("a nonce refusal of either form is sent once more with the new nonce (G38–G40, G89)")
  func nonce() async throws {
    let body = ScriptedHTTP.Answer.json(
      #"{"error":"use_dpop_nonce"}"#, status: 400, headers: ["dpop-nonce": "n1"])
    for refusal in [CallFixture.challenge("use_dpop_nonce", nonce: "n1"), body] {
      let account = Account()
      let network = ScriptedHTTP(refusal, .json("{}", headers: ["DPoP-Nonce": "n2"]), .json("{}"))
      let client = try account.client(network)
      _ = try await client.procedure(createRecord, ["a": 1])
      _ = try await client.query(getFeed)
      #expect(
        network.proofs == ["proof-with-nonce-none", "proof-with-nonce-n1", "proof-with-nonce-n2"])
      #expect(network.requests[0].body == network.requests[1].body)
      #expect(account.refreshes == 0)
    }
  }

  @Test("a second nonce refusal, or one without a new nonce, is reported (G40)")
  func nonceLoop() async throws {
    for (second, requests) in [("n2", 2), (nil, 2)] {
      let network = ScriptedHTTP(
        CallFixture.challenge("use_dpop_nonce", nonce: "n1"),
        CallFixture.challenge("use_dpop_nonce", nonce: second))
      await #expect(
        throws: XRPCError.proofRefused(.init(status: 401, error: "use_dpop_nonce", message: "x"))
      ) { try await Account().client(network).query(getFeed) }
      #expect(network.requests.count == requests)
    }
  }

  @Test("the nonce that was just refused is no reason to send again")
  func sameNonce() async throws {
    let network = ScriptedHTTP(
      .json("{}", headers: ["DPoP-Nonce": "n1"]),
      CallFixture.challenge("use_dpop_nonce", nonce: "n1"))
    let client = try Account().client(network)
    _ = try await client.query(getFeed)
    await #expect(throws: XRPCError.self) { try await client.query(getFeed) }
    #expect(network.requests.count == 2)
  }

  @Test(
    "an expired token is refreshed once and the call repeated, in both forms (G41, G90, FB-A31)")
  func expired() async throws {
    for refusal in [
      CallFixture.challenge("invalid_token", nonce: "n1"),
      .json(#"{"error":"ExpiredToken"}"#, status: 400),
      .json(#"{"error":"AuthMissing"}"#, status: 401),
    ] {
      let account = Account()
      let network = ScriptedHTTP(refusal, .json("{}"))
      _ = try await account.client(network).query(getFeed)
      #expect(network.tokens == ["DPoP token-number-0", "DPoP token-number-1"])
      #expect(account.refreshes == 1)
    }
  }

  @Test("nonce, refresh, nonce: the last request has the new token and the newest nonce (FB-A7)")
  func longest() async throws {
    let account = Account()
    let network = ScriptedHTTP(
      CallFixture.challenge("use_dpop_nonce", nonce: "n1"), CallFixture.challenge("invalid_token"),
      CallFixture.challenge("use_dpop_nonce", nonce: "n2"), .json("{}"))
    _ = try await account.client(network).query(getFeed)
    #expect(network.tokens.last == "DPoP token-number-1")
    #expect(network.proofs.last == "proof-with-nonce-n2")
    #expect(account.refreshes == 1)
  }

  @Test("a token refused right after a refresh ends the call, not the session (FB-A31, check 50)")
  func refusedAgain() async throws {
    let account = Account()
    let network = ScriptedHTTP(
      CallFixture.challenge("invalid_token"), CallFixture.challenge("invalid_token"))
    await #expect(
      throws: XRPCError.unauthorized(.init(status: 401, error: "invalid_token", message: "x"))
    ) { try await account.client(network).query(getFeed) }
    #expect(account.refreshes == 1)
  }

  @Test("a call signed before somebody else's refresh is only sent again (check 43)")
  func joined() async throws {
    let account = Account()
    let network = ScriptedHTTP(
      ScriptedHTTP.Answer { request throws(HTTPError) in
        account.rotate()
        return try await ScriptedHTTP(CallFixture.challenge("invalid_token")).client.send(request)
      }, .json("{}"))
    _ = try await account.client(network).query(getFeed)
    #expect(account.refreshes == 0)
    #expect(network.tokens == ["DPoP token-number-0", "DPoP token-number-1"])
  }

  @Test("a refused proof is sent once more by the server's clock, and never refreshes (G41, FB-A9)")
  func proof() async throws {
    let account = Account()
    let network = ScriptedHTTP(CallFixture.challenge("invalid_dpop_proof"), .json("{}"))
    _ = try await account.client(network).query(getFeed)
    #expect(account.clockCorrections == 1)
    #expect(account.refreshes == 0)

    let stubborn = ScriptedHTTP(
      CallFixture.challenge("invalid_dpop_proof"),
      .json(#"{"error":"invalid_dpop_proof","message":"DPoP htu mismatch"}"#, status: 401))
    await #expect(
      throws: XRPCError.proofRefused(
        .init(status: 401, error: "invalid_dpop_proof", message: "DPoP htu mismatch"))
    ) { try await account.client(stubborn).query(getFeed) }
    #expect(account.refreshes == 0)
  }

  @Test("a refresh that fails is the call's failure")
  func refreshFails() async throws {
    let failure = XRPCError.sessionEnded(error: "invalid_grant", description: nil)
    let network = ScriptedHTTP(CallFixture.challenge("invalid_token"))
    await #expect(throws: failure) {
      try await Account(refreshFailure: failure).client(network).query(getFeed)
    }
    #expect(network.requests.count == 1)
  }

  @Test("uploads stream a file with its type in lower case, and report how far they are (G45)")
  func upload() async throws {
    let blob = #"{"$type":"blob","ref":{"$link":"bafk"},"mimeType":"image/jpeg","size":3}"#
    let network = ScriptedHTTP(
      CallFixture.challenge("use_dpop_nonce", nonce: "n1"), .json(#"{"blob":\#(blob)}"#))
    let progress = Recorder<Int64>()
    let http = HTTPClient { request, report throws(HTTPError) in
      report?(3)
      return try await network.client.send(request)
    }
    let client = XRPCClient(
      base: try CallFixture.url("https://pds.test"), http: http,
      authorization: Account().authorization, proxy: "did:web:grain.test#grain_appview")
    let answer = try await client.uploadBlob(
      file: "/tmp/p.jpg", contentType: "image/JPEG", progress: { progress.record($0) })
    #expect(answer["size"] == 3)
    #expect(progress.values == [3, 3])
    for request in network.requests {
      #expect(request.url.absoluteString == "https://pds.test/xrpc/com.atproto.repo.uploadBlob")
      #expect(request.body == .file(path: "/tmp/p.jpg"))
      #expect(request.headers["Content-Type"] == "image/jpeg")
      #expect(request.headers["atproto-proxy"] == nil)
      #expect(request.deadline == .seconds(120))
    }
  }

  @Test("an upload's answer without a blob is no success")
  func uploadAnswer() async throws {
    for body in ["{}", #"{"blob":{"cid":"x","mimeType":"image/png"}}"#] {
      await #expect(throws: XRPCError.decoding("blob")) {
        try await Account().client(ScriptedHTTP(.json(body))).uploadBlob(
          file: "/tmp/p", contentType: "image/png")
      }
    }
  }
}

import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import JOSE
import OpenSSLCrypto
import StrictJSON
import Testing

@testable import Sandbox

@Suite("Pushed authorization requests")
struct PushedRequestTests {
  private let rig: AuthorizationRig

  init() throws { rig = try AuthorizationRig() }

  private func outcome(_ changes: [String: String?]) async throws -> String {
    try await rig.signedPost("/oauth/par", AuthorizationRig.pushFields(changes)).outcome
  }

  @Test("a good request is kept for five minutes, and its answer is as the reference server's")
  func accepted() async throws {
    let response = try await rig.signedPost("/oauth/par", AuthorizationRig.pushFields())
    #expect(response.status == 201)
    let uri = try response.json["request_uri"]?.stringValue ?? ""
    #expect(
      uri.wholeMatch(of: /urn:ietf:params:oauth:request_uri:req-[0-9a-f]{32}/) != nil)
    #expect(try response.json["expires_in"]?.intValue == 300)
    #expect(response.headers["Content-Type"] == "application/json")
    #expect(response.headers["Cache-Control"] == "no-store")
    #expect(response.headers["Pragma"] == "no-cache")
    #expect(response.headers["DPoP-Nonce"]?.utf8.count == 43)
    #expect(response.headers["Access-Control-Allow-Origin"] == "*")
    #expect(response.headers["Access-Control-Expose-Headers"] == "DPoP-Nonce")
  }

  @Test("a proof without a nonce is challenged with 400, and the handed-out nonce is good (FB-A1)")
  func nonceChallenge() async throws {
    let url = AuthorizationRig.issuer + "/oauth/par"
    let proof = try rig.proof("POST", url, nonce: nil)
    let response = try await rig.post("/oauth/par", AuthorizationRig.pushFields(), proof: proof)
    #expect(
      response.outcome
        == "400 use_dpop_nonce: Authorization server requires nonce in DPoP proof")
    #expect(response.headers["WWW-Authenticate"] == nil)
    let again = try rig.proof("POST", url, nonce: response.headers["DPoP-Nonce"])
    let second = try await rig.post("/oauth/par", AuthorizationRig.pushFields(), proof: again)
    #expect(second.status == 201)
  }

  @Test("a broken proof is 401 here too, its text left out of the challenge where it has quotes")
  func brokenProof() async throws {
    let url = AuthorizationRig.issuer + "/oauth/token"
    let nonce = try await rig.currentNonce()
    let proof = try rig.proof("POST", url, nonce: nonce)
    let response = try await rig.post("/oauth/par", AuthorizationRig.pushFields(), proof: proof)
    #expect(response.outcome == "401 invalid_dpop_proof: DPoP \"htu\" mismatch")
    #expect(
      response.headers["WWW-Authenticate"] == "DPoP algs=\"ES256\", error=\"invalid_dpop_proof\"")
    #expect(
      response.headers["Access-Control-Expose-Headers"] == "DPoP-Nonce, WWW-Authenticate")
    let good = try rig.proof("POST", AuthorizationRig.issuer + "/oauth/par", nonce: nonce)
    _ = try await rig.post("/oauth/par", AuthorizationRig.pushFields(), proof: good)
    let replayed = try await rig.post("/oauth/par", AuthorizationRig.pushFields(), proof: good)
    #expect(
      replayed.headers["WWW-Authenticate"]
        == #"DPoP algs="ES256", error="invalid_dpop_proof", "#
        + #"error_description="DPoP proof replayed""#)
  }

  @Test("no proof is fine at this endpoint; the key is bound later")
  func withoutProof() async throws {
    let response = try await rig.post("/oauth/par", AuthorizationRig.pushFields())
    #expect(response.status == 201)
  }

  /// What one changed field leads to.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let changes: [String: String?]
    let outcome: String
    var testDescription: String { outcome }
  }

  static let refusals = [
    Refusal(
      changes: ["client_id": nil],
      outcome: "400 invalid_client: Invalid client credentials: Required at body.client_id"),
    Refusal(
      changes: ["response_type": nil],
      outcome: "400 invalid_request: Invalid authorization request: Required at body.response_type"),
    Refusal(
      changes: ["response_type": "cod"],
      outcome: "400 invalid_request: Invalid authorization request: "
        + "Invalid enum value (received \"cod\") at body.response_type"),
    Refusal(
      changes: ["response_type": "token"],
      outcome: "400 unsupported_response_type: Unsupported response_type \"token\""),
    Refusal(
      changes: ["nonce": "n"],
      outcome: "400 invalid_request: Unsupported \"nonce\" parameter"),
    Refusal(
      changes: ["claims": "{}"],
      outcome: "400 invalid_request: Unsupported \"claims\" parameter"),
    Refusal(
      changes: ["scope": "atproto repo:q.w.e"],
      outcome: "400 invalid_scope: Scope \"repo:q.w.e\" is not declared in the client metadata"),
    Refusal(
      changes: ["scope": "repo:social.grain.photo"],
      outcome: "400 invalid_scope: The \"atproto\" scope is required"),
    Refusal(
      changes: ["scope": "atproto  x:y"],
      outcome: "400 invalid_request: Invalid authorization request: Invalid scope at body.scope"),
    Refusal(
      changes: ["scope": nil],
      outcome: "400 invalid_scope: The \"atproto\" scope is required"),
    Refusal(
      changes: ["scope": "atproto include:dev.grain.authFull?aud=did:web:api.x.dev%23svc"],
      outcome: "400 invalid_scope: Failed to resolve lexicon (dev.grain.authFull)"),
    Refusal(
      changes: ["redirect_uri": nil],
      outcome: "400 invalid_request: redirect_uri is required"),
    Refusal(
      changes: ["redirect_uri": "http://127.0.0.1:9999/other"],
      outcome: "400 invalid_request: Invalid redirect_uri http://127.0.0.1:9999/other"),
    Refusal(
      changes: ["redirect_uri": "dev.sandbox-host.app://callback"],
      outcome: "400 invalid_request: Invalid authorization request: Private-Use URI Scheme must be "
        + "in the form dev.sandbox-host.app:/<path> at body.redirect_uri"),
    Refusal(
      changes: ["code_challenge": nil, "code_challenge_method": nil],
      outcome: "400 invalid_request: Use of PKCE is required"),
    Refusal(
      changes: ["code_challenge": nil],
      outcome: "400 invalid_request: "
        + "code_challenge is required when code_challenge_method is provided"),
    Refusal(
      changes: ["code_challenge_method": "plain"],
      outcome: "400 invalid_request: atproto requires use of \"S256\" code_challenge_method"),
    Refusal(
      changes: ["code_challenge_method": nil],
      outcome: "400 invalid_request: atproto requires use of \"S256\" code_challenge_method"),
    Refusal(
      changes: ["prompt": "none"],
      outcome: "400 invalid_request: Public clients are not allowed to use silent-sign-on"),
    Refusal(
      changes: ["prompt": "now"],
      outcome: "400 invalid_request: Invalid authorization request: "
        + "Invalid enum value (received \"now\") at body.prompt"),
    Refusal(
      changes: ["login_hint": "alice"],
      outcome: "400 invalid_request: Invalid login_hint \"alice\""),
    Refusal(
      changes: ["login_hint": "DID:key:zQ3"],
      outcome: "400 invalid_request: Invalid login_hint \"did:key:zq3\""),
    Refusal(
      changes: ["login_hint": ""],
      outcome: "400 invalid_request: Invalid authorization request: "
        + "String must contain at least 1 character(s) at body.login_hint"),
    Refusal(
      changes: ["dpop_jkt": "other"],
      outcome: "401 invalid_token: Invalid DPoP key binding"),
    Refusal(
      changes: ["client_id": "https://app.sandbox-host.dev/other.json"],
      outcome: "400 invalid_client_metadata: Unable to obtain client metadata for "
        + "\"https://app.sandbox-host.dev/other.json\": Unexpected status code 404"),
    Refusal(
      changes: ["client_id": "grain"],
      outcome: "400 invalid_client_metadata: Invalid client ID \"grain\""),
  ]

  @Test("each fault of a request is refused in the reference server's words", arguments: refusals)
  func refused(refusal: Refusal) async throws {
    #expect(try await outcome(refusal.changes) == refusal.outcome)
  }

  @Test("malformed fields are reported before the nonce, the nonce before the client (wire §5.1)")
  func order() async throws {
    let url = AuthorizationRig.issuer + "/oauth/par"
    func without(_ changes: [String: String?]) async throws -> String {
      let proof = try rig.proof("POST", url, nonce: nil)
      return try await rig.post(
        "/oauth/par", AuthorizationRig.pushFields(changes), proof: proof
      ).outcome
    }
    let unknown = "https://app.sandbox-host.dev/other.json"
    #expect(try await without(["prompt": "x", "client_id": unknown]).contains("body.prompt"))
    #expect(try await without(["client_id": unknown]).contains("use_dpop_nonce"))
    #expect(try await without(["nonce": "n"]).contains("use_dpop_nonce"))
    let both = try await outcome(["nonce": "n", "scope": "atproto repo:q.w.e"])
    #expect(both.contains("Unsupported"))
    #expect(rig.documents.requests.count == 1)
  }

  @Test("an item the server cannot parse is dropped in silence, a doubled one kept once")
  func dropped() async throws {
    let scope = "atproto x:y repo:social.grain.photo atproto"
    let tokens = try await rig.signedPost(
      "/oauth/token", AuthorizationRig.codeFields(rig.code(["scope": scope])))
    #expect(try Tokens(tokens).scope == "atproto repo:social.grain.photo")
  }

  @Test("an item with a broken escape is a server error (wire §12.2)")
  func undecodable() async throws {
    let rig = try AuthorizationRig { $0["scope"] = "atproto repo:%zz" }
    let response = try await rig.signedPost(
      "/oauth/par", AuthorizationRig.pushFields(["scope": "atproto repo:%zz"]))
    #expect(response.outcome == "500 server_error: Server error")
  }

  @Test("a repeated field keeps its last value, an unknown one is ignored")
  func repeated() async throws {
    let fields = [("response_type", "token")] + AuthorizationRig.pushFields() + [("a", "b")]
    #expect(try await rig.signedPost("/oauth/par", fields).status == 201)
  }

  @Test("a JSON body is taken as well")
  func json() async throws {
    let members = AuthorizationRig.pushFields().map { ($0.0, JSONValue.string($0.1)) }
    let body = JSONValue.object(JSONObject(members)).serialized()
    let response = try await rig.send(
      "POST", "/oauth/par", headers: ["Content-Type": "application/json; charset=UTF-8"],
      body: body)
    #expect(response.status == 201)
    let broken = try await rig.send(
      "POST", "/oauth/par", headers: ["Content-Type": "application/json"], body: [0x7B])
    #expect(broken.outcome == "400 invalid_request: Invalid JSON")
  }

  @Test(
    "other types, charsets and encodings are 415",
    arguments: [
      (["Content-Type": "text/plain"], "Unsupported content-type: text/plain"),
      ([:], "Unsupported content-type: application/octet-stream"),
      (
        ["Content-Type": "application/x-www-form-urlencoded; charset=latin1"],
        "Unsupported charset: latin1"
      ),
      (
        ["Content-Type": "application/json", "Content-Encoding": "gzip"],
        "Unsupported content-encoding: gzip"
      ),
    ] as [(HTTPHeaders, String)])
  func media(headers: HTTPHeaders, text: String) async throws {
    let response = try await rig.send("POST", "/oauth/par", headers: headers)
    #expect(response.outcome == "415 invalid_request: \(text)")
    #expect(response.headers["DPoP-Nonce"] != nil)
  }

  @Test("methods and Accept are answered as the reference server's router does")
  func routing() async throws {
    #expect(try await rig.send("GET", "/oauth/par").status == 405)
    #expect(try await rig.send("GET", "/oauth/par").body.isEmpty)
    let token = try await rig.send("GET", "/oauth/token")
    #expect(token.status == 404)
    #expect(token.text.contains("Cannot GET /oauth/token"))
    #expect(token.headers["DPoP-Nonce"] == nil)
    #expect(try await rig.send("GET", "/oauth/revoke").status == 404)
    for path in ["par", "token", "revoke", "jwks"] {
      #expect(try await rig.send("OPTIONS", "/oauth/\(path)").status == 200)
    }
    let picky = try await rig.send("POST", "/oauth/par", headers: ["Accept": "text/html"])
    #expect(picky.outcome == "406 NotAcceptableError: Unsupported accept header")
    #expect(picky.headers["DPoP-Nonce"] == nil)
    let open = try await rig.send(
      "POST", "/oauth/par", headers: ["Accept": "text/html, */*;q=0.1"])
    #expect(open.status == 415)
    let foreign = await rig.server.handle(.test("GET", "/xrpc/a.b.c"))
    #expect(foreign.map(\.status) == nil)
  }

  @Test("a development client needs no document and only loopback redirects (G97)")
  func developmentClient() async throws {
    let id = "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcb&scope=atproto"
    let good: [String: String?] = [
      "client_id": id, "redirect_uri": "http://127.0.0.1:54321/cb", "scope": "atproto",
    ]
    #expect(try await outcome(good) == "201")
    #expect(rig.documents.requests.isEmpty)
    for (id, text) in [
      ("http://localhost:80", "Invalid client ID \"http://localhost:80\""),
      ("http://localhost/x", "Invalid loopback client ID: Value must not contain a path"),
      ("http://localhost?a=b", "Invalid loopback client ID: Unexpected query parameter \"a\""),
      (
        "http://localhost?scope=atproto&scope=atproto",
        "Invalid loopback client ID: Duplicate scope parameter"
      ),
      ("http://localhost?scope=x:y", "Missing \"atproto\" scope"),
      (
        "http://localhost?redirect_uri=social.grain:/cb",
        "Loopback clients must use loopback redirect URIs"
      ),
    ] {
      let text = "400 invalid_client_metadata: \(text)"
      #expect(try await outcome(good.merging(["client_id": id]) { $1 }) == text)
    }
    for id in ["http://localhost", "http://localhost/", "http://localhost?"] {
      let changes: [String: String?] = [
        "client_id": id, "redirect_uri": "http://[::1]:8080/", "scope": "atproto",
      ]
      #expect(try await outcome(changes) == "201", "\(id)")
    }
  }
}

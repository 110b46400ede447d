import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import JOSE
import OpenSSLCrypto
import StrictJSON
import Testing

@testable import Sandbox

@Suite("Clients that can keep a secret")
struct ConfidentialClientTests {
  private let clientKey = P256PrivateKey.generate()
  private let rig: AuthorizationRig

  init() throws {
    let key = clientKey.publicKey
    rig = try AuthorizationRig { Self.makeConfidential(&$0, key) }
  }

  private static func makeConfidential(_ document: inout JSONObject, _ key: P256PublicKey) {
    var jwk = JWK(key).json
    jwk["kid"] = "one"
    document["application_type"] = "web"
    document["redirect_uris"] = ["https://app.sandbox-host.dev/cb"]
    document["token_endpoint_auth_method"] = "private_key_jwt"
    document["token_endpoint_auth_signing_alg"] = "ES256"
    document["jwks"] = ["keys": [["kty": "RSA", "kid": "two"], .object(jwk)]]
  }

  private func assertion(
    key: P256PrivateKey? = nil, change: (inout AuthorizationRig.ProofParts) -> Void = { _ in }
  ) throws -> [(String, String)] {
    let seconds = Int(rig.clock.now.timeIntervalSince1970)
    var parts = AuthorizationRig.ProofParts(
      header: ["alg": "ES256", "kid": "one"],
      claims: [
        "iss": .string(AuthorizationRig.clientID), "sub": .string(AuthorizationRig.clientID),
        "aud": .string(AuthorizationRig.issuer), "jti": .string(UUID().uuidString),
        "iat": .number(JSONNumber(seconds)), "exp": .number(JSONNumber(seconds + 60)),
      ])
    change(&parts)
    let text = try CompactJWS.sign(
      header: parts.header, claims: parts.claims, key: key ?? clientKey)
    return [
      ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
      ("client_assertion", text),
    ]
  }

  private static let pushed: [String: String?] = [
    "redirect_uri": "https://app.sandbox-host.dev/cb"
  ]

  private func push(_ assertion: [(String, String)]) async throws -> HTTPServerResponse {
    try await rig.signedPost(
      "/oauth/par", AuthorizationRig.pushFields(Self.pushed) + assertion)
  }

  @Test("such a client signs every request to the endpoints, and its session lives for two years")
  func session() async throws {
    let response = try await push(assertion())
    let uri = try #require(try response.json["request_uri"]?.stringValue)
    let callback = try await rig.visitor().approve(
      authorizationURL: rig.address(requestURI: uri), handle: "alice.test", password: "sandbox")
    let code = try #require(callback.field("code"))
    var tokens = try Tokens(
      await rig.signedPost(
        "/oauth/token", AuthorizationRig.codeFields(code, Self.pushed) + assertion()))
    for _ in 0..<8 {
      await rig.clock.advance(by: .seconds(89 * 24 * 3600))
      rig.forgetNonce()
      let fields = [
        ("grant_type", "refresh_token"), ("client_id", AuthorizationRig.clientID),
        ("refresh_token", tokens.refresh),
      ]
      tokens = try Tokens(await rig.signedPost("/oauth/token", fields + assertion()))
    }
    _ = try await rig.signedPost(
      "/oauth/revoke",
      [("client_id", AuthorizationRig.clientID), ("token", tokens.refresh)] + assertion())
    #expect(try await rig.access(tokens.access).outcome == "401 invalid_token: Invalid token")
  }

  @Test("without a good assertion it is not itself")
  func refused() async throws {
    let prefix = "400 invalid_client: Validation of \"client_assertion\" failed: "
    #expect(
      try await push([]).outcome == "400 invalid_request: client authentication method "
        + "\"private_key_jwt\" required a \"client_assertion\"")
    #expect(
      try await push([("client_assertion", "x"), ("client_assertion_type", "y")]).outcome
        == "400 invalid_client: Unsupported client_assertion_type \"y\"")
    #expect(
      try await push(assertion { $0.header["kid"] = nil }).outcome
        == "400 invalid_client: \"kid\" required in client_assertion")
    #expect(
      try await push(assertion { $0.header["kid"] = "two" }).outcome
        == prefix + "no applicable key found in the JSON Web Key Set")
    #expect(
      try await push(assertion(key: P256PrivateKey.generate())).outcome
        == prefix + "signature verification failed")
    for name in ["iss", "sub", "aud"] {
      #expect(
        try await push(assertion { $0.claims[name] = "x" }).outcome
          == prefix + "unexpected \"\(name)\" claim value")
    }
    #expect(
      try await push(assertion { $0.claims["iat"] = 1 }).outcome
        == prefix + "\"iat\" claim timestamp check failed (too far in the past)")
    #expect(
      try await push(assertion { $0.claims["jti"] = nil }).outcome
        == prefix + "missing required \"jti\" claim")
    let once = try assertion()
    #expect(try await push(once).status == 201)
    #expect(try await push(once).outcome == "400 invalid_grant: private_key_jwt jti reused")
  }

  @Test("its own key must not sign proofs as well")
  func sameKey() async throws {
    let response = try await rig.signedPost(
      "/oauth/par", AuthorizationRig.pushFields(Self.pushed) + assertion(), key: clientKey)
    #expect(
      response.outcome == "400 invalid_request: "
        + "The DPoP proof must be signed with a different key than the client assertion")
  }

  @Test("prompt=none is answered without a page: somebody has to be asked")
  func silent() async throws {
    let changes = Self.pushed.merging(["prompt": "none"]) { $1 }
    let response = try await rig.signedPost(
      "/oauth/par", AuthorizationRig.pushFields(changes) + assertion())
    let uri = try #require(try response.json["request_uri"]?.stringValue)
    let callback = try await rig.visitor().approve(
      authorizationURL: rig.address(requestURI: uri), handle: "alice.test", password: "sandbox")
    #expect(callback.field("error") == "login_required")
  }

  @Test("its document must name its keys, and a native client has none")
  func document() async throws {
    func outcome(_ change: (inout JSONObject) -> Void) throws -> String {
      var document = AuthorizationRig.clientDocument
      Self.makeConfidential(&document, clientKey.publicKey)
      change(&document)
      do {
        _ = try ClientDocument(document, clientID: AuthorizationRig.clientID)
        return "taken"
      } catch {
        return error.description
      }
    }
    #expect(try outcome { _ in } == "taken")
    #expect(
      try outcome { $0["jwks"] = nil }
        == "private_key_jwt auth method requires jwks or jwks_uri")
    #expect(
      try outcome { $0["jwks_uri"] = "https://x.dev" }
        == "jwks_uri and jwks are mutually exclusive")
    #expect(
      try outcome { $0["token_endpoint_auth_signing_alg"] = nil }
        == "Missing token_endpoint_auth_signing_alg client metadata")
    #expect(
      try outcome { $0["application_type"] = "native" }
        == "Native clients must authenticate using \"none\" method")
    #expect(
      try outcome { $0["token_endpoint_auth_method"] = "client_secret_basic" }.hasPrefix(
        "client_secret_basic is not a supported"))
  }

  @Test("keys kept at an address of their own are fetched from there")
  func keySet() async throws {
    var document = AuthorizationRig.clientDocument
    Self.makeConfidential(&document, clientKey.publicKey)
    let keys = try #require(document["jwks"]).text()
    document["jwks"] = nil
    document["jwks_uri"] = "https://app.sandbox-host.dev/keys.json"
    let http = ScriptedHTTP(.json(JSONValue.object(document).text()), .json(keys))
    let client = try await ClientDirectory(http: http.client, clock: rig.clock.clock).client(
      AuthorizationRig.clientID)
    #expect(client.keys.keys.sorted() == ["one"])
    #expect(http.requests.last?.url.path() == "/keys.json")
  }
}

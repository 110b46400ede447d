import ATIdentity
import ATOAuth
import ATSyntax
import Foundation
import GrainTestSupport
import HTTPTransport
import JOSE
import OAuth
import OpenSSLCrypto
import StrictJSON
import SystemClients

/// Alice at her home server `pds.test`, whose authorization server is `as.test`, on a scripted network.
///
/// Each address has a script of its own, see `AddressedHTTP`.
final class World: Sendable {
  static let alice = "did:plc:aaaabbbbccccddddeeeeffff"
  static let mallory = "did:plc:mmmmbbbbccccddddeeeeffff"
  static let scope = "atproto repo:social.grain.photo rpc:*?aud=did:web:grain.test%23grain_appview"

  let clock = TestClock()
  private let network = AddressedHTTP()

  init() {
    answer("alice.test/.well-known/atproto-did", .text(Self.alice))
    answer("plc.test/\(Self.alice)", .didDocument())
    answer("pds.test/.well-known/oauth-protected-resource", .protectedResource())
    answer("as.test/.well-known/oauth-authorization-server", .authorizationServer())
    answer(
      "as.test/oauth/par",
      .json(
        #"{"error":"use_dpop_nonce"}"#, status: 400, headers: ["DPoP-Nonce": "as-1"]),
      .json(
        #"{"request_uri":"urn:req-1","expires_in":299}"#, status: 201,
        headers: ["DPoP-Nonce": "as-2"]))
    answer("as.test/oauth/token", Self.tokens())
    answer("as.test/oauth/revoke", .json("{}"))
  }

  /// Replaces what an address answers.
  func answer(_ address: String, _ list: ScriptedHTTP.Answer...) {
    network.answer(address, list)
  }

  /// All requests so far.
  var requests: [HTTPRequest] { network.requests }

  /// The addresses asked so far.
  var addresses: [String] { network.addresses }

  /// The requests an address got.
  func requests(to address: String) -> [HTTPRequest] { network.requests(to: address) }

  var http: HTTPClient { network.client }

  var environment: DPoPEnvironment {
    DPoPEnvironment(nonces: nonces, clock: clock.clock, random: .live)
  }

  let nonces = NonceStore()
}

extension World {
  static func tokens(
    _ name: String = "1", subject: String? = alice, scope: String? = World.scope,
    refresh: Bool = true
  ) -> ScriptedHTTP.Answer {
    var body: JSONObject = [
      "access_token": .string("access-token-\(name)"), "token_type": "DPoP", "expires_in": 3600,
    ]
    if refresh { body["refresh_token"] = .string("refresh-token-\(name)") }
    body["sub"] = subject.map(JSONValue.string)
    body["scope"] = scope.map(JSONValue.string)
    return .json(JSONValue.object(body).text(), headers: ["DPoP-Nonce": "as-3"])
  }

  func resolver() throws -> IdentityResolver {
    IdentityResolver(
      configuration: IdentityConfiguration(
        plcDirectory: try Self.url("https://plc.test"),
        handleResolver: try Self.url("https://resolver.test"), allowTestHandles: true),
      http: http, clock: clock.clock)
  }

  func flow(
    client: ATOAuthConfiguration.Client = .document("https://grain.test/oauth/client.json")
  ) throws -> AuthorizationFlow {
    AuthorizationFlow(
      configuration: ATOAuthConfiguration(
        client: client, redirectURI: "test.grain:/oauth/callback", scope: Self.scope,
        signUpPDS: try Self.url("https://signup.test")),
      identities: try resolver(), http: http, environment: environment)
  }

  /// A grant of Alice's whose token ends in so many seconds.
  func grant(endsIn seconds: TimeInterval = 3600) throws -> Grant {
    Grant(
      did: try DID(Self.alice), handle: try Handle("alice.test"),
      pds: try Self.url("https://pds.test"), issuer: try Issuer("https://as.test"),
      tokenEndpoint: try Self.url("https://as.test/oauth/token"),
      revocationEndpoint: try Self.url("https://as.test/oauth/revoke"),
      clientID: "https://grain.test/oauth/client.json",
      tokens: TokenSet(
        accessToken: Secret(text: "access-token-0"), refreshToken: Secret(text: "refresh-token-0"),
        expiresAt: clock.now.addingTimeInterval(seconds), scope: Self.scope),
      dpopKey: .generate())
  }

  static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    return url
  }

  /// The fields of a request's form.
  static func form(_ request: HTTPRequest) -> [String: String] {
    guard case .bytes(let body) = request.body, let pairs = FormURLEncoding.decode(body) else {
      return [:]
    }
    return Dictionary(pairs) { _, last in last }
  }

  /// The claims of a request's proof, and the thumbprint of its key.
  static func proof(_ request: HTTPRequest) throws -> (claims: JSONObject, thumbprint: String) {
    let proof = try CompactJWS(parsing: request.headers["DPoP"] ?? "")
    let jwk = try JWK(json: proof.header["jwk"] ?? .null)
    guard proof.isSigned(by: jwk.publicKey) else { throw CryptoError.authenticationFailed }
    return (try proof.claims(), jwk.thumbprint)
  }
}

/// The answers of Alice's own servers, unless a test wants others.
extension ScriptedHTTP.Answer {
  static func didDocument(
    handle: String = "alice.test", pds: String = "https://pds.test"
  ) -> ScriptedHTTP.Answer {
    .didDocument(World.alice, handle: handle, pds: pds)
  }

  static func protectedResource(_ origin: String = "https://pds.test") -> ScriptedHTTP.Answer {
    .protectedResource(origin, server: "https://as.test/")
  }

  static func protectedResource(server: String) -> ScriptedHTTP.Answer {
    .protectedResource("https://pds.test", server: server)
  }

  static func authorizationServer(
    _ issuer: String = "https://as.test"
  ) -> ScriptedHTTP.Answer {
    .authorizationServer(issuer, extra: "")
  }

  static func authorizationServer(extra: String) -> ScriptedHTTP.Answer {
    .authorizationServer("https://as.test", extra: extra)
  }
}

extension StartedAuthorization {
  /// The callback a server would send the browser to.
  func callback(
    state: String? = nil, issuer: String? = "https://as.test", outcome: String = "code=cod-1"
  ) -> String {
    let state = state ?? attempt.state.revealText()
    let issuer = issuer.map { "&iss=\(FormURLEncoding.percentEncoded($0))" } ?? ""
    return "\(attempt.client.redirectURI)?state=\(state)\(issuer)&\(outcome)"
  }
}

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
    answer("alice.test/.well-known/atproto-did", Self.text(Self.alice))
    answer("plc.test/\(Self.alice)", Self.document())
    answer("pds.test/.well-known/oauth-protected-resource", Self.resource())
    answer("as.test/.well-known/oauth-authorization-server", Self.server())
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
  static func text(_ body: String) -> ScriptedHTTP.Answer {
    .response(
      HTTPResponse(
        status: 200, headers: ["Content-Type": "text/plain"], body: Array(body.utf8)))
  }

  static func document(
    _ did: String = alice, handle: String = "alice.test", pds: String = "https://pds.test"
  ) -> ScriptedHTTP.Answer {
    .json(
      """
      {"id":"\(did)","alsoKnownAs":["at://\(handle)"],"service":[{"id":"#atproto_pds",
      "type":"AtprotoPersonalDataServer","serviceEndpoint":"\(pds)"}]}
      """)
  }

  static func resource(
    _ origin: String = "https://pds.test", server: String = "https://as.test/"
  ) -> ScriptedHTTP.Answer {
    .json(#"{"resource":"\#(origin)","authorization_servers":["\#(server)"]}"#)
  }

  static func server(
    _ issuer: String = "https://as.test", extra: String = ""
  ) -> ScriptedHTTP.Answer {
    .json(
      """
      {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/oauth/authorize",
      "token_endpoint":"\(issuer)/oauth/token",\(extra)
      "pushed_authorization_request_endpoint":"\(issuer)/oauth/par",
      "revocation_endpoint":"\(issuer)/oauth/revoke","scopes_supported":["atproto"],
      "require_pushed_authorization_requests":true,
      "authorization_response_iss_parameter_supported":true,
      "client_id_metadata_document_supported":true,"response_types_supported":["code"],
      "grant_types_supported":["authorization_code","refresh_token"],
      "code_challenge_methods_supported":["S256"],
      "token_endpoint_auth_methods_supported":["none"],
      "dpop_signing_alg_values_supported":["ES256"]}
      """)
  }

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

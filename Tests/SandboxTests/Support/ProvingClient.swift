import ATSyntax
import Foundation
import HTTPTransport
import JOSE
import OpenSSLCrypto
import Sandbox
import StrictJSON
import SystemClients

/// A client that signs in over the whole network and proves every call: the shortest program that
/// does what the wire reference asks, written for these tests alone.
actor ProvingClient {
  private let network: SandboxNetwork
  private let http: HTTPClient
  private let key = P256PrivateKey.generate()
  private var nonces: [String: String] = [:]
  private(set) var token = ""
  private(set) var refreshToken = ""
  private(set) var grantedScope = ""
  private(set) var did = ""

  init(_ network: SandboxNetwork) {
    self.network = network
    http = HTTPClient.live(network.addresses.policy, userAgent: "proving client", clock: .live)
  }

  /// Walks the sign-in; `answer` is the person at the browser.
  func signIn(
    at issuer: URL, hint: String?,
    _ answer: (SandboxVisitor, URL) async throws -> URL
  ) async throws {
    let verifier = String(repeating: "v", count: 43)
    var form = [
      ("client_id", network.addresses.clientID), ("response_type", "code"),
      ("redirect_uri", network.addresses.redirectURI), ("scope", network.addresses.scope),
      ("state", "state"), ("code_challenge_method", "S256"),
      ("code_challenge", Base64URL.encode(Digest.sha256(verifier.utf8))),
    ]
    form.append(hint.map { ("login_hint", $0) } ?? ("prompt", "create"))
    let pushed = try await post("\(issuer.absoluteString)/oauth/par", form)
    guard let requestURI = pushed["request_uri"]?.stringValue else { throw Unexpected(pushed) }
    let query = FormURLEncoding.encodeText([
      ("client_id", network.addresses.clientID), ("request_uri", requestURI),
    ])
    guard let page = URL(string: "\(issuer.absoluteString)/oauth/authorize?\(query)") else {
      throw HTTPError.invalidURL
    }
    let callback = try await answer(SandboxVisitor(http: http), page)
    let pairs = FormURLEncoding.decodeQuery(callback.query() ?? "") ?? []
    guard let code = pairs.first(where: { $0.0 == "code" })?.1 else { throw HTTPError.invalidURL }
    try await exchange(
      at: issuer,
      [
        ("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier),
        ("redirect_uri", network.addresses.redirectURI), ("client_id", network.addresses.clientID),
      ])
  }

  func refresh(at issuer: URL) async throws {
    try await exchange(
      at: issuer,
      [
        ("grant_type", "refresh_token"), ("refresh_token", refreshToken),
        ("client_id", network.addresses.clientID),
      ])
  }

  /// One call with the token; a new nonce is used at once.
  func call(
    _ method: String = "GET", _ address: String, _ body: JSONValue? = nil, proxy: String? = nil
  ) async throws -> Answer {
    var headers: HTTPHeaders = ["Authorization": "DPoP \(token)"]
    headers["Content-Type"] = body == nil ? nil : "application/json"
    headers["atproto-proxy"] = proxy
    return try await send(
      method, address, headers, body.map { .bytes($0.serialized()) } ?? .none, token: token)
  }

  private struct Unexpected: Error {
    let refusal: String
    init(_ answer: Answer) { refusal = answer.refusal + answer.text }
  }

  private func exchange(at issuer: URL, _ form: [(String, String)]) async throws {
    let answer = try await post("\(issuer.absoluteString)/oauth/token", form)
    guard let token = answer["access_token"]?.stringValue,
      let refresh = answer["refresh_token"]?.stringValue, let did = answer["sub"]?.stringValue,
      let scope = answer["scope"]?.stringValue
    else { throw Unexpected(answer) }
    (self.token, refreshToken, self.did, grantedScope) = (token, refresh, did, scope)
  }

  private func post(_ address: String, _ form: [(String, String)]) async throws -> Answer {
    try await send(
      "POST", address, ["Content-Type": FormURLEncoding.mediaType],
      .bytes(FormURLEncoding.encode(form)), token: nil)
  }

  private func send(
    _ method: String, _ address: String, _ headers: HTTPHeaders, _ body: HTTPBody, token: String?
  ) async throws -> Answer {
    guard let url = URL(string: address), let origin = url.origin?.description else {
      throw HTTPError.invalidURL
    }
    for attempt in 1...2 {
      var request = HTTPRequest(method: method, url: url, headers: headers, body: body)
      request.headers["DPoP"] = try proof(method, address, nonces[origin], token)
      let answer = Answer(try await http.send(request))
      let nonce = answer.headers["DPoP-Nonce"]
      defer { nonces[origin] = nonce ?? nonces[origin] }
      guard attempt == 1, answer["error"] == "use_dpop_nonce" else { return answer }
      nonces[origin] = nonce
    }
    throw HTTPError.timeout
  }

  private func proof(
    _ method: String, _ address: String, _ nonce: String?, _ token: String?
  ) throws -> String {
    var claims: JSONObject = [
      "jti": .string(UUID().uuidString), "htm": .string(method),
      "htu": .string(String(address.prefix { $0 != "?" })),
      "iat": .number(JSONNumber(Int(Date().timeIntervalSince1970))),
    ]
    claims["nonce"] = nonce.map(JSONValue.string)
    claims["ath"] = token.map { .string(Base64URL.encode(Digest.sha256($0.utf8))) }
    return try CompactJWS.sign(
      header: ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(JWK(key.publicKey).json)],
      claims: claims, key: key)
  }
}

import ATSyntax
import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import JOSE
import OpenSSLCrypto
import StrictJSON
import SystemClients
import Testing

@testable import Sandbox

/// One authorization server without a network, and a small client of its own to ask it with.
///
/// The client builds every proof and every form by hand, so a test can get any part of them wrong.
final class AuthorizationRig: Sendable {
  static let issuer = "http://127.0.0.1:2583"
  static let clientID = "https://app.sandbox-host.dev/client.json"
  static let redirect = "dev.sandbox-host.app:/callback"
  static let scope = [
    "atproto", "repo:social.grain.photo", "blob:image/*", "account:email",
    "rpc:*?aud=did:web:api.sandbox-host.dev%23svc",
  ]
  static let verifier = "wire-reference-verifier-0123456789-ABCDEFGHIJ._~"

  let clock = TestClock()
  let directory = FakeDirectory()
  let documents: ScriptedHTTP
  let store: SandboxStore
  let server: AuthorizationServer
  let key: P256PrivateKey
  private let nonce = Locked<String?>(nil)

  /// A rig; `document` changes the client's document before it is served, and a store shared with
  /// another rig stands for a restart.
  init(
    store: SandboxStore? = nil, issuer: String = AuthorizationRig.issuer,
    settings: AuthorizationSettings = AuthorizationSettings(), seed: UInt64 = 7,
    key: P256PrivateKey? = nil, document: (inout JSONObject) -> Void = { _ in }
  ) throws {
    var json = Self.clientDocument
    document(&json)
    let text = JSONValue.object(json).text()
    documents = ScriptedHTTP { request in
      request.url.absoluteString == Self.clientID ? .json(text) : .status(404)
    }
    self.store = try store ?? SandboxStore.inMemory()
    self.key = key ?? P256PrivateKey.generate()
    server = AuthorizationServer(
      issuer: try #require(URL(string: issuer)),
      protectedResources: [try #require(URL(string: issuer))], accounts: directory,
      store: self.store, http: documents.client, clock: clock.clock,
      random: .seeded(seed), settings: settings)
  }

  static let clientDocument: JSONObject = [
    "client_id": .string(clientID), "client_name": "Grain <test>",
    "client_uri": "https://app.sandbox-host.dev", "application_type": "native",
    "token_endpoint_auth_method": "none", "dpop_bound_access_tokens": true,
    "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
    "redirect_uris": [.string(redirect), "http://127.0.0.1/cb"],
    "scope": .string(
      (scope + ["include:dev.grain.authFull?aud=did:web:api.x.dev%23svc", "x:y"]).joined(
        separator: " ")),
  ]

  // MARK: Proofs

  /// The parts of a proof a test can spoil.
  struct ProofParts {
    var header: JSONObject
    var claims: JSONObject
  }

  /// A good proof for one request, then changed by the test.
  func proof(
    _ method: String, _ url: String, nonce: String?, token: String? = nil,
    key: P256PrivateKey? = nil, change: (inout ProofParts) -> Void = { _ in }
  ) throws -> String {
    let key = key ?? self.key
    var parts = ProofParts(
      header: ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(JWK(key.publicKey).json)],
      claims: [
        "jti": .string(UUID().uuidString), "htm": .string(method), "htu": .string(url),
        "iat": .number(JSONNumber(Int(clock.now.timeIntervalSince1970))),
      ])
    if let nonce { parts.claims["nonce"] = .string(nonce) }
    if let token {
      parts.claims["ath"] = .string(Base64URL.encode(Digest.sha256(token.utf8)))
    }
    change(&parts)
    return try CompactJWS.sign(header: parts.header, claims: parts.claims, key: key)
  }

  /// The newest nonce the server handed out, asking for one where none is known.
  func currentNonce() async throws -> String {
    if let nonce = nonce.withLock({ $0 }) { return nonce }
    let response = try await post("/oauth/revoke", [])
    return try #require(response.headers["DPoP-Nonce"])
  }

  func forgetNonce() { nonce.withLock { $0 = nil } }

  // MARK: Requests

  /// Sends a request as it is.
  func send(
    _ method: String, _ target: String, headers: HTTPHeaders = [:], body: [UInt8] = []
  ) async throws -> HTTPServerResponse {
    let response = await server.handle(
      HTTPServerRequest.test(method, target, headers: headers, body: body))
    let answer = try #require(response, "the path is the server's own")
    if let new = answer.headers["DPoP-Nonce"] { nonce.withLock { $0 = new } }
    return answer
  }

  /// Posts a form, with a proof where one is given.
  func post(
    _ path: String, _ fields: [(String, String)], proof: String? = nil
  ) async throws -> HTTPServerResponse {
    var headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
    if let proof { headers["DPoP"] = proof }
    return try await send(
      "POST", path, headers: headers, body: FormURLEncoding.encode(fields))
  }

  /// Posts a form with a good proof.
  func signedPost(
    _ path: String, _ fields: [(String, String)], key: P256PrivateKey? = nil
  ) async throws -> HTTPServerResponse {
    let proof = try proof(
      "POST", Self.issuer + path, nonce: await currentNonce(), key: key)
    return try await post(path, fields, proof: proof)
  }

  // MARK: Flow

  /// The fields of a good pushed request; a test changes them by name, `nil` removes one.
  static func pushFields(_ changes: [String: String?] = [:]) -> [(String, String)] {
    var fields: [(String, String)] = [
      ("client_id", clientID), ("response_type", "code"), ("redirect_uri", redirect),
      ("scope", scope.joined(separator: " ")), ("state", "state-1"),
      ("code_challenge", Base64URL.encode(Digest.sha256(verifier.utf8))),
      ("code_challenge_method", "S256"), ("login_hint", "alice.test"),
    ]
    for (name, value) in changes {
      fields.removeAll { $0.0 == name }
      if let value { fields.append((name, value)) }
    }
    return fields
  }

  /// Pushes a request.
  ///
  /// - Returns: the address to open in a browser.
  func push(_ changes: [String: String?] = [:]) async throws -> URL {
    let response = try await signedPost("/oauth/par", Self.pushFields(changes))
    try #require(response.status == 201, "\(response.text)")
    return try address(requestURI: try #require(response.json["request_uri"]?.stringValue), changes)
  }

  func address(requestURI: String, _ changes: [String: String?] = [:]) throws -> URL {
    let client = changes["client_id"]?.flatMap(\.self) ?? Self.clientID
    let query = FormURLEncoding.encodeText([
      ("client_id", client), ("request_uri", requestURI),
    ])
    return try #require(URL(string: "\(Self.issuer)/oauth/authorize?\(query)"))
  }

  /// A new browser.
  func visitor() -> SandboxVisitor { SandboxVisitor(http: client) }

  /// The server behind an HTTP door.
  var client: HTTPClient {
    HTTPClient { [server] request, _ throws(HTTPError) in
      var body: [UInt8] = []
      if case .bytes(let bytes) = request.body { body = bytes }
      let query = request.url.query(percentEncoded: true).map { "?" + $0 } ?? ""
      let response = await server.handle(
        HTTPServerRequest.test(
          request.method, request.url.path(percentEncoded: true) + query,
          headers: request.headers, body: body))
      guard let response else { throw .badResponse("not the server's path") }
      return HTTPResponse(
        status: response.status, headers: response.headers, body: response.body)
    }
  }

  /// Pushes, signs in and allows.
  ///
  /// - Returns: the code.
  func code(_ changes: [String: String?] = [:], unticking: Set<String> = []) async throws -> String
  {
    let callback = try await visitor().approve(
      authorizationURL: push(changes), handle: "alice.test", password: "sandbox",
      unticking: unticking)
    return try #require(callback.field("code"))
  }

  /// The fields of a good code exchange.
  static func codeFields(_ code: String, _ changes: [String: String?] = [:]) -> [(String, String)] {
    var fields: [(String, String)] = [
      ("grant_type", "authorization_code"), ("client_id", clientID), ("code", code),
      ("redirect_uri", redirect), ("code_verifier", verifier),
    ]
    for (name, value) in changes {
      fields.removeAll { $0.0 == name }
      if let value { fields.append((name, value)) }
    }
    return fields
  }

  /// The whole way from nothing to tokens.
  func tokens(unticking: Set<String> = []) async throws -> Tokens {
    let code = try await code(unticking: unticking)
    return try Tokens(await signedPost("/oauth/token", Self.codeFields(code)))
  }

  func refresh(_ token: String, key: P256PrivateKey? = nil) async throws -> HTTPServerResponse {
    try await signedPost(
      "/oauth/token",
      [("grant_type", "refresh_token"), ("client_id", Self.clientID), ("refresh_token", token)],
      key: key)
  }

  /// Asks the resource server for a verdict, with a good proof unless one is given.
  func access(
    _ token: String, proof: String? = nil, at origin: String = AuthorizationRig.issuer,
    nonce: String? = nil
  ) async throws -> AccessVerdict {
    let path = "/xrpc/com.atproto.server.getSession"
    let known = if let nonce { nonce } else { try await currentNonce() }
    let good = try self.proof("GET", origin + path, nonce: known, token: token)
    let request = HTTPServerRequest.test(
      "GET", path + "?a=b", headers: ["Authorization": "DPoP \(token)", "DPoP": proof ?? good])
    return await server.verifyAccess(request, publicURL: try #require(URL(string: origin)))
  }
}

/// The members of a token answer.
struct Tokens {
  let access: String
  let refresh: String
  let scope: String
  let expiresIn: Int
  let subject: String

  init(_ response: HTTPServerResponse) throws {
    try #require(response.status == 200, "\(response.text)")
    let json = try response.json
    access = try #require(json["access_token"]?.stringValue)
    refresh = try #require(json["refresh_token"]?.stringValue)
    scope = try #require(json["scope"]?.stringValue)
    expiresIn = try #require(json["expires_in"]?.intValue)
    subject = try #require(json["sub"]?.stringValue)
  }
}

extension HTTPServerResponse {
  var json: JSONObject { get throws { try #require(try JSONParser.parse(body).objectValue) } }
  var text: String { String(decoding: body, as: UTF8.self) }

  /// Status, `error` and `error_description` (or `message`) in one line.
  var outcome: String {
    guard let json = try? json, let error = json["error"]?.stringValue else { return "\(status)" }
    let text = json["error_description"]?.stringValue ?? json["message"]?.stringValue ?? ""
    return "\(status) \(error): \(text)"
  }
}

extension AccessVerdict {
  /// `granted`, or the refusal in one line.
  var outcome: String {
    switch self {
    case .granted: "granted"
    case .refused(let response): response.outcome
    }
  }
}

extension URL {
  /// A field of a callback's query.
  func field(_ name: String) -> String? {
    FormURLEncoding.decodeQuery(query(percentEncoded: true) ?? "")?.first { $0.0 == name }?.1
  }
}

import ATSyntax
import Foundation
import GrainLexicon
import HTTPTransport
import Sandbox
import StrictJSON
import SystemClients

/// A running network, and somebody who calls its servers over HTTP.
struct SandboxVisit: Sendable {
  let network: SandboxNetwork
  let alice: DID
  let bob: DID
  private let http: HTTPClient

  /// Starts a network that trusts tokens, runs the visit and stops it.
  static func run(
    _ configuration: SandboxConfiguration = SandboxConfiguration(),
    _ body: (SandboxVisit) async throws -> Void
  ) async throws {
    let network = try await SandboxNetwork.start(configuration, verifier: TrustingVerifier())
    do {
      try await body(try await SandboxVisit(network))
    } catch {
      await network.stop()
      throw error
    }
    await network.stop()
  }

  private init(_ network: SandboxNetwork) async throws {
    self.network = network
    http = HTTPClient.live(network.addresses.policy, userAgent: "visit", clock: .live)
    guard let alice = await network.account("alice.test"),
      let bob = await network.account("bob.test")
    else { throw CancellationError() }
    self.alice = alice.did
    self.bob = bob.did
  }

  /// What a session of the app may do.
  var everything: [String] { network.addresses.appViewService.scopeItems }

  /// `did#service`, unescaped.
  var proxyHeader: String { network.addresses.appViewService.proxyHeader }

  // MARK: Calls.

  /// Sends anything to anybody.
  func send(
    _ method: String = "GET", _ address: String, headers: HTTPHeaders = [:], body: HTTPBody = .none
  ) async throws -> Answer {
    guard let url = URL(string: address) else { throw HTTPError.invalidURL }
    return Answer(
      try await http.send(
        HTTPRequest(
          method: method, url: url, headers: headers, body: body, maximumBodyBytes: 10 << 20)))
  }

  /// A query at a server; `scopes` are those of Alice's token, none for a call in nobody's name.
  func query(
    _ method: String, _ parameters: [(String, String)] = [], at server: URL? = nil,
    as did: DID? = nil, scopes: [String]? = nil, proxy: String? = nil
  ) async throws -> Answer {
    let query = parameters.isEmpty ? "" : "?" + FormURLEncoding.encodeText(parameters)
    let base = (server ?? network.addresses.pds).absoluteString
    return try await send(
      "GET", "\(base)/xrpc/\(method)\(query)", headers: headers(did, scopes, proxy))
  }

  /// A procedure at the PDS, as Alice unless said otherwise.
  func call(
    _ method: String, _ body: JSONValue, at server: URL? = nil, as did: DID? = nil,
    scopes: [String]? = nil, proxy: String? = nil
  ) async throws -> Answer {
    var headers = headers(did ?? alice, scopes, proxy)
    headers["Content-Type"] = "application/json"
    let base = (server ?? network.addresses.pds).absoluteString
    return try await send(
      "POST", "\(base)/xrpc/\(method)", headers: headers, body: .bytes(body.serialized()))
  }

  func create(
    _ collection: String, _ record: JSONValue, key: String? = nil, more: JSONObject = [:],
    as did: DID? = nil, scopes: [String]? = nil
  ) async throws -> Answer {
    var body = more
    body["repo"] = .string((did ?? alice).rawValue)
    body["collection"] = .string(collection)
    body["rkey"] = key.map(JSONValue.string)
    body["record"] = record
    return try await call("com.atproto.repo.createRecord", .object(body), as: did, scopes: scopes)
  }

  func put(
    _ collection: String, _ key: String, _ record: JSONValue, more: JSONObject = [:],
    scopes: [String]? = nil
  ) async throws -> Answer {
    var body = more
    body["repo"] = .string(alice.rawValue)
    body["collection"] = .string(collection)
    body["rkey"] = .string(key)
    body["record"] = record
    return try await call("com.atproto.repo.putRecord", .object(body), scopes: scopes)
  }

  func delete(
    _ collection: String, _ key: String, more: JSONObject = [:], scopes: [String]? = nil
  ) async throws -> Answer {
    var body = more
    body["repo"] = .string(alice.rawValue)
    body["collection"] = .string(collection)
    body["rkey"] = .string(key)
    return try await call("com.atproto.repo.deleteRecord", .object(body), scopes: scopes)
  }

  func read(_ collection: String, _ key: String, of repo: String? = nil) async throws -> Answer {
    try await query(
      "com.atproto.repo.getRecord",
      [("repo", repo ?? alice.rawValue), ("collection", collection), ("rkey", key)])
  }

  func upload(
    _ content: [UInt8], as type: String?, scopes: [String]? = nil
  ) async throws -> Answer {
    var headers = headers(alice, scopes, nil)
    headers["Content-Type"] = type
    return try await send(
      "POST", "\(network.addresses.pds.absoluteString)/xrpc/com.atproto.repo.uploadBlob",
      headers: headers, body: .bytes(content))
  }

  /// Asks the AppView, by way of the account's server.
  func proxied(_ method: NSID, _ parameters: [(String, String)]) async throws -> Answer {
    try await query(method.rawValue, parameters, as: alice, proxy: proxyHeader)
  }

  /// The same with a procedure that takes nothing.
  func proxied(acting method: NSID) async throws -> Answer {
    try await send(
      "POST", "\(network.addresses.pds.absoluteString)/xrpc/\(method)",
      headers: headers(alice, nil, proxyHeader))
  }

  func index(_ uris: [String]) async throws -> Answer {
    try await call(
      MethodNames.indexRecords.rawValue, ["uris": .array(uris.map(JSONValue.string))],
      proxy: proxyHeader)
  }

  private func headers(_ did: DID?, _ scopes: [String]?, _ proxy: String?) -> HTTPHeaders {
    var headers = HTTPHeaders()
    if let did { headers["Authorization"] = TrustingVerifier.token(did, scopes ?? everything) }
    headers["atproto-proxy"] = proxy
    return headers
  }
}

/// An answer, the way the tables of the wire reference list it.
struct Answer: Sendable {
  let status: Int
  let headers: HTTPHeaders
  let body: [UInt8]
  let json: JSONValue?

  init(_ response: HTTPResponse) {
    status = response.status
    headers = response.headers
    body = response.body
    json = try? JSONParser.parse(response.body)
  }

  subscript(_ member: String) -> JSONValue? { json?[member] }

  /// `400 InvalidRequest: message`, in one comparable line.
  var refusal: String {
    let name = json?["error"]?.stringValue ?? "-"
    return "\(status) \(name): \(json?["message"]?.stringValue ?? "-")"
  }

  var text: String { String(decoding: body, as: UTF8.self) }
}

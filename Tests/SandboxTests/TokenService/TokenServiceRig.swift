import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import JOSE
import OpenSSLCrypto
import SQLiteDatabase
import StrictJSON
import SystemClients
import Testing

@testable import Sandbox

/// One Platrium-like service without a network, a browser made by hand, and a client of a few lines.
final class TokenServiceRig: Sendable {
  static let origin = "http://127.0.0.1:2590"
  static let verifier = "platrium-verifier-0123456789-ABCDEFGHIJKLMN._~"

  let clock = TestClock()
  let store: SandboxStore
  let service: TokenService

  init(_ change: (inout TokenServiceSettings) -> Void = { _ in }) async throws {
    var settings = TokenServiceSettings()
    change(&settings)
    store = try SandboxStore.inMemory()
    service = TokenService(
      url: try #require(URL(string: Self.origin)), store: store, clock: clock.clock,
      random: .seeded(11), settings: settings)
    try await service.prepare()
  }

  // MARK: Requests

  func send(
    _ method: String, _ target: String, headers: HTTPHeaders = [:], body: [UInt8] = [],
    peer: String = "127.0.0.1:50000"
  ) async -> HTTPServerResponse {
    var request = HTTPServerRequest.test(method, target, headers: headers, body: body)
    request.peer = peer
    return await service.handle(request)
  }

  /// A call of the API, with JSON where a body is given.
  func call(
    _ method: String, _ path: String, token: String? = nil, cookie: String? = nil,
    _ body: JSONObject? = nil, headers: HTTPHeaders = [:], peer: String = "127.0.0.1:50000"
  ) async -> HTTPServerResponse {
    var headers = headers
    if let token { headers["Authorization"] = "Bearer \(token)" }
    if let cookie { headers["Cookie"] = cookie }
    if body != nil { headers["Content-Type"] = "application/json" }
    return await send(
      method, "/api/auth/\(path)", headers: headers,
      body: body.map { JSONValue.object($0).serialized() } ?? [], peer: peer)
  }

  // MARK: The browser

  /// Sends the form with that action on a page.
  func submit(
    _ page: HTTPServerResponse, _ action: String, cookie: String,
    _ fill: (inout PageText.Form) -> Void = { _ in }
  ) async throws -> HTTPServerResponse {
    var form = try PageText(page.text).form(action)
    fill(&form)
    return await send(
      "POST", form.target,
      headers: ["Cookie": cookie, "Content-Type": FormURLEncoding.mediaType],
      body: FormURLEncoding.encode(form.fields))
  }

  /// Logs somebody in; gives back the cookie, and where the login led.
  func logIn(
    email: String = "alice@example.com", next: String = "/devices"
  ) async throws -> (cookie: String, location: String) {
    let page = await send("GET", "/login?\(FormURLEncoding.encodeText([("next", next)]))")
    let answer = try await submit(page, "/login", cookie: try page.newCookie) { form in
      form.fill("email", email)
      form.fill("password", "sandbox")
    }
    return (try answer.newCookie, try #require(answer.headers["Location"]))
  }

  // MARK: A client

  static func question(_ changes: [String: String?] = [:]) -> [(String, String)] {
    var fields = [
      ("redirect_uri", "platrium://auth/callback"),
      ("code_challenge", Base64URL.encode(Digest.sha256(verifier.utf8))),
      ("code_challenge_method", "S256"), ("state", "the state & more"), ("name", "Alice’s phone"),
      ("platform", "IOS"), ("app_version", "2.1"),
    ]
    for (name, value) in changes {
      fields.removeAll { $0.0 == name }
      if let value { fields.append((name, value)) }
    }
    return fields
  }

  static func page(_ changes: [String: String?] = [:]) -> String {
    "/authorize?\(FormURLEncoding.encodeText(question(changes)))"
  }

  /// A code that somebody who is logged in has approved.
  func code(_ changes: [String: String?] = [:], cookie: String) async throws -> String {
    let body = JSONObject(Self.question(changes).map { ($0.0, JSONValue.string($0.1)) })
    let answer = await call("POST", "authorize", cookie: cookie, body)
    let redirect = try #require(try answer.json["redirect"]?.stringValue, "\(answer.outcome)")
    return try #require(URL(string: redirect)?.field("code"))
  }

  func redeem(
    _ code: String, verifier: String = TokenServiceRig.verifier,
    redirect: String = "platrium://auth/callback", peer: String = "127.0.0.1:50000"
  ) async -> HTTPServerResponse {
    await call(
      "POST", "token",
      [
        "code": .string(code), "code_verifier": .string(verifier),
        "redirect_uri": .string(redirect),
      ], peer: peer)
  }

  /// The whole way to a token; without a platform it is an app's.
  func token(
    _ changes: [String: String?] = [:], email: String = "alice@example.com"
  ) async throws -> String {
    let code = try await code(changes, cookie: try await logIn(email: email).cookie)
    let answer = await redeem(code)
    return try #require(try answer.json["token"]?.stringValue, "\(answer.outcome)")
  }

  /// How many rows a table has.
  func count(_ table: String) async throws -> Int64? {
    try await store.read { database in
      try database.query("SELECT count(*) AS n FROM \(table)").first?.integer("n")
    }
  }
}

extension HTTPServerResponse {
  /// The cookie it sets, as the browser sends it back.
  var newCookie: String {
    get throws { String(try #require(headers["Set-Cookie"], "\(status)").prefix { $0 != ";" }) }
  }
}

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

/// One Pixiv-like service without a network, and a mobile application of a few lines.
final class PixivServiceRig: Sendable {
  static let verifier = "pixiv-verifier-0123456789-ABCDEFGHIJKLMNOP._~"

  let clock = TestClock()
  let service: PixivService

  init() async throws {
    service = PixivService(
      url: try #require(URL(string: "http://127.0.0.1:2591")),
      store: try SandboxStore.inMemory(), clock: clock.clock, random: .seeded(13))
    try await service.prepare()
  }

  /// What the application sends with every request, for that time and salt.
  static func appHeaders(
    time: String = "2026-03-01T12:00:00+00:00", salt: String = "sandbox-pixiv-salt"
  ) -> HTTPHeaders {
    [
      "User-Agent": "PixivAndroidApp/5.0.234 (Android 11; Pixel 5)", "X-Client-Time": time,
      "X-Client-Hash": Hex.text(Digest.md5(Array("\(time)\(salt)".utf8))),
    ]
  }

  func send(
    _ method: String, _ target: String, headers: HTTPHeaders = [:], body: [UInt8] = []
  ) async -> HTTPServerResponse {
    await service.handle(.test(method, target, headers: headers, body: body))
  }

  /// Posts to the token endpoint as the application does, with changed or (`nil`) missing fields.
  func token(
    _ fields: [String: String?], headers: HTTPHeaders = PixivServiceRig.appHeaders()
  ) async -> HTTPServerResponse {
    let usual: [String: String?] = [
      "client_id": "sandbox-pixiv-client", "client_secret": "sandbox-pixiv-secret",
      "include_policy": "true",
    ]
    var headers = headers
    headers["Content-Type"] = FormURLEncoding.mediaType
    let pairs = usual.merging(fields) { $1 }.compactMap { name, value in value.map { (name, $0) } }
    return await send("POST", "/auth/token", headers: headers, body: FormURLEncoding.encode(pairs))
  }

  func exchange(
    _ code: String, verifier: String = PixivServiceRig.verifier,
    redirect: String = "https://app-api.pixiv.net/web/v1/users/auth/pixiv/callback"
  ) async -> HTTPServerResponse {
    await token([
      "grant_type": "authorization_code", "code": code, "code_verifier": verifier,
      "redirect_uri": redirect,
    ])
  }

  func refresh(_ token: String) async -> HTTPServerResponse {
    await self.token(["grant_type": "refresh_token", "refresh_token": token])
  }

  /// A call of the API with an access token.
  func call(_ target: String, _ token: String?) async -> HTTPServerResponse {
    var headers = Self.appHeaders()
    headers["Authorization"] = token.map { "Bearer \($0)" }
    return await send("GET", target, headers: headers)
  }

  static let beginning: String = {
    let challenge = Base64URL.encode(Digest.sha256(verifier.utf8))
    return
      "/web/v1/login?code_challenge=\(challenge)&code_challenge_method=S256&client=pixiv-android"
  }()

  /// Walks the pages; gives back every address in turn, the caught one last.
  func signIn(account: String = "alice", password: String = "sandbox") async throws -> [String] {
    var addresses = [Self.beginning]
    var response = await send("GET", Self.beginning)
    var cookie: String?
    while let next = response.headers["Location"] {
      addresses.append(next)
      if next.hasPrefix("pixiv:") { return addresses }
      var headers = HTTPHeaders()
      headers["Cookie"] = cookie
      response = await send("GET", next, headers: headers)
      guard response.status == 200 else { continue }
      var form = try PageText(response.text).form("/login")
      form.fill("account", account)
      form.fill("password", password)
      response = await send(
        "POST", form.target, headers: ["Content-Type": FormURLEncoding.mediaType],
        body: FormURLEncoding.encode(form.fields))
      cookie = response.headers["Set-Cookie"].map { String($0.prefix { $0 != ";" }) }
    }
    return addresses
  }

  func code() async throws -> String {
    let callback = try #require(try await signIn().last.flatMap { URL(string: $0) })
    return try #require(callback.field("code"))
  }

  /// Access and refresh token of a new sign-in.
  func tokens() async throws -> (access: String, refresh: String) {
    let json = try await exchange(try await code()).json
    return (
      try #require(json["access_token"]?.stringValue),
      try #require(json["refresh_token"]?.stringValue)
    )
  }
}

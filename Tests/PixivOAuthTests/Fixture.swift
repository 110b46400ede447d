import Foundation
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import PixivOAuth
import SystemClients

/// Pixiv as it answers from a script; the clock stands at noon, 1 March 2026.
struct Fixture {
  static let refused = """
    {"has_error":true,"errors":{"system":{"message":"Invalid refresh token","code":1508}},
    "error":"invalid_grant"}
    """
  let clock = TestClock()
  let http: ScriptedHTTP
  let configuration: PixivConfiguration
  let kept = Kept()

  init(_ answers: ScriptedHTTP.Answer...) throws {
    http = ScriptedHTTP(answers)
    guard
      let configuration = PixivConfiguration(
        clientID: "client", clientSecret: Secret(text: "client-secret"),
        hashSalt: Secret(text: "test-salt"))
    else { throw PixivError.clientRefused }
    self.configuration = configuration
  }

  /// What was given to the store, in order.
  final class Kept: Sendable {
    private let list = Locked<[PixivTokens?]>([])
    private let fails = Locked(false)
    var all: [PixivTokens?] { list.withLock { $0 } }
    func fail() { fails.withLock { $0 = true } }
    func keep(_ tokens: PixivTokens?) throws {
      if fails.withLock({ $0 }) { throw PixivError.storeFailed }
      list.withLock { $0.append(tokens) }
    }
  }

  var endpoint: PixivTokenEndpoint {
    PixivTokenEndpoint(configuration: configuration, http: http.client, clock: clock.clock)
  }

  func attempt() throws -> PixivAttempt {
    try PixivAttempt(configuration: configuration, random: .seeded(3))
  }

  /// Tokens whose access token ends in so many seconds.
  func tokens(endingIn seconds: TimeInterval = 3600) -> PixivTokens {
    PixivTokens(
      accessToken: Secret(text: "access-0"), refreshToken: Secret(text: "refresh-0"),
      expiresAt: clock.now.addingTimeInterval(seconds),
      user: PixivUser(id: "11", name: "Ada", account: "ada"))
  }

  func session(_ tokens: PixivTokens? = nil) -> PixivSession {
    PixivSession(
      tokens: tokens ?? self.tokens(), configuration: configuration, http: http.client,
      clock: clock.clock, keep: { [kept] in try kept.keep($0) })
  }

  static func issued(_ name: String = "1", refresh: String? = "refresh-1") -> ScriptedHTTP.Answer {
    let refresh = refresh.map { #""refresh_token":"\#($0)","# } ?? ""
    return .json(
      """
      {"access_token":"access-\(name)",\(refresh)"expires_in":3600,"token_type":"bearer","scope":"",
      "user":{"id":"11","name":"Ada","account":"ada","mail_address":"ada@example.com",
      "profile_image_urls":{"px_16x16":"https://i.pximg.net/16","px_170x170":"https://i.pximg.net/170"}}}
      """)
  }

  static func user(_ id: String = "11") -> ScriptedHTTP.Answer {
    .json(#"{"user":{"id":\#(id),"name":"Ada","account":"ada"},"profile":{}}"#)
  }

  static let ended = ScriptedHTTP.Answer.json(
    """
    {"error":{"user_message":"","message":"Error occurred at the OAuth process. Please check your \
    Access Token to fix this. Error Message: invalid_grant","reason":""}}
    """, status: 400)
}

/// The fields of a request's form.
func form(_ request: HTTPRequest?) -> [String: String] {
  guard case .bytes(let body) = request?.body, let pairs = FormURLEncoding.decode(body) else {
    return [:]
  }
  return Dictionary(pairs) { _, last in last }
}

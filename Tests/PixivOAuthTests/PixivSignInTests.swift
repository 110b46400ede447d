import Foundation
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import PixivOAuth
import StrictJSON
import SystemClients
import Testing

@Suite("Pixiv: signing in")
struct PixivSignInTests {
  @Test("the page is Pixiv's own, with an S256 challenge and without anything secret (X4, X10)")
  func page() throws {
    let fixture = try Fixture()
    let attempt = try fixture.attempt()
    let url = attempt.loginURL.absoluteString
    #expect(url.hasPrefix("https://app-api.pixiv.net/web/v1/login?"))
    #expect(url.contains("code_challenge=\(attempt.pkce.challenge)"))
    #expect(url.contains("code_challenge_method=S256"))
    #expect(url.contains("client=pixiv-android"))
    #expect(!url.contains(attempt.pkce.verifier.revealText()))
    #expect(!url.contains("client-secret"))
  }

  @Test("the web view's stop brings the code")
  func code() throws {
    let attempt = try Fixture().attempt()
    #expect(
      attempt.code(from: "pixiv://account/login?code=abc&via=login") == Secret(text: "abc"))
  }

  @Test(
    "every other page leaves the attempt alone, however similar it looks (FB-G3, A12)",
    arguments: [
      "https://accounts.pixiv.net/login?return_to=pixiv%3A%2F%2Faccount%2Flogin%3Fcode%3Dabc",
      "https://app-api.pixiv.net/web/v1/users/auth/pixiv/start?code=abc",
      "pixiv://account/login", "pixiv://account/login?code=", "pixiv://account/login/?code=abc",
      "pixiv://account/logout?code=abc", "pixiv://evil/login?code=abc",
      "pixiv://account.evil/login?code=abc", "pixiv2://account/login?code=abc",
      "pixiv://user@account/login?code=abc", "pixiv://account:80/login?code=abc",
      "pixiv://account/login?code=abc&code=def", "pixiv://account/login?x=code%3Dabc", "",
      "code=abc",
    ])
  func otherPages(address: String) throws {
    #expect(try Fixture().attempt().code(from: address) == nil)
  }

  @Test("a code, its verifier and the client's values are exchanged for tokens (X3, X5)")
  func exchange() async throws {
    let fixture = try Fixture(Fixture.issued())
    let attempt = try fixture.attempt()
    let tokens = try await fixture.endpoint.exchange(code: Secret(text: "abc"), of: attempt)
    #expect(tokens.accessToken == Secret(text: "access-1"))
    #expect(tokens.refreshToken == Secret(text: "refresh-1"))
    #expect(tokens.expiresAt == fixture.clock.now.addingTimeInterval(3600))
    #expect(tokens.user.id == "11")
    #expect(tokens.user.avatar?.absoluteString == "https://i.pximg.net/170")
    let request = try #require(fixture.http.requests.first)
    #expect(request.url.absoluteString == "https://oauth.secure.pixiv.net/auth/token")
    let form = form(request)
    #expect(form["grant_type"] == "authorization_code")
    #expect(form["code"] == "abc")
    #expect(form["code_verifier"] == attempt.pkce.verifier.revealText())
    #expect(form["client_id"] == "client")
    #expect(form["client_secret"] == "client-secret")
    #expect(form["include_policy"] == "true")
    #expect(form["redirect_uri"]?.hasSuffix("/web/v1/users/auth/pixiv/callback") == true)
  }

  @Test("an answer is understood at the top, under `response`, and with a number for an id")
  func tolerance() async throws {
    let fixture = try Fixture(
      .json(
        """
        {"response":{"access_token":"a","refresh_token":"r","expires_in":60,
        "user":{"id":12,"name":"B","account":"b"}}}
        """))
    let tokens = try await fixture.endpoint.exchange(
      code: Secret(text: "abc"), of: try fixture.attempt())
    #expect(tokens.user == PixivUser(id: "12", name: "B", account: "b"))
  }

  static let refusals: [(String, ScriptedHTTP.Answer, PixivError)] = [
    ("expired", .json(Fixture.refused, status: 400), .codeRefused("Invalid refresh token")),
    ("our client", .json(#"{"error":"invalid_client"}"#, status: 400), .clientRefused),
    ("our client, 401", .json(#"{"error":"invalid_client"}"#, status: 401), .clientRefused),
    (
      "block page",
      .response(HTTPResponse(status: 403, headers: ["Content-Type": "text/html"], body: [60])),
      .blocked(status: 403)
    ),
    (
      "too many", .status(429, headers: ["Retry-After": "9"]), .rateLimited(retryAfter: .seconds(9))
    ),
    ("offline", .failure(.offline), .network(.offline)),
    ("no tokens inside", .json("{}"), .badAnswer(status: 200)),
    ("down", .status(502), .badAnswer(status: 502)),
  ]

  @Test("a code is sent once, whatever the answer (FB-G2, FB-G4, FB-G6)", arguments: refusals)
  func once(refusal: (name: String, answer: ScriptedHTTP.Answer, error: PixivError)) async throws {
    let fixture = try Fixture(refusal.answer)
    let attempt = try fixture.attempt()
    await #expect(throws: refusal.error, "\(refusal.name)") {
      try await fixture.endpoint.exchange(code: Secret(text: "abc"), of: attempt)
    }
    #expect(fixture.http.requests.count == 1)
    #expect(!refusal.error.endsSession)
  }

  @Test("what we sent in confidence is in no word of Pixiv's, whatever it repeats (FB-A34)")
  func echoes() async throws {
    func echo(_ text: String) -> ScriptedHTTP.Answer {
      .json(
        #"{"has_error":true,"errors":{"system":{"message":"\#(text)?"}},"error":"odd"}"#,
        status: 400)
    }
    let fixture = try Fixture(
      echo("cod-GRAINCANARY"), echo(try Fixture().attempt().pkce.verifier.revealText()),
      echo("client-secret"), echo("refresh-0"),
      .json(#"{"error":{"user_message":"access-0?"}}"#, status: 403))
    let refused = PixivError.refused(status: 400, message: "…?")
    for _ in 0..<3 {
      await #expect(throws: refused) {
        try await fixture.endpoint.exchange(
          code: Secret(text: "cod-GRAINCANARY"), of: try fixture.attempt())
      }
    }
    await #expect(throws: refused) { try await fixture.endpoint.refresh(fixture.tokens()) }
    await #expect(throws: PixivError.refused(status: 403, message: "…?")) {
      try await fixture.session().send(.userDetail("11"))
    }
  }

  @Test("a person's names are cut to what can be shown, and an id nobody could keep is none")
  func names() async throws {
    let long = String(repeating: "x", count: 5000)
    let fixture = try Fixture(
      .json(#"{"user":{"id":1,"name":"A\u202Eda\#(long)","account":"\#(long)"},"profile":{}}"#),
      .json(#"{"user":{"id":"\#(long)","name":"A","account":"a"},"profile":{}}"#))
    let user = try await fixture.session().send(.userDetail("1"))
    #expect(user.name.hasPrefix("A dax") && user.name.count == 256)
    #expect(user.account.count == 256)
    await #expect(throws: PixivError.badAnswer(status: 200)) {
      try await fixture.session().send(.userDetail("1"))
    }
  }

  @Test("every request says which client it is and when it was made (X3, FB-G4)")
  func headers() async throws {
    let fixture = try Fixture(Fixture.issued(), Fixture.user())
    fixture.clock.set(Date(timeIntervalSince1970: 1_767_323_045))
    _ = try await fixture.endpoint.exchange(code: Secret(text: "abc"), of: try fixture.attempt())
    _ = try await fixture.session().send(.userDetail("11"))
    #expect(fixture.http.requests.count == 2)
    for request in fixture.http.requests {
      #expect(request.headers["User-Agent"]?.hasPrefix("PixivAndroidApp/") == true)
      #expect(request.headers["X-Client-Time"] == "2026-01-02T03:04:05+00:00")
      #expect(request.headers["X-Client-Hash"] == "69b0685118c7df8af3bc902ccdb9f9f5")
      #expect(request.headers["Accept-Language"] == "en")
      #expect(request.headers["App-OS"] == nil)
    }
  }

  @Test("tokens survive the vault as one secret, without the mail address (X2, X6)")
  func sealing() async throws {
    let fixture = try Fixture(Fixture.issued())
    let tokens = try await fixture.endpoint.exchange(
      code: Secret(text: "abc"), of: try fixture.attempt())
    #expect(PixivTokens(opening: tokens.sealed()) == tokens)
    #expect(!tokens.sealed().revealText().contains("ada@example.com"))
    for damaged in ["", "{}", #"{"version":2}"#, "[1]"] {
      #expect(PixivTokens(opening: Secret(text: damaged)) == nil)
    }
  }
}

import Foundation
import GrainTestSupport
import HTTPTransport
import OpenSSLCrypto
import PixivOAuth
import StrictJSON
import SystemClients
import Testing

@Suite("Pixiv: calls and refresh")
struct PixivSessionTests {
  @Test("a call goes to the API with a bearer and reads a typed answer (X8)")
  func call() async throws {
    let fixture = try Fixture(Fixture.user("42"))
    let user = try await fixture.session().send(.userDetail("42"))
    #expect(user.id == "42")
    let request = try #require(fixture.http.requests.first)
    #expect(
      request.url.absoluteString
        == "https://app-api.pixiv.net/v1/user/detail?user_id=42&filter=for_ios")
    #expect(request.headers["Authorization"] == "Bearer access-0")
  }

  @Test(
    "a 401, and the 400 that means ended, refresh once and repeat; the new token is kept first (X9)",
    arguments: [.status(401), Fixture.ended] as [ScriptedHTTP.Answer])
  func refresh(answer: ScriptedHTTP.Answer) async throws {
    let fixture = try Fixture(answer, Fixture.issued(), Fixture.user())
    _ = try await fixture.session().send(.userDetail("11"))
    #expect(fixture.http.requests.count == 3)
    #expect(form(fixture.http.requests[1])["grant_type"] == "refresh_token")
    #expect(form(fixture.http.requests[1])["refresh_token"] == "refresh-0")
    #expect(fixture.http.requests[2].headers["Authorization"] == "Bearer access-1")
    #expect(fixture.kept.all.map { $0?.accessToken } == [Secret(text: "access-1")])
  }

  @Test("no other 400 refreshes; its words reach the person (X9)")
  func otherBadRequest() async throws {
    let fixture = try Fixture(
      .json(#"{"error":{"user_message":"Not there.","message":"x"}}"#, status: 400))
    await #expect(throws: PixivError.refused(status: 400, message: "Not there.")) {
      try await fixture.session().send(.userDetail("11"))
    }
    #expect(fixture.http.requests.count == 1)
  }

  @Test(
    "`Rate Limit` waits instead of refreshing, whatever its status", arguments: [400, 403, 429])
  func rateLimit(status: Int) async throws {
    let fixture = try Fixture(
      .json(#"{"error":{"message":"Rate Limit"}}"#, status: status))
    await #expect(throws: PixivError.rateLimited(retryAfter: nil)) {
      try await fixture.session().send(.userDetail("11"))
    }
    #expect(fixture.http.requests.count == 1)
  }

  @Test(
    "a token that ends within a minute is refreshed before the call; the old refresh token stays")
  func proactive() async throws {
    let fixture = try Fixture(Fixture.issued(refresh: nil), Fixture.user())
    _ = try await fixture.session(fixture.tokens(endingIn: 59)).send(.userDetail("11"))
    #expect(fixture.http.requests.count == 2)
    #expect(fixture.kept.all.map { $0?.refreshToken } == [Secret(text: "refresh-0")])
  }

  @Test("twenty callers share one refresh (X7, X17, A27)")
  func singleFlight() async throws {
    let gate = Gate()
    let refreshes = Locked(0)
    let http = ScriptedHTTP(answering: { request in
      if request.method == "POST" {
        refreshes.withLock { $0 += 1 }
        return Fixture.issued().held(at: gate)
      }
      return request.headers["Authorization"] == "Bearer access-1"
        ? Fixture.user() : .status(401)
    })
    let fixture = try Fixture()
    let session = PixivSession(
      tokens: fixture.tokens(), configuration: fixture.configuration, http: http.client,
      clock: fixture.clock.clock, keep: { [kept = fixture.kept] in try kept.keep($0) })
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await session.send(.userDetail("11")).id } }
      await gate.arrivals(atLeast: 1)
      gate.open()
      for try await id in group { #expect(id == "11") }
    }
    #expect(refreshes.withLock { $0 } == 1)
    #expect(fixture.kept.all.count == 1)
  }

  static let ends: [(String, ScriptedHTTP.Answer)] = [
    ("invalid_grant", .json(Fixture.refused, status: 400)),
    (
      "code 1508 alone",
      .json(#"{"has_error":true,"errors":{"system":{"message":"x","code":1508}}}"#, status: 400)
    ),
    ("401", .json("{}", status: 401)),
  ]

  @Test(
    "a refused refresh token wipes this account, and nothing is sent any more (X18)",
    arguments: ends)
  func wiped(end: (name: String, answer: ScriptedHTTP.Answer)) async throws {
    let fixture = try Fixture(.status(401), end.answer)
    let session = fixture.session()
    for _ in 0..<2 {
      let error = await #expect(throws: PixivError.self) {
        try await session.send(.userDetail("11"))
      }
      #expect(error?.endsSession == true)
    }
    #expect(fixture.http.requests.count == 2)
    #expect(fixture.kept.all == [nil])
  }

  static let keeps: [(String, ScriptedHTTP.Answer, PixivError)] = [
    (
      "an unspecific 400",
      .json(#"{"has_error":true,"errors":{"system":{"message":"Nein, später"}}}"#, status: 400),
      .refused(status: 400, message: "Nein, später")
    ),
    ("our client", .json(#"{"error":"invalid_client"}"#, status: 400), .clientRefused),
    (
      "a block page",
      .response(HTTPResponse(status: 503, headers: ["Content-Type": "text/html"], body: [60])),
      .blocked(status: 503)
    ),
    ("no network", .failure(.offline), .network(.offline)),
  ]

  @Test("anything else keeps the tokens for the next try (FB-G1, FB-G4, FB-G6)", arguments: keeps)
  func kept(keep: (name: String, answer: ScriptedHTTP.Answer, error: PixivError)) async throws {
    let fixture = try Fixture(.status(401), keep.answer, Fixture.user())
    let session = fixture.session()
    await #expect(throws: keep.error, "\(keep.name)") {
      try await session.send(.userDetail("11"))
    }
    #expect(fixture.kept.all.isEmpty)
    _ = try await session.send(.userDetail("11"))
    #expect(fixture.http.requests.last?.headers["Authorization"] == "Bearer access-0")
  }

  @Test("fresh tokens that work no better do not loop")
  func banned() async throws {
    let fixture = try Fixture(.status(401), Fixture.issued(), .status(401))
    await #expect(throws: PixivError.badAnswer(status: 401)) {
      try await fixture.session().send(.userDetail("11"))
    }
    #expect(fixture.http.requests.count == 3)
  }

  @Test("tokens that cannot be stored are not used")
  func storeFails() async throws {
    let fixture = try Fixture(.status(401), Fixture.issued())
    fixture.kept.fail()
    await #expect(throws: PixivError.storeFailed) {
      try await fixture.session().send(.userDetail("11"))
    }
    #expect(fixture.http.requests.count == 2)
  }

  @Test("pages follow each other on the API's own host only (X25)")
  func pages() async throws {
    let fixture = try Fixture(
      .json(
        """
        {"illusts":[{"id":1,"title":"One","page_count":2,
        "image_urls":{"square_medium":"https://i.pximg.net/1.jpg"}},{"title":"nameless"}],
        "next_url":"https://app-api.pixiv.net/v1/user/illusts?offset=30"}
        """),
      .json(#"{"illusts":[],"next_url":"https://evil.example/v1/user/illusts"}"#))
    let session = fixture.session()
    let first = try await session.send(.illustrations(of: "11"))
    #expect(first.illustrations.map(\.id) == ["1"])
    let second = try await session.send(.page(try #require(first.next)))
    #expect(
      fixture.http.requests.last?.url.absoluteString
        == "https://app-api.pixiv.net/v1/user/illusts?offset=30")
    let foreign = try #require(second.next)
    await #expect(throws: PixivError.foreignPage) { try await session.send(.page(foreign)) }
    #expect(fixture.http.requests.count == 2)
  }

  @Test("pictures of Pixiv's hosts get the Referer they need, and no other host gets one (X25)")
  func referer() throws {
    func headers(_ text: String) throws -> [String: String] {
      PixivImage.headers(for: try #require(URL(string: text)))
    }
    #expect(try headers("https://i.pximg.net/a.jpg") == ["Referer": "https://app-api.pixiv.net/"])
    for other in [
      "https://example.com/a.jpg", "https://pximg.net.evil.tld/a.jpg", "http://i.pximg.net/a.jpg",
      "https://notpximg.net/a.jpg",
    ] {
      #expect(try headers(other).isEmpty, "\(other)")
    }
  }
}

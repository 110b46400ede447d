import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import StrictJSON
import SystemClients
import Testing

@testable import Sandbox

@Suite("Pixiv: tokens and calls")
struct PixivServiceAPITests {
  private static let me = "/v1/user/detail?user_id=1001&filter=for_ios"

  private func isTokenEnd(_ answer: HTTPServerResponse) throws -> Bool {
    let message = try answer.json["error"]?["message"]?.stringValue
    return answer.status == 400
      && message?.hasPrefix("Error occurred at the OAuth process") == true
  }

  @Test("an access token that has ended is a 400 with the words of the OAuth process (X9)")
  func expiry() async throws {
    let rig = try await PixivServiceRig()
    let (access, refresh) = try await rig.tokens()
    let answer = try await rig.call(Self.me, access).json
    #expect(answer["user"]?["id"] == 1001)
    #expect(answer["user"]?["name"] == "アリス")
    #expect(try isTokenEnd(await rig.call(Self.me, nil)))
    #expect(try isTokenEnd(await rig.call(Self.me, "\(access)x")))
    await rig.clock.advance(by: .seconds(3600))
    #expect(try isTokenEnd(await rig.call(Self.me, access)))
    let fresh = try #require(try await rig.refresh(refresh).json["access_token"]?.stringValue)
    #expect(await rig.call(Self.me, fresh).status == 200)
    try await rig.service.expireAccessTokens(of: "alice")
    #expect(try isTokenEnd(await rig.call(Self.me, fresh)))
    #expect(await rig.refresh(refresh).status == 200)
  }

  @Test("a refresh gives the same refresh token, until told to give a new one or none")
  func refreshTokens() async throws {
    let rig = try await PixivServiceRig()
    let (_, refresh) = try await rig.tokens()
    #expect(try await rig.refresh(refresh).json["refresh_token"] == .string(refresh))
    rig.service.faults.set { $0.leavesRefreshTokenOut = true }
    #expect(try await rig.refresh(refresh).json["refresh_token"] == nil)
    rig.service.faults.set {
      $0.leavesRefreshTokenOut = false
      $0.replacesRefreshToken = true
    }
    let new = try #require(try await rig.refresh(refresh).json["refresh_token"]?.stringValue)
    #expect(new != refresh)
    #expect(try await rig.refresh(refresh).json["error"] == "invalid_grant")
    rig.service.faults.clear()
    #expect(await rig.refresh(new).status == 200)
  }

  @Test("a revoked grant is invalid_grant with 1508, in nested words (FB-G1, X18)")
  func revoked() async throws {
    let rig = try await PixivServiceRig()
    let (access, refresh) = try await rig.tokens()
    try await rig.service.revokeTokens(of: "alice")
    #expect(try isTokenEnd(await rig.call(Self.me, access)))
    let answer = await rig.refresh(refresh)
    #expect(answer.status == 400)
    #expect(
      try answer.json == [
        "has_error": true,
        "errors": ["system": ["message": "Invalid refresh token", "code": 1508]],
        "error": "invalid_grant",
      ])
    #expect(try await rig.service.signIns(of: "alice") == 0)
  }

  @Test("a banned account gets fresh tokens that never work")
  func banned() async throws {
    let rig = try await PixivServiceRig()
    let (access, refresh) = try await rig.tokens()
    try await rig.service.setBanned(true, account: "alice")
    #expect(try isTokenEnd(await rig.call(Self.me, access)))
    let fresh = try #require(try await rig.refresh(refresh).json["access_token"]?.stringValue)
    #expect(try isTokenEnd(await rig.call(Self.me, fresh)))
    try await rig.service.setBanned(false, account: "alice")
    #expect(await rig.call(Self.me, fresh).status == 200)
  }

  @Test("who is no mobile application gets a page instead of JSON (FB-G4)")
  func blocked() async throws {
    let rig = try await PixivServiceRig()
    let (access, refresh) = try await rig.tokens()
    for agent in [nil, "curl/8.0", "grain-core"] {
      var headers = PixivServiceRig.appHeaders()
      headers["User-Agent"] = agent
      let answer = await rig.token(
        ["grant_type": "refresh_token", "refresh_token": refresh], headers: headers)
      #expect(answer.status == 403)
      #expect(answer.headers["Content-Type"]?.hasPrefix("text/html") == true)
    }
    rig.service.faults.set { $0.blocks = true }
    #expect(await rig.call(Self.me, access).status == 403)
    #expect(await rig.send("GET", PixivServiceRig.beginning).status == 302)
    rig.service.faults.clear()
    #expect(await rig.call(Self.me, access).status == 200)
  }

  @Test("the client hash is checked at the token endpoint and at the API")
  func clientHash() async throws {
    let rig = try await PixivServiceRig()
    let (_, refresh) = try await rig.tokens()
    let fields: [String: String?] = ["grant_type": "refresh_token", "refresh_token": refresh]
    var without = PixivServiceRig.appHeaders()
    without["X-Client-Hash"] = nil
    for headers in [
      without, PixivServiceRig.appHeaders(salt: "another"),
      PixivServiceRig.appHeaders(time: "2026-03-01T12:00:00Z"),
    ] {
      let answer = await rig.token(fields, headers: headers)
      #expect(answer.status == 400)
      #expect(try answer.json["error"] == "invalid_request")
      let call = await rig.send("GET", Self.me, headers: headers)
      #expect(call.status == 400)
      #expect(try call.json["error"]?["message"] == "Invalid client hash")
    }
  }

  @Test("a limit says so in words, whatever the status")
  func rateLimit() async throws {
    let rig = try await PixivServiceRig()
    let (access, _) = try await rig.tokens()
    for status in [403, 429, 400] {
      rig.service.faults.set { $0.rateLimitStatus = status }
      let answer = await rig.call(Self.me, access)
      #expect(answer.status == status)
      #expect(try answer.json["error"]?["message"] == "Rate Limit")
    }
  }

  @Test("works come in pages that name the next one on the same host, newest first (X25)")
  func pages() async throws {
    let rig = try await PixivServiceRig()
    let (access, _) = try await rig.tokens()
    var target: String? = "/v1/user/illusts?user_id=1001&filter=for_ios"
    var ids: [Int] = []
    var count = 0
    while let here = target {
      let page = try await rig.call(here, access).json
      ids += page["illusts"]?.arrayValue?.compactMap { $0["id"]?.intValue } ?? []
      let next = page["next_url"]?.stringValue
      #expect(next?.hasPrefix("http://127.0.0.1:2591/") ?? true)
      target = next.map { String($0.dropFirst("http://127.0.0.1:2591".count)) }
      count += 1
    }
    #expect(count == 3)
    #expect(ids == [1_001_007, 1_001_006, 1_001_005, 1_001_004, 1_001_003, 1_001_002, 1_001_001])
    let none = try await rig.call("/v1/user/illusts?user_id=1002&filter=for_ios", access).json
    #expect(none["illusts"] == [])
    #expect(none["next_url"]?.isNull == true)
    #expect(await rig.call("/v1/user/detail?user_id=7", access).status == 404)
    #expect(try !isTokenEnd(await rig.call("/v1/user/detail", access)))
  }

  @Test("pictures are for those who come from the API's host")
  func pictures() async throws {
    let rig = try await PixivServiceRig()
    let (access, _) = try await rig.tokens()
    let user = try await rig.call(Self.me, access).json["user"]
    let address = try #require(user?["profile_image_urls"]?["medium"]?.stringValue)
    let path = String(address.dropFirst("http://127.0.0.1:2591".count))
    #expect(await rig.send("GET", path).status == 403)
    let picture = await rig.send("GET", path, headers: ["Referer": "https://app-api.pixiv.net/"])
    #expect(picture.status == 200)
    #expect(picture.body.starts(with: [0xFF, 0xD8]))
  }

  @Test("a person signs in over HTTP in the sandbox's network, and faults happen there too")
  func network() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      let service = visit.network.addresses.pixiv
      let http = HTTPClient.live(visit.network.addresses.policy, userAgent: "visit", clock: .live)
      let page = try #require(URL(string: service.absoluteString + PixivServiceRig.beginning))
      let visitor = PixivVisitor(http: http)
      let addresses = try await visitor.signIn(page)
      #expect(addresses.last?.absoluteString.hasPrefix("pixiv://account/login?code=") == true)
      #expect(addresses.count > 4)
      #expect(!"\(visit.network.requests)".contains(Canary.marker))
      await visit.network.faults.add(.html502, on: SandboxFaults.Match(server: "pixiv"))
      #expect(try await visit.send("GET", "\(service.absoluteString)/v1/user/detail").status == 502)
    }
  }
}

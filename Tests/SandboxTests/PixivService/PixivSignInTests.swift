import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import StrictJSON
import Testing

@testable import Sandbox

@Suite("Pixiv: signing in")
struct PixivServiceSignInTests {
  @Test("a login passes look-alike addresses and ends in the one a web view catches (X10, FB-G3)")
  func addresses() async throws {
    let rig = try await PixivServiceRig()
    let addresses = try await rig.signIn()
    #expect(
      addresses.map { $0.prefix { $0 != "?" } } == [
        "/web/v1/login", "/login", "/post-redirect", "/web/v1/users/auth/pixiv/start",
        "/web/v1/users/auth/pixiv/callback", "pixiv://account/login",
      ])
    #expect(addresses[5].hasSuffix("&via=login"))
    let wrong = try await rig.signIn(password: "wrong")
    #expect(wrong.count == 2)
  }

  @Test("the answer has its members at the top, under response, or both, and the id as text")
  func answer() async throws {
    let rig = try await PixivServiceRig()
    for (shape, top, nested) in [
      (PixivFaults.AnswerShape.both, true, true), (.top, true, false), (.nested, false, true),
    ] {
      rig.service.faults.set { $0.answerShape = shape }
      let answer = await rig.exchange(try await rig.code())
      #expect(answer.status == 200, "\(answer.text)")
      let json = try answer.json
      #expect((json["access_token"] != nil) == top)
      #expect((json["response"]?["access_token"] != nil) == nested)
      let members = top ? JSONValue.object(json) : try #require(json["response"])
      #expect(members["user"]?["id"] == "1001")
      #expect(members["user"]?["account"] == "alice")
      #expect(members["expires_in"] == 3600)
      #expect(members["token_type"] == "bearer")
      #expect(members["scope"] == "")
      #expect(members["refresh_token"]?.stringValue != nil)
    }
    #expect(try await rig.service.signIns(of: "alice") == 3)
  }

  @Test("a code lives half a minute, is good once, and needs its verifier (FB-G2, X4)")
  func codes() async throws {
    let rig = try await PixivServiceRig()
    func isRefused(_ answer: HTTPServerResponse) throws -> Bool {
      try answer.status == 400 && answer.json["error"] == "invalid_grant"
        && answer.json["errors"]?["system"]?["code"] == 1508
    }
    let used = try await rig.code()
    #expect(await rig.exchange(used).status == 200)
    #expect(try isRefused(await rig.exchange(used)))
    let wrong = try await rig.code()
    let other = String(PixivServiceRig.verifier.reversed())
    #expect(try isRefused(await rig.exchange(wrong, verifier: other)))
    #expect(try isRefused(await rig.exchange(wrong)))
    let elsewhere = try await rig.code()
    #expect(try isRefused(await rig.exchange(elsewhere, redirect: "pixiv://account/login")))
    let (late, onTime) = (try await rig.code(), try await rig.code())
    await rig.clock.advance(by: .seconds(29))
    #expect(await rig.exchange(onTime).status == 200)
    await rig.clock.advance(by: .seconds(1))
    let expired = await rig.exchange(late)
    #expect(try isRefused(expired))
    #expect(expired.text.contains("expired"))
  }

  @Test("a wrong client is invalid_client and no word about the grant (FB-G6)")
  func wrongClient() async throws {
    let rig = try await PixivServiceRig()
    let (_, refresh) = try await rig.tokens()
    for changes: [String: String?] in [
      ["client_id": "x"], ["client_secret": "x"], ["client_secret": nil],
    ] {
      let fields: [String: String?] = ["grant_type": "refresh_token", "refresh_token": refresh]
      let answer = await rig.token(fields.merging(changes) { $1 })
      #expect(answer.status == 400)
      #expect(try answer.json["error"] == "invalid_client")
      #expect(try answer.json["errors"]?["system"]?["code"] == nil)
    }
    #expect(await rig.refresh(refresh).status == 200)
  }

  @Test("a page that asks for nothing sensible is no login")
  func badBeginnings() async throws {
    let rig = try await PixivServiceRig()
    for target in [
      "/web/v1/login", "/web/v1/login?code_challenge=x&code_challenge_method=S256&client=c",
      PixivServiceRig.beginning.replacing("S256", with: "plain"),
      PixivServiceRig.beginning.replacing("client=pixiv-android", with: ""),
      "/post-redirect?return_to=https%3A%2F%2Fevil.example%2F",
      "/post-redirect?return_to=%2F%2Fevil.example",
    ] {
      #expect(await rig.send("GET", target).status == 400, "\(target)")
    }
    let foreign = await rig.send(
      "POST", "/login",
      headers: [
        "Origin": "https://evil.example", "Content-Type": FormURLEncoding.mediaType,
      ], body: FormURLEncoding.encode([("account", "alice"), ("password", "sandbox")]))
    #expect(foreign.status == 403)
  }
}

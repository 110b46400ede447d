import Foundation
import GrainTestSupport
import HTTPTransport
import OAuth
import OpenSSLCrypto
import PlatriumTokens
import StrictJSON
import SystemClients
import Testing

@Suite("Platrium: using the token")
struct PlatriumClientTests {
  private let token: PlatriumToken
  init() throws { token = try PlatriumToken(Fixture.token) }

  @Test(
    "every call carries the token as a bearer and no cookie, not even one that was set (P1, P30)")
  func bearer() async throws {
    let cookie: HTTPHeaders = ["Set-Cookie": "sid=1"]
    let fixture = try Fixture(
      .json(#"{"user":{"id":9},"auth_kind":"DEVICE","device_id":3}"#, headers: cookie),
      .json(#"{"clients":[]}"#, headers: cookie), .status(204))
    let session = try await fixture.client.me(token)
    #expect(session.user.id == "9")
    #expect(session.deviceID == "3")
    _ = try await fixture.client.clients(token)
    try await fixture.client.logOut(token)
    for request in fixture.http.requests {
      #expect(request.headers["Authorization"] == "Bearer \(Fixture.token)")
      #expect(request.headers["Cookie"] == nil)
    }
    #expect(
      fixture.http.requests.map { "\($0.method) \($0.url.path)" } == [
        "GET /api/auth/me", "GET /api/auth/clients", "POST /api/auth/logout",
      ])
  }

  @Test("the kind of credential is told, also one that is not known yet (P29)")
  func kinds() async throws {
    let kinds: [(String, PlatriumSession.Kind)] = [
      ("SESSION", .session), ("DEVICE", .device), ("APP", .app), ("ROBOT", .other("ROBOT")),
    ]
    for (text, kind) in kinds {
      let fixture = try Fixture(.json(#"{"user":{"id":"u"},"auth_kind":"\#(text)"}"#))
      #expect(try await fixture.client.me(token).kind == kind)
    }
  }

  @Test("devices and apps are listed, the calling one is flagged, nonsense is left out (P36)")
  func clients() async throws {
    let fixture = try Fixture(
      .json(
        """
        {"clients":[
        {"id":"c1","kind":"DEVICE","name":"Phone","platform":"IOS","app_version":"2",
        "created_at":"2026-01-01T00:00:00Z","last_used_at":"2026-02-01T00:00:00Z",
        "push_transport":"APNS","current":true},
        {"id":2,"kind":"APP","name":"Backup","created_at":"2026-01-01T00:00:00Z","current":false},
        {"kind":"APP"},"?"]}
        """))
    let list = try await fixture.client.clients(token)
    #expect(list.map(\.id) == ["c1", "2"])
    #expect(list.map(\.isCurrent) == [true, false])
    #expect(list[0].kind == .device)
    #expect(list[0].pushTransport == "APNS")
    #expect(list[1].lastUsedAt == nil)
  }

  @Test("revoking names the entry, safely; one that is gone already is done (P38)")
  func revoke() async throws {
    let fixture = try Fixture(.status(204), .status(404))
    try await fixture.client.revoke("../me", token)
    try await fixture.client.revoke("c2", token)
    #expect(
      fixture.http.requests.first?.url.absoluteString
        == "https://platrium.test/api/auth/clients/..%2Fme")
    #expect(fixture.http.requests.map(\.method) == ["DELETE", "DELETE"])
  }

  @Test("a device sets and clears its own push token; an app may not (P7, P39, P42, P44)")
  func push() async throws {
    let fixture = try Fixture(.status(204), .status(204), .status(403))
    try await fixture.client.setPush(transport: "FCM", pushToken: Secret(text: "p"), token)
    #expect(Fixture.body(fixture.http.requests[0]) == ["transport": "FCM", "token": "p"])
    try await fixture.client.clearPush(token)
    #expect(
      fixture.http.requests.map { "\($0.method) \($0.url.path)" } == [
        "PUT /api/auth/device/push", "DELETE /api/auth/device/push",
      ])
    await #expect(throws: PlatriumError.forbidden(nil)) {
      try await fixture.client.setPush(transport: "FCM", pushToken: Secret(text: "p"), token)
    }
  }

  @Test("a 401 means forget it; 403, 429 and 5xx never do (P9)")
  func endings() async throws {
    let answers: [(Int, PlatriumError)] = [
      (401, .tokenGone), (403, .forbidden(nil)), (429, .rateLimited(.seconds(5))),
      (500, .server(status: 500)), (503, .server(status: 503)), (404, .notFound),
    ]
    for (status, error) in answers {
      let fixture = try Fixture(.status(status))
      await #expect(throws: error) { try await fixture.client.me(token) }
      #expect(error.endsSession == (status == 401))
    }
    let fixture = try Fixture(.failure(.offline))
    await #expect(throws: PlatriumError.network(.offline)) { try await fixture.client.me(token) }
  }

  @Test("a wait the service asks for holds for every call, and is over in time (P33, P48)")
  func rateLimit() async throws {
    let fixture = try Fixture(
      .status(429, headers: ["Retry-After": "30"]),
      .json(#"{"user":{"id":"u"},"auth_kind":"APP"}"#))
    await #expect(throws: PlatriumError.rateLimited(.seconds(30))) {
      try await fixture.client.clients(token)
    }
    await fixture.clock.advance(by: .seconds(20))
    await #expect(throws: PlatriumError.rateLimited(.seconds(10))) {
      try await fixture.client.me(token)
    }
    #expect(fixture.http.requests.count == 1)
    await fixture.clock.advance(by: .seconds(10))
    _ = try await fixture.client.me(token)
  }

  @Test("a clock that was set back does not stretch a wait of seconds into one of hours (P33, A44)")
  func clockSetBack() async throws {
    let fixture = try Fixture(
      .status(429, headers: ["Retry-After": "30"]),
      .json(#"{"user":{"id":"u"},"auth_kind":"APP"}"#))
    await #expect(throws: PlatriumError.rateLimited(.seconds(30))) {
      try await fixture.client.me(token)
    }
    fixture.clock.set(fixture.clock.now.addingTimeInterval(-7200))
    _ = try await fixture.client.me(token)
    #expect(fixture.http.requests.count == 2)
  }

  @Test("of two waits asked for at once the longer one holds, whichever comes last (P33)")
  func longerWait() async throws {
    let gate = Gate()
    let fixture = try Fixture(
      .status(429, headers: ["Retry-After": "5"]).held(at: gate),
      .status(429, headers: ["Retry-After": "60"]))
    let (client, token) = (fixture.client, token)
    let first = Task { try await client.me(token) }
    await gate.arrivals(atLeast: 1)
    await #expect(throws: PlatriumError.rateLimited(.seconds(60))) { try await client.me(token) }
    gate.open()
    _ = await first.result
    await fixture.clock.advance(by: .seconds(10))
    await #expect(throws: PlatriumError.rateLimited(.seconds(50))) { try await client.me(token) }
    #expect(fixture.http.requests.count == 2)
  }

  @Test("logging out with a token that is gone already succeeds (P40)")
  func logOutTwice() async throws {
    let fixture = try Fixture(.status(401))
    try await fixture.client.logOut(token)
  }

  @Test("what we sent in confidence is in no word of the service's, whatever it repeats (FB-A34)")
  func echoes() async throws {
    let code = Secret(text: "cod-GRAINCANARY")
    let push = Secret(text: "push-GRAINCANARY")
    let verifier = try Fixture().attempt().pkce.verifier.revealText()
    let fixture = try Fixture(
      .json(#"{"error":"no","message":"\#(Fixture.token) may not"}"#, status: 403),
      .response(
        HTTPResponse(
          status: 403, headers: ["Content-Type": "text/plain"],
          body: Array("\(Fixture.token) may not".utf8))),
      .json(#"{"error":"cod-GRAINCANARY","message":"\#(verifier)"}"#, status: 400),
      .json(#"{"error":"no","message":"push-GRAINCANARY"}"#, status: 422))
    for _ in 0..<2 {
      await #expect(throws: PlatriumError.forbidden("… may not")) {
        try await fixture.client.me(token)
      }
    }
    await #expect(throws: PlatriumError.refused(code: "…", message: "…")) {
      try await fixture.client.exchange(code: code, of: try fixture.attempt())
    }
    await #expect(throws: PlatriumError.refused(code: "no", message: "…")) {
      try await fixture.client.setPush(transport: "FCM", pushToken: push, token)
    }
  }

  @Test("names are cut to what can be shown, and an id nobody could keep is none")
  func names() async throws {
    let long = String(repeating: "x", count: 5000)
    let fixture = try Fixture(
      .json(
        #"{"user":{"id":"u","name":"A\u202Eda\n\#(long)"},"tenant":{"id":1,"name":"\#(long)"},"auth_kind":"APP"}"#
      ), .json(#"{"user":{"id":"\#(long)"},"auth_kind":"APP"}"#),
      .json(#"{"clients":[{"id":"c","kind":"APP","name":"\#(long)"}]}"#))
    let session = try await fixture.client.me(token)
    #expect(session.user.name?.hasPrefix("A da x") == true)
    #expect(session.user.name.map(\.count).map { $0 <= 256 } == true)
    #expect(session.tenantName?.count == 256)
    await #expect(throws: PlatriumError.server(status: 200)) { try await fixture.client.me(token) }
    #expect(try await fixture.client.clients(token).first?.name.count == 256)
  }

  @Test("the service's own words reach a person clean, from JSON and from plain text")
  func words() async throws {
    let fixture = try Fixture(
      .json(#"{"error":"nope","message":"Line\u0007 one\nline two"}"#, status: 403),
      .response(
        HTTPResponse(
          status: 403, headers: ["Content-Type": "text/plain"], body: Array("Not you.".utf8))))
    await #expect(throws: PlatriumError.forbidden("Line one line two")) {
      try await fixture.client.me(token)
    }
    await #expect(throws: PlatriumError.forbidden("Not you.")) {
      try await fixture.client.me(token)
    }
  }
}

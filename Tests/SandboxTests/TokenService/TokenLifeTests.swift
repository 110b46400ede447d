import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import SQLiteDatabase
import StrictJSON
import SystemClients
import Testing

@testable import Sandbox

@Suite("Platrium: codes and tokens")
struct PlatriumTokenTests {
  @Test(
    "a code and its verifier give a token of 256 random bits, kept as a digest only (P3, P4, P17)")
  func exchange() async throws {
    let rig = try await TokenServiceRig()
    let cookie = try await rig.logIn().cookie
    let answer = await rig.redeem(try await rig.code(cookie: cookie))
    #expect(answer.status == 200, "\(answer.outcome)")
    #expect(answer.headers["Cache-Control"] == "no-store")
    let json = try answer.json
    let token = try #require(json["token"]?.stringValue)
    #expect(token.wholeMatch(of: /plt_[A-Za-z0-9_-]{43,}/) != nil)
    #expect(json["kind"] == "DEVICE")
    #expect(json["user"] == ["id": "usr_alice", "email": "alice@example.com", "name": "Alice"])
    #expect(json["tenant"] == ["id": "tnt_harbour", "name": "Harbour"])
    let rows = try await rig.store.read { database in
      try database.query("SELECT * FROM platrium_auth_tokens")
        + database.query("SELECT * FROM platrium_devices")
    }
    #expect(!"\(rows)".contains(token))
    #expect(!"\(rows)".contains(token.dropFirst(4)))
    #expect(rows.count == 2)
  }

  @Test("a platform makes the client a device, its absence an app (P6, P14, P29, P41)")
  func kinds() async throws {
    let rig = try await TokenServiceRig()
    let device = try await rig.call("GET", "me", token: try await rig.token()).json
    #expect(device["auth_kind"] == "DEVICE")
    #expect(device["device_id"]?.stringValue != nil)
    let app = try await rig.call("GET", "me", token: try await rig.token(["platform": nil])).json
    #expect(app["auth_kind"] == "APP")
    #expect(app["device_id"] == nil)
    let browser = try await rig.call("GET", "me", cookie: try await rig.logIn().cookie).json
    #expect(browser["auth_kind"] == "SESSION")
    #expect(browser["user"] == app["user"])
    #expect(browser["tenant"] == device["tenant"])
  }

  @Test("a token acts in the tenant it was made in, wherever its owner is by now (P28)")
  func tenant() async throws {
    let rig = try await TokenServiceRig()
    let token = try await rig.token()
    try await rig.store.write {
      try $0.execute("UPDATE platrium_users SET tenant = 'tnt_lighthouse' WHERE id = 'usr_alice'")
    }
    let tenant = try await rig.call("GET", "me", token: token).json["tenant"]
    #expect(tenant == ["id": "tnt_harbour", "name": "Harbour"])
    let browser = try await rig.call("GET", "me", cookie: try await rig.logIn().cookie).json
    #expect(browser["tenant"]?["id"] == "tnt_lighthouse")
  }

  @Test("a code is burned by the first try, right or wrong, and lives five minutes (P16, P18)")
  func codes() async throws {
    let rig = try await TokenServiceRig()
    let cookie = try await rig.logIn().cookie
    let refused = "400 invalid_grant: The code is not valid."
    let used = try await rig.code(cookie: cookie)
    #expect(await rig.redeem(used).status == 200)
    #expect(await rig.redeem(used).outcome == refused)

    let wrongVerifier = try await rig.code(cookie: cookie)
    let other = String(TokenServiceRig.verifier.reversed())
    #expect(await rig.redeem(wrongVerifier, verifier: other).outcome == refused)
    #expect(await rig.redeem(wrongVerifier).outcome == refused)

    let wrongRedirect = try await rig.code(cookie: cookie)
    #expect(await rig.redeem(wrongRedirect, redirect: "platrium://callback").outcome == refused)
    #expect(await rig.redeem(wrongRedirect).outcome == refused)

    let noVerifier = try await rig.code(cookie: cookie)
    #expect(await rig.call("POST", "token", ["code": .string(noVerifier)]).outcome == refused)
    #expect(await rig.redeem(noVerifier).outcome == refused)

    let late = try await rig.code(cookie: cookie)
    let onTime = try await rig.code(cookie: cookie)
    await rig.clock.advance(by: .seconds(299))
    #expect(await rig.redeem(onTime).status == 200)
    await rig.clock.advance(by: .seconds(1))
    #expect(await rig.redeem(late).outcome == refused)
    #expect(await rig.redeem("never seen").outcome == refused)
    let rows = try await rig.store.read { try $0.query("SELECT namespace FROM platrium_codes") }
    #expect(rows.isEmpty)
  }

  @Test("codes are kept by digest, in their own namespace (P16)")
  func codesAtRest() async throws {
    let rig = try await TokenServiceRig()
    let code = try await rig.code(cookie: try await rig.logIn().cookie)
    let rows = try await rig.store.read { try $0.query("SELECT * FROM platrium_codes") }
    #expect(rows.first?.text("namespace") == "acod")
    #expect(!"\(rows)".contains(code))
  }

  @Test("a bad token is 401 and never falls back to the cookie beside it (P30)")
  func badTokens() async throws {
    let rig = try await TokenServiceRig()
    let token = try await rig.token()
    let cookie = try await rig.logIn().cookie
    #expect(await rig.call("GET", "me", cookie: cookie).status == 200)
    for authorization in [
      "Bearer plt_\(String(repeating: "A", count: 43))", "Bearer", "Bearer ", "Basic dTpw",
      "\(token)", "DPoP \(token)", "Bearer \(token)x",
    ] {
      let answer = await rig.call(
        "GET", "me", cookie: cookie, headers: ["Authorization": authorization])
      #expect(answer.status == 401, "\(authorization)")
      #expect(answer.headers["WWW-Authenticate"] == "Bearer")
    }
    #expect(await rig.call("GET", "me").status == 401)
    #expect(await rig.call("GET", "me", token: token).status == 200)
  }

  @Test("requests for a token are counted by address, and the wait is named (P33)")
  func rateLimit() async throws {
    let rig = try await TokenServiceRig { $0.tokenRequests = 2 }
    let code = try await rig.code(cookie: try await rig.logIn().cookie)
    #expect(await rig.redeem("a").status == 400)
    await rig.clock.advance(by: .seconds(20))
    #expect(await rig.redeem("b", peer: "127.0.0.1:50001").status == 400)
    let refused = await rig.redeem(code)
    #expect(refused.status == 429)
    #expect(refused.headers["Retry-After"] == "40")
    #expect(await rig.redeem("c", peer: "127.0.0.2:50000").status == 400)
    // Nothing was looked at, so the code is good still.
    await rig.clock.advance(by: .seconds(40))
    #expect(await rig.redeem(code).status == 200)
  }
}

import Foundation
import HTTPServing
import HTTPTransport
import SQLiteDatabase
import StrictJSON
import Testing

@testable import Sandbox

@Suite("Platrium: devices and apps")
struct PlatriumClientsTests {
  @Test("a device and its token are one: whichever row goes takes the other along (P8)")
  func boundInTheSchema() async throws {
    let rig = try await TokenServiceRig()
    let first = try await rig.token()
    let second = try await rig.token()
    let app = try await rig.token(["platform": nil])
    let clients = try await rig.service.clients(of: "usr_alice")
    #expect(clients.map(\.kind) == [.device, .device, .app])
    let device = try #require(clients[0].device)
    try await rig.store.write {
      try $0.execute("DELETE FROM platrium_devices WHERE id = ?", [.text(device)])
    }
    #expect(await rig.call("GET", "me", token: first).status == 401)
    try await rig.store.write {
      try $0.execute("DELETE FROM platrium_auth_tokens WHERE id = ?", [.text(clients[1].id)])
    }
    #expect(await rig.call("GET", "me", token: second).status == 401)
    #expect(try await rig.count("platrium_devices") == 0)
    #expect(try await rig.count("platrium_auth_tokens") == 1)
    #expect(await rig.call("GET", "me", token: app).status == 200)
  }

  @Test("there is no half of a device: the schema takes neither row without the other (P8)")
  func noHalves() async throws {
    let rig = try await TokenServiceRig()
    _ = try await rig.token()
    let half = """
      INSERT INTO platrium_auth_tokens VALUES ('x', 'h', 'usr_alice', 'tnt_harbour', 'n', 'gone', 1, NULL)
      """
    await #expect(throws: SQLiteError.self) { try await rig.store.write { try $0.execute(half) } }
    let stray = "INSERT INTO platrium_devices VALUES ('d', 'nobody', 'IOS', NULL, NULL, NULL)"
    await #expect(throws: SQLiteError.self) { try await rig.store.write { try $0.execute(stray) } }
    #expect(try await rig.count("platrium_auth_tokens") == 1)
    #expect(try await rig.count("platrium_devices") == 1)
  }

  @Test("the list has devices and apps with the caller's flagged, and no secret (P36, P43)")
  func list() async throws {
    let rig = try await TokenServiceRig()
    let token = try await rig.token()
    _ = try await rig.token(["platform": nil, "name": "Backup"])
    _ = try await rig.token(email: "bob@example.com")
    let push: JSONObject = ["transport": "APNS", "token": "push-secret"]
    #expect(await rig.call("PUT", "device/push", token: token, push).status == 204)
    let answer = await rig.call("GET", "clients", token: token)
    #expect(!answer.text.contains("push-secret"))
    let clients = try #require(try answer.json["clients"]?.arrayValue)
    #expect(clients.count == 2)
    #expect(clients[0]["current"] == true)
    #expect(clients[0]["platform"] == "IOS")
    #expect(clients[0]["app_version"] == "2.1")
    #expect(clients[0]["push_transport"] == "APNS")
    #expect(clients[0]["created_at"] == "2026-03-01T12:00:00.000Z")
    #expect(clients[0]["last_used_at"] == "2026-03-01T12:00:00.000Z")
    #expect(clients[1]["current"] == false)
    #expect(clients[1]["kind"] == "APP")
    #expect(clients[1]["last_used_at"] == nil)
    let browser = await rig.call("GET", "clients", cookie: try await rig.logIn().cookie)
    #expect(try browser.json["clients"]?.arrayValue?.allSatisfy { $0["current"] == false } == true)
  }

  @Test("a person revokes what is theirs, from a browser or any client (P38)")
  func revoke() async throws {
    let rig = try await TokenServiceRig()
    let tokens = [try await rig.token(), try await rig.token(["platform": nil])]
    let ids = try await rig.service.clients(of: "usr_alice").map(\.id)
    let bob = try await rig.token(email: "bob@example.com")
    #expect(await rig.call("DELETE", "clients/\(ids[0])", token: bob).status == 404)
    #expect(await rig.call("DELETE", "clients/\(ids[1])", token: tokens[0]).status == 204)
    #expect(await rig.call("GET", "me", token: tokens[1]).status == 401)
    #expect(await rig.call("DELETE", "clients/\(ids[1])", token: tokens[0]).status == 404)
    // One's own entry is a sign-out.
    #expect(await rig.call("DELETE", "clients/\(ids[0])", token: tokens[0]).status == 204)
    #expect(await rig.call("GET", "me", token: tokens[0]).status == 401)
    let cookie = try await rig.logIn(email: "bob@example.com").cookie
    let id = try #require(try await rig.service.clients(of: "usr_bob").first?.id)
    #expect(await rig.call("DELETE", "clients/\(id)", cookie: cookie).status == 204)
    #expect(await rig.call("GET", "me", token: bob).status == 401)
  }

  @Test("only a browser makes a token by hand, and it is shown once (P5, P25, P37)")
  func byHand() async throws {
    let rig = try await TokenServiceRig()
    let cookie = try await rig.logIn().cookie
    let made = await rig.call("POST", "clients", cookie: cookie, ["name": "Backup"])
    #expect(made.status == 201)
    let token = try #require(try made.json["token"]?.stringValue)
    #expect(try made.json["client"]?["kind"] == "APP")
    #expect(try await rig.call("GET", "me", token: token).json["auth_kind"] == "APP")
    #expect(await rig.call("POST", "clients", token: token, ["name": "More"]).status == 403)
    #expect(await rig.call("POST", "clients", ["name": "More"]).status == 401)
    #expect(await rig.call("POST", "clients", cookie: cookie, [:]).status == 400)

    let page = await rig.send("GET", "/devices", headers: ["Cookie": cookie])
    #expect(page.text.contains("Backup"))
    #expect(!page.text.contains("plt_"))
    let shown = try await rig.submit(page, "/create", cookie: cookie) { $0.fill("name", "CI") }
    let copied = try #require(PageText(shown.text).newToken)
    #expect(await rig.call("GET", "me", token: copied).status == 200)
    let revoked = try await rig.submit(page, "/revoke", cookie: cookie)
    #expect(revoked.status == 303)
    #expect(await rig.call("GET", "me", token: token).status == 401)
  }

  @Test("a device sets and clears its own push; apps and browsers have none (P7, P39, P42–P44)")
  func push() async throws {
    let rig = try await TokenServiceRig()
    let token = try await rig.token()
    let other = try await rig.token()
    let app = try await rig.token(["platform": nil])
    let push: JSONObject = ["transport": "FCM", "token": "abc"]
    #expect(await rig.call("PUT", "device/push", token: app, push).status == 403)
    #expect(
      await rig.call("PUT", "device/push", cookie: try await rig.logIn().cookie, push).status == 403
    )
    #expect(await rig.call("DELETE", "device/push", token: app).status == 403)
    #expect(await rig.call("PUT", "device/push", token: token, push).status == 204)
    var kept = try await rig.service.clients(of: "usr_alice")
    #expect(kept.map(\.pushToken) == ["abc", nil, nil])
    #expect(kept.map(\.pushTransport) == ["FCM", nil, nil])
    for bad: JSONObject in [
      ["transport": "MAIL", "token": "x"], ["transport": "APNS"],
      ["transport": "APNS", "token": ""],
    ] {
      #expect(await rig.call("PUT", "device/push", token: token, bad).status == 400)
    }
    #expect(await rig.call("DELETE", "device/push", token: other).status == 204)
    #expect(await rig.call("DELETE", "device/push", token: token).status == 204)
    kept = try await rig.service.clients(of: "usr_alice")
    #expect(kept.allSatisfy { $0.pushToken == nil && $0.pushTransport == nil })
  }

  @Test("a logout deletes the calling token, or ends the browser's session (P40)")
  func logOut() async throws {
    let rig = try await TokenServiceRig()
    let token = try await rig.token()
    #expect(await rig.call("POST", "logout", token: token).status == 204)
    #expect(await rig.call("POST", "logout", token: token).status == 401)
    #expect(try await rig.count("platrium_devices") == 0)
    let cookie = try await rig.logIn().cookie
    let answer = await rig.call("POST", "logout", cookie: cookie)
    #expect(answer.status == 204)
    #expect(answer.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
    #expect(await rig.call("GET", "me", cookie: cookie).status == 401)
  }
}

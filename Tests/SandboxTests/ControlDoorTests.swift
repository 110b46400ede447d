import Foundation
import HTTPTransport
import Sandbox
import StrictJSON
import Testing

@Suite("Trouble on request, over HTTP")
struct ControlDoorTests {
  private func control(
    _ visit: SandboxVisit, _ method: String, _ path: String, _ body: JSONValue? = nil,
    headers: HTTPHeaders = [:]
  ) async throws -> Answer {
    var headers = headers
    headers["Content-Type"] = body.map { _ in "application/json" }
    return try await visit.send(
      method, "\(visit.network.addresses.pds.absoluteString)/_sandbox/\(path)", headers: headers,
      body: body.map { .bytes($0.serialized()) } ?? .none)
  }

  @Test("any server takes faults for any other, and calls them off")
  func faults() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      let me = "\(visit.network.addresses.platrium.absoluteString)/api/auth/me"
      let fault: JSONValue = [
        "server": "platrium", "fault": "status", "status": 429, "retryAfter": 9, "times": 2,
        "path": "/api/auth",
      ]
      #expect(try await control(visit, "POST", "faults", fault).status == 204)
      let answer = try await visit.send("GET", me)
      #expect(answer.status == 429)
      #expect(answer.headers["Retry-After"] == "9")
      #expect(try await control(visit, "DELETE", "faults").status == 204)
      #expect(try await visit.send("GET", me).status == 401)
      let log = try await control(visit, "GET", "requests")
      let entries = try #require(log["requests"]?.arrayValue)
      #expect(entries.compactMap { $0["status"]?.intValue } == [429, 401])
      #expect(entries[0]["server"] == "platrium")
    }
  }

  @Test("tokens end, accounts are banned, and the other service behaves badly")
  func services() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      for (path, body) in [
        ("platrium/revoke", ["user": "usr_alice"]), ("pixiv/expire", ["account": "alice"]),
        ("pixiv/revoke", ["account": "alice"]), ("pixiv/ban", ["account": "alice"]),
        ("pixiv/faults", ["blocks": true, "rateLimitStatus": 403, "answerShape": "nested"]),
      ] as [(String, JSONValue)] {
        #expect(try await control(visit, "POST", path, body).status == 204, "\(path)")
      }
      let faults = visit.network.pixivService.faults.current
      #expect(faults.blocks)
      #expect(faults.rateLimitStatus == 403)
      #expect(faults.answerShape == .nested)
      #expect(try await control(visit, "DELETE", "faults").status == 204)
      #expect(!visit.network.pixivService.faults.current.blocks)
    }
  }

  @Test("what makes no sense is refused in words, and web pages are refused altogether")
  func refused() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      for body: JSONValue in [
        [:], ["fault": "flood"], ["fault": "status"], ["fault": "html502", "server": "moon"], [],
      ] {
        let answer = try await control(visit, "POST", "faults", body)
        #expect(answer.status == 400, "\(body)")
        #expect(!answer.text.isEmpty)
      }
      #expect(try await control(visit, "POST", "pixiv/ban", [:]).status == 400)
      #expect(try await control(visit, "POST", "nothing", [:]).status == 404)
      let page = try await control(
        visit, "POST", "faults", ["fault": "html502"], headers: ["Origin": "https://evil.example"])
      #expect(page.status == 403)
      #expect(await visit.network.faults.remaining == 0)
    }
  }
}

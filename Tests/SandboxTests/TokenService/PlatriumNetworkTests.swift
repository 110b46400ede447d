import Foundation
import GrainTestSupport
import HTTPTransport
import Sandbox
import StrictJSON
import SystemClients
import Testing

@Suite("Platrium in the sandbox's network")
struct PlatriumNetworkTests {
  @Test("a person walks its pages over HTTP, makes a token, and nothing secret is logged")
  func visit() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      let service = visit.network.addresses.platrium
      let http = HTTPClient.live(visit.network.addresses.policy, userAgent: "visit", clock: .live)
      let visitor = PlatriumVisitor(http: http)
      let token = try await visitor.makeToken(at: service, name: "By hand")
      let me = try await visit.send(
        "GET", "\(service.absoluteString)/api/auth/me",
        headers: ["Authorization": "Bearer \(token)"])
      #expect(me["auth_kind"] == "APP")
      #expect(
        try await visit.network.tokenService.clients(of: "usr_alice").map(\.name) == ["By hand"])
      let question = """
        \(service.absoluteString)/authorize?redirect_uri=http%3A%2F%2F127.0.0.1%3A4%2Fcallback\
        &code_challenge=\(String(repeating: "a", count: 43))&code_challenge_method=S256&state=s&name=CLI
        """
      let page = try #require(URL(string: question))
      let yes = try await visitor.approve(page)
      #expect(yes.absoluteString.hasPrefix("http://127.0.0.1:4/callback?code="))
      let no = try await PlatriumVisitor(http: http).deny(page, email: "bob@example.com")
      #expect(no.query()?.contains("error=access_denied") == true)
      await #expect(throws: PageWalkFailure.self) {
        try await PlatriumVisitor(http: http).approve(page, password: "wrong")
      }
      #expect(!"\(visit.network.requests)".contains(Canary.marker))
      try await visit.network.tokenService.revokeAll(of: "usr_alice")
      let gone = try await visit.send(
        "GET", "\(service.absoluteString)/api/auth/me",
        headers: ["Authorization": "Bearer \(token)"])
      #expect(gone.status == 401)
    }
  }

  @Test("what a core has to know of the other services is ready to be configured")
  func configuration() async throws {
    try await SandboxVisit.run { visit in
      let addresses = visit.network.addresses
      let pixiv = addresses.pixiv.absoluteString
      #expect(
        addresses.serviceConfiguration == [
          "platriumServer": .string(addresses.platrium.absoluteString),
          "pixivClientID": "sandbox-pixiv-client", "pixivClientSecret": "sandbox-pixiv-secret",
          "pixivHashSalt": "sandbox-pixiv-salt", "pixivLoginBase": .string(pixiv),
          "pixivTokenURL": .string("\(pixiv)/auth/token"), "pixivAPIBase": .string(pixiv),
        ])
    }
  }

  @Test("faults happen to it as to every server")
  func faults() async throws {
    try await SandboxVisit.run { (visit) async throws -> Void in
      let me = "\(visit.network.addresses.platrium.absoluteString)/api/auth/me"
      await visit.network.faults.add(
        .status(503, retryAfter: 7), on: SandboxFaults.Match(server: "platrium"))
      let answer = try await visit.send("GET", me)
      #expect(answer.status == 503)
      #expect(answer.headers["Retry-After"] == "7")
      #expect(try await visit.send("GET", me).status == 401)
    }
  }

  @Test("a restart on the same file knows its people and its tokens, and has its address")
  func restart() async throws {
    let folder = try TemporaryFolder()
    var configuration = SandboxConfiguration()
    configuration.databasePath = folder.path("sandbox.sqlite")
    let (first, second) = (Locked(""), configuration)
    let address = Locked("")
    try await SandboxVisit.run(configuration) { (visit) async throws -> Void in
      let http = HTTPClient.live(visit.network.addresses.policy, userAgent: "visit", clock: .live)
      let service = visit.network.addresses.platrium
      let token = try await PlatriumVisitor(http: http).makeToken(at: service, name: "Kept")
      first.withLock { $0 = token }
      address.withLock { $0 = service.absoluteString }
      // Where nobody is given a port who wants any.
      #expect((10_240..<32_768).contains(try #require(service.port)))
    }
    try await SandboxVisit.run(second) { (visit) async throws -> Void in
      let service = visit.network.addresses.platrium.absoluteString
      #expect(service == address.withLock { $0 })
      let me = try await visit.send(
        "GET", "\(service)/api/auth/me",
        headers: ["Authorization": "Bearer \(first.withLock { $0 })"])
      #expect(me["user"]?["id"] == "usr_alice")
    }
  }
}

import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import SystemClients
import Testing

@Suite("Secure connections", .timeLimit(.minutes(2)))
struct SecureTests {
  /// A client that reaches every host below `.test` at that server.
  private func client(_ server: HTTPServer, trusting anchors: String?) throws -> HTTPClient {
    let base = try #require(URL(string: "https://127.0.0.1:\(server.port)"))
    return .live(
      NetworkPolicy(allowInsecureLoopback: true, hosts: ["*.test": base], trustAnchors: anchors),
      userAgent: "x", clock: .live)
  }

  private func request(
    _ url: String, method: String = "GET", body: HTTPBody = .none
  ) throws -> HTTPRequest {
    HTTPRequest(
      method: method, url: try #require(URL(string: url)), body: body,
      maximumBodyBytes: 10_000_000)
  }

  @Test("a server that proves its name is spoken to, both ways and request after request")
  func trusted() async throws {
    let authority = try TestAuthority()
    let tls = try authority.server("a.test", "127.0.0.1")
    let peers = Recorder<String>()
    let server = try await HTTPServer.start(tls: tls) { request in
      peers.record(request.peer)
      return .text(
        "\(request.headers["Host"] ?? "") " + String(repeating: "x", count: request.body.count))
    }
    let client = try client(server, trusting: authority.anchors)
    for size in [0, 1, 3_000_000] {
      // Of a method that may be repeated: another gets no connection that was silent for four seconds, as
      // it is among many tests.
      let body = HTTPBody.bytes([UInt8](repeating: 1, count: size))
      let response = try await client.send(try request("https://a.test/x", body: body))
      #expect(response.body.count == "a.test ".count + size)
    }
    #expect(Set(peers.values).count == 1)
    let byAddress = try await client.send(try request("https://127.0.0.1:\(server.port)/"))
    #expect(byAddress.status == 200)
    await server.stop()
  }

  /// What is wrong with a server's certificate.
  enum Flaw: CaseIterable {
    case expired, otherName, tooWide, unknownIssuer, selfSigned

    /// A word of the reason.
    var word: String {
      switch self {
      case .expired: "expired"
      case .otherName, .tooWide: "mismatch"
      case .unknownIssuer: "issuer"
      case .selfSigned: "self"
      }
    }

    func certificate(_ trusted: TestAuthority) throws -> TLSCertificate {
      switch self {
      case .expired: try trusted.certificate(["a.test"], days: -1)
      case .otherName: try trusted.certificate(["b.test"])
      case .tooWide: try trusted.certificate(["*.a.test", "*.test"])
      case .unknownIssuer: try TestAuthority().certificate(["a.test"])
      case .selfSigned: try TestAuthority.selfSigned("a.test")
      }
    }
  }

  @Test(
    "a certificate that is expired, for another name or of an unknown issuer is refused, once and for all; no byte of the request is sent (FB-F5)",
    arguments: Flaw.allCases)
  func untrusted(flaw: Flaw) async throws {
    let authority = try TestAuthority()
    let certificate = try flaw.certificate(authority)
    let hellos = Recorder<String?>()
    let tls = try ServerIdentity { name in
      hellos.record(name)
      return certificate
    }
    let server = try await HTTPServer.start(tls: tls) { _ in
      Issue.record("the request must not arrive")
      return .empty(status: 200)
    }
    let client = try client(server, trusting: authority.anchors)
    let error = await #expect(throws: HTTPError.self) {
      try await client.send(try request("https://a.test/"))
    }
    guard case .tls(let words) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(words.lowercased().contains(flaw.word), "\(words)")
    #expect(error?.mayHaveBeenProcessed == false)
    #expect(hellos.values == ["a.test"], "it was not tried a second time")
    await server.stop()
  }

  @Test("the system's anchors do not vouch for just anybody")
  func systemAnchors() async throws {
    let authority = try TestAuthority()
    let server = try await HTTPServer.start(tls: try authority.server("a.test")) { _ in
      .empty(status: 200)
    }
    let client = try client(server, trusting: nil)
    let error = await #expect(throws: HTTPError.self) {
      try await client.send(try request("https://a.test/"))
    }
    guard case .tls = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await server.stop()
  }

  @Test("an answer cut short is a lost connection, also behind TLS")
  func cutShort() async throws {
    let authority = try TestAuthority()
    let server = try await HTTPServer.start(tls: try authority.server("a.test")) {
      request in
      var response = HTTPServerResponse.text("0123456789")
      response.fault = request.path == "/truncate" ? .truncate : .reset
      return response
    }
    let client = try client(server, trusting: authority.anchors)
    for path in ["/truncate", "/reset"] {
      await #expect(throws: HTTPError.connectionLost) {
        try await client.send(
          try request("https://a.test\(path)", method: "POST", body: .bytes([1])))
      }
    }
    await server.stop()
  }

  @Test("a server that hangs up before it is secure has processed nothing")
  func hangsUp() async throws {
    let server = try RawServer(isEager: true)
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    await #expect(throws: HTTPError.cannotConnect("127.0.0.1")) {
      try await HTTPClient.loopback().send(HTTPRequest(url: url))
    }
  }

  @Test("a file without certificates is no trust anchor")
  func noAnchors() async throws {
    let client = HTTPClient.live(
      NetworkPolicy(allowInsecureLoopback: true, trustAnchors: "/dev/null"), userAgent: "x",
      clock: .live)
    let server = try RawServer(then: .hold, isEager: true)
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    let error = await #expect(throws: HTTPError.self) {
      try await client.send(HTTPRequest(url: url))
    }
    guard case .tls = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

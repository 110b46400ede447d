import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import SystemClients
import Testing

@Suite("Requests over real HTTP", .timeLimit(.minutes(2)))
struct LiveClientTests {
  private let client = HTTPClient.loopback()

  @Test(
    "a request arrives as it was written",
    arguments: [
      ("GET", HTTPBody.none, ""), ("POST", .bytes(Array("a=1".utf8)), "a=1"),
      ("PUT", .bytes([65]), "A"), ("DELETE", .none, ""), ("POST", .none, ""),
      ("POST", .bytes([]), ""),
    ])
  func arrives(method: String, body: HTTPBody, expected: String) async throws {
    let server = try await EchoServer()
    let request = HTTPRequest(
      method: method, url: try server.url("/a%2Fb/%C3%A9?x=%20+&y=/"),
      headers: ["Authorization": "DPoP t", "Content-Type": "x/y", "DPoP": "p"], body: body)
    let response = try await client.send(request)
    #expect(response.status == 200)
    let seen = try #require(server.requests.first)
    #expect(seen.method == method)
    #expect(seen.target == "/a%2Fb/%C3%A9?x=%20+&y=/")
    #expect(String(decoding: seen.body, as: UTF8.self) == expected)
    #expect(seen.headers["authorization"] == "DPoP t")
    #expect(seen.headers["dpop"] == "p")
    #expect(seen.headers["content-type"] == "x/y")
    #expect(seen.headers.all("User-Agent") == ["grain-tests/1"])
    #expect(seen.headers["Host"] == "127.0.0.1:\(server.port)")
    #expect(seen.headers["Expect"] == nil)
    if method != "GET", method != "DELETE" {
      #expect(seen.headers["Content-Length"] == "\(expected.utf8.count)")
    }
    await server.stop()
  }

  @Test("a response comes back whole, stamped with our clock")
  func response() async throws {
    let server = try await HTTPServer.start { _ in
      var response = HTTPServerResponse.json(Array("{\"a\":\"é\"}".utf8), status: 201)
      response.headers["DPoP-Nonce"] = "n1"
      response.headers["Date"] = "Sun, 06 Nov 1994 08:49:37 GMT"
      return response
    }
    let clock = TestClock()
    let response = try await HTTPClient.loopback(clock: clock.clock)
      .send(HTTPRequest(url: try server.url()))
    #expect(response.status == 201)
    #expect(response.body == Array("{\"a\":\"é\"}".utf8))
    #expect(response.contentType == "application/json")
    #expect(response.headers["dpop-nonce"] == "n1")
    #expect(response.date == Date(timeIntervalSince1970: 784_111_777))
    #expect(response.receivedAt == clock.now)
    #expect(clock.sleeperCount == 0, "the deadline is called off")
    await server.stop()
  }

  @Test(
    "redirects are responses like any other and are never followed (FB-F2, FB-F3)",
    arguments: [301, 302, 303, 307, 308],
    ["/elsewhere", "social.grain:/oauth/callback?code=1", "http://[bad", "https://other.test/"])
  func redirects(status: Int, location: String) async throws {
    let server = try await EchoServer(.redirect(to: location, status: status))
    let response = try await client.send(
      HTTPRequest(method: "POST", url: try server.url(), body: .bytes([1])))
    #expect(response.status == status)
    #expect(response.headers["Location"] == location)
    #expect(server.requests.map(\.method) == ["POST"])
    await server.stop()
  }

  @Test("neither cookies nor answers are kept from one request to the next")
  func nothingKept() async throws {
    var answer = HTTPServerResponse.text("x")
    answer.headers = [
      "Set-Cookie": "a=b; Path=/", "Cache-Control": "public, max-age=1000", "ETag": "\"1\"",
    ]
    let server = try await EchoServer(answer)
    for _ in 0..<2 { _ = try await client.send(HTTPRequest(url: try server.url())) }
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { $0.headers["Cookie"] == nil })
    #expect(server.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
    await server.stop()
  }

  @Test("a mapped host is contacted where the map says, under its own name")
  func hostMap() async throws {
    let server = try await EchoServer()
    let policy = NetworkPolicy(
      allowInsecureLoopback: true, hosts: ["*.test": try server.url("")])
    let client = HTTPClient.live(policy, userAgent: "x", clock: .live)
    let url = try #require(URL(string: "https://alice.test/.well-known/atproto-did"))
    _ = try await client.send(HTTPRequest(url: url))
    #expect(server.requests.first?.headers.all("Host") == ["alice.test"])
    #expect(server.requests.first?.target == "/.well-known/atproto-did")
    await server.stop()
  }

  @Test("a body as large as the limit passes, one byte more does not")
  func bodyLimit() async throws {
    let server = try await HTTPServer.start { _ in .text(String(repeating: "x", count: 1000)) }
    let url = try server.url()
    #expect(try await client.send(HTTPRequest(url: url, maximumBodyBytes: 1000)).body.count == 1000)
    await #expect(throws: HTTPError.bodyTooLarge) {
      try await client.send(HTTPRequest(url: url, maximumBodyBytes: 999))
    }
    await server.stop()
  }

  @Test("a file is streamed, with the bytes sent so far")
  func fileUpload() async throws {
    let folder = try TemporaryFolder()
    let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try PrivateFiles.write(content, to: folder.path("photo"))
    let server = try await EchoServer()
    let progress = Recorder<Int64>()
    let request = HTTPRequest(
      method: "POST", url: try server.url(), headers: ["Content-Type": "image/jpeg"],
      body: .file(path: folder.path("photo")))
    _ = try await client.send(request) { progress.record($0) }
    #expect(server.requests.first?.body == content)
    #expect(server.requests.first?.headers["Content-Length"] == "3000000")
    #expect(progress.values.last == 3_000_000)
    #expect(progress.values == progress.values.sorted())
    #expect(progress.values.count > 10)
    await server.stop()
  }

  @Test("an empty file is sent as an empty body")
  func emptyFile() async throws {
    let folder = try TemporaryFolder()
    try PrivateFiles.write([], to: folder.path("empty"))
    let server = try await EchoServer()
    _ = try await client.send(
      HTTPRequest(
        method: "POST", url: try server.url(), body: .file(path: folder.path("empty"))))
    #expect(server.requests.first?.headers["Content-Length"] == "0")
    await server.stop()
  }

  @Test("a file that cannot be read is an error before anything is sent")
  func missingFile() async throws {
    let server = try await EchoServer()
    for path in ["/no/such/file", "/tmp"] {
      await #expect(throws: HTTPError.fileUnreadable(path)) {
        try await client.send(
          HTTPRequest(method: "POST", url: try server.url(), body: .file(path: path)))
      }
    }
    #expect(server.requests.isEmpty)
    await server.stop()
  }

  @Test("thirty requests at once are all answered, each with its own answer")
  func parallel() async throws {
    let server = try await HTTPServer.start { .text($0.target) }
    let bodies = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<30 {
        let request = HTTPRequest(url: try server.url("/\(number)"))
        group.addTask {
          (number, String(decoding: try await client.send(request).body, as: UTF8.self))
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    #expect(bodies == Dictionary(uniqueKeysWithValues: (0..<30).map { ($0, "/\($0)") }))
    await server.stop()
  }

  @Test("one connection serves request after request")
  func keepAlive() async throws {
    let server = try await EchoServer()
    for _ in 0..<50 { _ = try await client.send(HTTPRequest(url: try server.url())) }
    #expect(Set(server.requests.map(\.peer)).count == 1)
    await server.stop()
  }

  @Test("a connection the server closed meanwhile is not taken for a failure")
  func staleConnection() async throws {
    let first = try await EchoServer()
    let port = first.port
    _ = try await client.send(HTTPRequest(url: try first.url()))
    await first.stop()
    let second = try await EchoServer(port: port)
    #expect(try await client.send(HTTPRequest(url: try second.url())).status == 200)
    await second.stop()
  }

  @Test("IPv6 works as IPv4 does")
  func ipv6() async throws {
    let server = try await HTTPServer.start(host: "::1") { .text($0.headers["Host"] ?? "") }
    let url = try #require(URL(string: "http://[::1]:\(server.port)/"))
    let response = try await client.send(HTTPRequest(url: url))
    #expect(String(decoding: response.body, as: UTF8.self) == "[::1]:\(server.port)")
    await server.stop()
  }
}

/// Answers everything alike and remembers what it was asked.
final class EchoServer: Sendable {
  private let server: HTTPServer
  private let recorder: Recorder<HTTPServerRequest>

  init(_ answer: HTTPServerResponse = .text("ok"), port: Int = 0) async throws {
    let recorder = Recorder<HTTPServerRequest>()
    self.recorder = recorder
    server = try await HTTPServer.start(port: port) { request in
      recorder.record(request)
      return answer
    }
  }

  var requests: [HTTPServerRequest] { recorder.values }
  var port: Int { server.port }
  func url(_ path: String = "/") throws -> URL { try server.url(path) }
  func stop() async { await server.stop() }
}

extension HTTPServer {
  func url(_ path: String = "/") throws -> URL {
    try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
  }
}

import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import SystemClients
import Testing

@Suite("Servers and networks that misbehave", .timeLimit(.minutes(2)))
struct LiveFaultTests {
  private let client = HTTPClient.loopback()

  private func outcome(_ answer: String, method: String = "POST") async throws
    -> Result<HTTPResponse, HTTPError>
  {
    let server = try RawServer(Array(answer.utf8))
    let request = HTTPRequest(
      method: method, url: try server.url(), body: method == "POST" ? .bytes([1]) : .none)
    do throws(HTTPError) {
      return .success(try await client.send(request))
    } catch {
      return .failure(error)
    }
  }

  @Test(
    "a 401 that offers Basic comes back like any other (FB-F1)",
    arguments: [
      "WWW-Authenticate: Basic realm=\"x\"",
      "WWW-Authenticate: DPoP error=\"use_dpop_nonce\", Basic realm=\"x\"",
      "WWW-Authenticate: DPoP error=\"use_dpop_nonce\"\r\nWWW-Authenticate: Basic realm=\"x\"",
      "WWW-Authenticate: DPoP error=\"use_dpop_nonce\"", "WWW-Authenticate: Bearer",
      "WWW-Authenticate: Negotiate", "WWW-Authenticate: Digest realm=\"x\", nonce=\"y\"", "X: y",
    ])
  func challenges(header: String) async throws {
    let server = try RawServer(
      Array(
        "HTTP/1.1 401 Unauthorized\r\n\(header)\r\nDPoP-Nonce: n\r\nContent-Length: 2\r\n\r\n{}"
          .utf8),
      then: .hold)
    let response = try await client.send(
      HTTPRequest(method: "POST", url: try server.url(), body: .bytes([1])))
    #expect(response.status == 401)
    #expect(response.headers["dpop-nonce"] == "n")
    if header.contains("DPoP") {
      #expect(response.headers["www-authenticate"]?.contains("use_dpop_nonce") == true)
    }
  }

  @Test("two challenges, two nonces and odd spellings are all found (FB-F7)")
  func repeatedHeaders() async throws {
    let response = try await outcome(
      "HTTP/1.1 401 U\r\nWWW-Authenticate: Bearer realm=\"a\"\r\nWWW-Authenticate: DPoP "
        + "error=\"use_dpop_nonce\"\r\ndpop-nonce: n\r\nretry-after: 3\r\n\r\n"
    ).get()
    #expect(response.headers["WWW-AUTHENTICATE"]?.contains("use_dpop_nonce") == true)
    #expect(response.headers["DPoP-Nonce"] == "n")
    #expect(response.retryAfter == .seconds(3))
  }

  @Test(
    "odd but complete answers are answers (FB-F5)",
    arguments: [
      ("HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nhi", 999, "hi"),
      ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""), ("HTTP/1.1 304 Not Modified\r\n\r\n", 304, ""),
      ("HTTP/1.0 200 OK\r\n\r\nuntil the end", 200, "until the end"),
      ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "hi"),
      (
        "HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200,
        "hi"
      ),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nhi\r\n1\r\n!\r\n0\r\n\r\n",
        200, "hi!"
      ),
    ])
  func odd(answer: String, status: Int, body: String) async throws {
    for method in ["GET", "POST"] {
      let response = try await outcome(answer, method: method).get()
      #expect(response.status == status)
      #expect(String(decoding: response.body, as: UTF8.self) == body)
    }
  }

  @Test(
    "an answer cut short is a lost connection (FB-F5)",
    arguments: [
      "", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhi",
      "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Le",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nTrailer: x\r\n",
    ])
  func cutShort(answer: String) async throws {
    for method in ["GET", "POST"] {
      #expect(try await outcome(answer, method: method) == .failure(.connectionLost))
    }
  }

  @Test(
    "what is no HTTP is a bad response (FB-F5)",
    arguments: [
      "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\nhi",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nhi", "SSH-2.0-OpenSSH_9.2\r\n",
    ])
  func noHTTP(answer: String) async throws {
    for method in ["GET", "POST"] {
      let outcome = try await outcome(answer, method: method)
      guard case .failure(.badResponse) = outcome else {
        Issue.record("\(outcome)")
        continue
      }
    }
  }

  @Test("a hundred headers of a kilobyte are read, or refused with an error (FB-F5)")
  func manyHeaders() async throws {
    let header = (0..<100).map { "X-\($0): \(String(repeating: "x", count: 1000))\r\n" }.joined()
    let outcome = try await outcome("HTTP/1.1 200 OK\r\n\(header)Content-Length: 2\r\n\r\nhi")
    #expect(try outcome.get().headers["X-99"]?.count == 1000)
  }

  @Test("a body without end is cut at the limit and the connection closed (FB-F5)")
  func endless() async throws {
    let piece = [UInt8](repeating: 120, count: 1_000_000)
    let pieces = Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 120, count: 60_000_000)
    let server = try RawServer(pieces, piece)
    await #expect(throws: HTTPError.bodyTooLarge) {
      try await client.send(HTTPRequest(url: try server.url(), maximumBodyBytes: 3_000_000))
    }
    await server.connectionsEnded(1)
  }

  @Test("a connection reset after the request is lost, not refused: it may have been processed")
  func reset() async throws {
    let server = try RawServer(then: .reset)
    let error = await #expect(throws: HTTPError.self) {
      try await client.send(
        HTTPRequest(method: "POST", url: try server.url(), body: .bytes([1])))
    }
    #expect(error == .connectionLost)
    #expect(error?.mayHaveBeenProcessed == true)
    #expect(server.received.count == 1, "a request with an effect is not repeated by the transport")
  }

  @Test(
    "an upload over a kept connection that the server closes is lost at once, and not sent again",
    arguments: [ConnectionFault.dropBeforeAnswer, .reset])
  func keptConnectionLost(fault: ConnectionFault) async throws {
    let bodies = Recorder<[UInt8]>()
    let server = try await HTTPServer.start(host: "127.0.0.1", port: 0) { request in
      guard request.method == "POST" else { return .empty(status: 204) }
      bodies.record(request.body)
      var response = HTTPServerResponse.empty(status: 500)
      response.fault = fault
      return response
    }
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
    let folder = try TemporaryFolder()
    try Data([1, 2, 3]).write(to: URL(filePath: folder.path("file")))
    let sent = [HTTPBody.bytes([1, 2, 3]), .file(path: folder.path("file"))]
    for body in sent {
      #expect(try await client.send(HTTPRequest(url: url)).status == 204)
      #expect(
        await outcome(of: HTTPRequest(method: "POST", url: url, body: body))
          == .failure(.connectionLost))
    }
    #expect(bodies.values == [[1, 2, 3], [1, 2, 3]])
    await server.stop()
  }

  @Test("nobody listening is refused: nothing was processed")
  func refused() async throws {
    let server = try await EchoServer()
    let url = try server.url()
    await server.stop()
    let error = await #expect(throws: HTTPError.cannotConnect("127.0.0.1")) {
      try await client.send(HTTPRequest(method: "POST", url: url, body: .bytes([1])))
    }
    #expect(error?.mayHaveBeenProcessed == false)
  }

  @Test("https to a server without TLS is a TLS failure, and no byte of the request is sent")
  func noTLS() async throws {
    let server = try RawServer(Array("HTTP/1.1 400 Bad\r\n\r\n".utf8), isEager: true)
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/secret-path"))
    let outcome = await outcome(of: HTTPRequest(url: url, headers: ["Authorization": "secret"]))
    guard case .failure(.tls) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    await server.connectionsEnded(1)
    #expect(!server.received.joined().contains("secret"))
  }

  @Test("the deadline ends a request that is never answered, and its connection (FB-F1)")
  func deadline() async throws {
    let clock = TestClock()
    let server = try RawServer(then: .hold)
    let client = HTTPClient.loopback(clock: clock.clock)
    let url = try server.url()
    let task = Task {
      await outcome(of: HTTPRequest(url: url, deadline: .seconds(7)), client)
    }
    await clock.sleepers(atLeast: 1)
    await server.connected()
    await clock.advance(by: .seconds(6.9))
    #expect(clock.sleeperCount == 1)
    await clock.advance(by: .seconds(0.1))
    #expect(await task.value == .failure(.timeout))
    await server.connectionsEnded(1)
  }

  @Test("the deadline also covers an answer that trickles in")
  func trickle() async throws {
    let clock = TestClock()
    let server = try RawServer(
      Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx".utf8), then: .hold)
    let client = HTTPClient.loopback(clock: clock.clock)
    let url = try server.url()
    let task = Task { await outcome(of: HTTPRequest(url: url), client) }
    await clock.sleepers(atLeast: 1)
    await server.connected()
    await clock.advance(by: .seconds(15))
    #expect(await task.value == .failure(.timeout))
    await server.connectionsEnded(1)
  }

  @Test("cancelling the task ends the request at once, and its connection")
  func cancellation() async throws {
    let server = try RawServer(then: .hold)
    let url = try server.url()
    let task = Task { await outcome(of: HTTPRequest(url: url)) }
    await server.connected()
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    await server.connectionsEnded(1)
  }

  @Test("a task cancelled before it sends never sends")
  func cancelledBefore() async throws {
    let server = try await EchoServer()
    let url = try server.url()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await outcome(of: HTTPRequest(url: url))
    }
    #expect(await task.value == .failure(.cancelled))
    #expect(server.requests.isEmpty)
    await server.stop()
  }

  @Test("five hundred calls, each cancelled around its answer, all end; later ones work (FB-F4)")
  func cancellationStorm() async throws {
    let server = try await EchoServer()
    let url = try server.url()
    let random = SystemRandom.seeded(4)
    for _ in 0..<25 {
      let tasks = (0..<20).map { _ in Task { await outcome(of: HTTPRequest(url: url)) } }
      for task in tasks {
        for _ in 0..<random.integer(below: 200) { await Task.yield() }
        task.cancel()
      }
      for task in tasks {
        switch await task.value {
        case .success(let response): #expect(response.status == 200)
        case .failure(let error): #expect(error == .cancelled)
        }
      }
    }
    #expect(try await client.send(HTTPRequest(url: url)).status == 200)
    await server.stop()
  }

  private func outcome(
    of request: HTTPRequest, _ other: HTTPClient? = nil
  ) async -> Result<HTTPResponse, HTTPError> {
    do throws(HTTPError) {
      return .success(try await (other ?? client).send(request))
    } catch {
      return .failure(error)
    }
  }
}

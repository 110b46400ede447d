import Foundation
import GrainTestSupport
import HTTPServing
import HTTPTransport
import Testing

@Suite("The loopback server", .timeLimit(.minutes(2)))
struct HTTPServerTests {
  private let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test("a response is one message with its length, and the connection stays open")
  func response() async throws {
    let server = try await HTTPServer.start { _ in
      var response = HTTPServerResponse.json(Array("{}".utf8))
      response.headers.add("Set-Cookie", "a=1")
      response.headers.add("Set-Cookie", "b=2")
      response.headers["Content-Length"] = "999"
      return response
    }
    let client = try await RawClient(port: server.port)
    let expected = """
      HTTP/1.1 200 OK\r
      Content-Type: application/json\r
      Set-Cookie: a=1\r
      Set-Cookie: b=2\r
      Content-Length: 2\r
      Connection: keep-alive\r
      \r
      {}
      """
    for _ in 0..<3 {
      try await client.send(get)
      #expect(try await client.receive(until: "{}") == expected)
    }
    await server.stop()
    #expect(try await client.receive() == "")
  }

  @Test(
    "responses without a body have none",
    arguments: [
      (HTTPServerResponse.empty(status: 204), "204 No Content\r\n"),
      (.empty(status: 304), "304 Not Modified\r\n"),
      (.empty(status: 400), "400 Bad Request\r\nContent-Length: 0\r\n"),
      (
        .redirect(to: "/there"), "303 See Other\r\nLocation: /there\r\nContent-Length: 0\r\n"
      ),
    ])
  func empty(response: HTTPServerResponse, expected: String) async throws {
    let server = try await HTTPServer.start { _ in response }
    let client = try await RawClient(port: server.port)
    try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(try await client.receive() == "HTTP/1.1 \(expected)Connection: close\r\n\r\n")
    await server.stop()
  }

  @Test("the answer to HEAD has the length but not the body")
  func head() async throws {
    let server = try await HTTPServer.start { _ in .text("hello") }
    let client = try await RawClient(port: server.port)
    try await client.send("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let answer = try #require(try await client.receive())
    #expect(answer.contains("Content-Length: 5\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n"))
    await server.stop()
  }

  @Test("requests sent ahead are answered in their order")
  func pipelined() async throws {
    let server = try await HTTPServer.start { .text("<\($0.target)>") }
    let client = try await RawClient(port: server.port)
    let requests = (0..<20).map { "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx" }
    try await client.send(requests.joined() + "GET /end HTTP/1.0\r\n\r\n")
    let answer = try #require(try await client.receive())
    let bodies = answer.split(separator: "\r\n").filter { $0.hasPrefix("<") }
      .map { $0.prefix { $0 != ">" }.dropFirst() }
    #expect(bodies == (0..<20).map { "/\($0)" } + ["/end"])
    await server.stop()
  }

  @Test("a client that has finished sending still gets its answer")
  func halfClosed() async throws {
    let server = try await HTTPServer.start { _ in .text("late") }
    let client = try await RawClient(port: server.port)
    try await client.send(get)
    client.finishSending()
    #expect(try await client.receive()?.hasSuffix("late") == true)
    await server.stop()
  }

  @Test("the connection is closed when the answer says so, and only after it is written (FB-B8)")
  func closes() async throws {
    let body = String(repeating: "x", count: 5_000_000)
    let server = try await HTTPServer.start { _ in
      var response = HTTPServerResponse.text(body)
      response.headers["Connection"] = "close"
      return response
    }
    let client = try await RawClient(port: server.port)
    try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
    let answer = try #require(try await client.receive())
    #expect(answer.contains("Connection: close\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n" + body))
    await server.stop()
  }

  @Test("a body in chunks and one that waits for leave arrive whole")
  func bodies() async throws {
    let server = try await HTTPServer.start { .text("got \($0.body.count)") }
    let client = try await RawClient(port: server.port)
    try await client.send(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
    #expect(try await client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    let chunk = [UInt8](repeating: 7, count: 100_000)
    for _ in 0..<10 { try await client.send(Array("186a0\r\n".utf8) + chunk + [13, 10]) }
    try await client.send("0\r\n\r\n")
    #expect(try await client.receive(until: "got 1000000") != nil)
    await server.stop()
  }

  @Test("what is refused gets a short answer, even while its body is still coming")
  func refused() async throws {
    let server = try await HTTPServer.start(limits: HTTPServerLimits(bodyBytes: 1000)) { _ in
      Issue.record("the handler must not see it")
      return .empty(status: 500)
    }
    let tooLarge = try await RawClient(port: server.port)
    try await tooLarge.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n")
    try await tooLarge.send([UInt8](repeating: 0, count: 9_000_000))
    let answer = try #require(try await tooLarge.receive())
    #expect(answer.hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    #expect(answer.contains("Connection: close\r\n"))
    let broken = try await RawClient(port: server.port)
    try await broken.send("nonsense\r\n\r\n")
    #expect(try await broken.receive()?.hasPrefix("HTTP/1.1 400 Bad Request\r\n") == true)
    await server.stop()
  }

  @Test("faults happen as asked for")
  func faults() async throws {
    let server = try await HTTPServer.start { request in
      var response = HTTPServerResponse.text("0123456789")
      switch request.path {
      case "/drop": response.fault = .dropBeforeAnswer
      case "/reset": response.fault = .reset
      case "/truncate": response.fault = .truncate
      case "/delay": response.fault = .delay(.milliseconds(30))
      default: break
      }
      return response
    }
    func answer(_ path: String) async throws -> String? {
      let client = try await RawClient(port: server.port)
      try await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      return try await client.receive()
    }
    #expect(try await answer("/drop") == "")
    #expect(try await answer("/reset") == nil)
    let truncated = try #require(try await answer("/truncate"))
    #expect(truncated.contains("Content-Length: 10\r\n") && truncated.hasSuffix("\r\n\r\n01234"))
    let start = ContinuousClock.now
    #expect(try await answer("/delay")?.hasSuffix("0123456789") == true)
    #expect(ContinuousClock.now - start >= .milliseconds(30))
    await server.stop()
  }

  @Test("two hundred connections that dribble their headers do no harm (FB-B7)")
  func slowHeaders() async throws {
    // Their own time limit has a test of its own; a busy machine must not reach it here.
    let limits = HTTPServerLimits(headerTime: .seconds(300), idleTime: .seconds(300))
    let server = try await HTTPServer.start(limits: limits) { _ in .text("quick") }
    var slow: [RawClient] = []
    for _ in 0..<200 {
      let client = try await RawClient(port: server.port)
      try await client.send("GET / HTTP/1.1\r\nHo")
      slow.append(client)
    }
    let client = try await RawClient(port: server.port)
    try await client.send(get)
    #expect(try await client.receive(until: "quick") != nil)
    #expect(server.connectionCount == 201)
    for client in slow { try await client.send("st: a\r\n\r\n") }
    for client in slow { #expect(try await client.receive(until: "quick") != nil) }
    await server.stop()
  }

  @Test("a header that takes too long is refused, a connection that says nothing is closed")
  func headerTime() async throws {
    let limits = HTTPServerLimits(headerTime: .milliseconds(100), idleTime: .milliseconds(50))
    let server = try await HTTPServer.start(limits: limits) { _ in .text("x") }
    /// On a machine too busy to send in time the connection is closed unheard: then once more.
    func answer(_ text: String) async throws -> String {
      while true {
        let client = try await RawClient(port: server.port)
        try await client.send(text)
        if let answer = try await client.receive(), answer != "" { return answer }
      }
    }
    #expect(try await answer("GET / HT").hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    #expect(try await answer(get).hasPrefix("HTTP/1.1 200 OK\r\n"))
    let silent = try await RawClient(port: server.port)
    #expect(try await silent.receive() == "")
    await server.stop()
  }

  @Test(
    "one connection too many pushes out the longest waiting, never one with a request under way")
  func connectionLimit() async throws {
    let gate = Gate()
    let server = try await HTTPServer.start(limits: HTTPServerLimits(connections: 3)) { request in
      if request.path == "/wait" { await gate.passed() }
      return .text("done")
    }
    let busy = try await RawClient(port: server.port)
    try await busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    await gate.waiting()
    let first = try await RawClient(port: server.port)
    try await first.send("GET / HT")
    let second = try await RawClient(port: server.port)
    try await second.send("GET / HT")
    let third = try await RawClient(port: server.port)
    try await third.send(get)
    #expect(try await third.receive(until: "done") != nil)
    #expect(try await first.receive() != "x", "it was closed, with or without a reset")
    try await second.send("TP/1.1\r\nHost: a\r\n\r\n")
    #expect(try await second.receive(until: "done") != nil)
    await gate.open()
    #expect(try await busy.receive(until: "done") != nil)
    await server.stop()
  }

  @Test("a megabyte of header is refused without harm (FB-B7)")
  func hugeHeader() async throws {
    let server = try await HTTPServer.start { _ in .text("x") }
    let client = try await RawClient(port: server.port)
    try await client.send("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 1 << 20))\r\n\r\n")
    #expect(try await client.receive()?.hasPrefix("HTTP/1.1 431 ") == true)
    let other = try await RawClient(port: server.port)
    try await other.send(get)
    #expect(try await other.receive(until: "x") != nil)
    await server.stop()
  }

  @Test("stopping closes every connection at once, cancels handlers and frees the port")
  func stop() async throws {
    let gate = Gate()
    let server = try await HTTPServer.start { _ in
      await gate.passed()
      return .text("too late")
    }
    let idle = try await RawClient(port: server.port)
    let busy = try await RawClient(port: server.port)
    try await busy.send(get)
    await gate.waiting()
    await server.stop()
    await server.stop()
    #expect(try await idle.receive() == "")
    #expect(try await busy.receive() != "too late")
    #expect(server.connectionCount == 0)
    let next = try await HTTPServer.start(port: server.port) { _ in .text("next") }
    #expect(next.port == server.port)
    await next.stop()
    await gate.open()
  }

  @Test("a server nobody holds any more stops")
  func forgotten() async throws {
    let client: RawClient
    do {
      let server = try await HTTPServer.start { _ in .text("x") }
      client = try await RawClient(port: server.port)
    }
    #expect(try await client.receive() == "")
  }

  @Test("a port in use is named; only loopback addresses can be bound (FB-B1, FB-B2)")
  func binding() async throws {
    let server = try await HTTPServer.start { _ in .text("x") }
    await #expect(throws: HTTPServerError.portInUse(server.port)) {
      try await HTTPServer.start(port: server.port) { _ in .text("x") }
    }
    for host in ["0.0.0.0", "::", "192.168.0.1", "localhost", ""] {
      await #expect(throws: HTTPServerError.notLoopback(host)) {
        try await HTTPServer.start(host: host) { _ in .text("x") }
      }
    }
    let sixth = try await HTTPServer.start(host: "::1", port: server.port) { _ in .text("x") }
    #expect(sixth.port == server.port, "the other family is another address")
    await sixth.stop()
    await server.stop()
  }
}

/// Holds handlers until it is opened or their task is cancelled.
private actor Gate {
  private var isOpen = false
  private var held: [CheckedContinuation<Void, Never>] = []
  private var watchers: [CheckedContinuation<Void, Never>] = []

  func passed() async {
    guard !isOpen else { return }
    await withCheckedContinuation { continuation in
      held.append(continuation)
      for watcher in watchers { watcher.resume() }
      watchers = []
    }
  }

  /// Returns once somebody is held.
  func waiting() async {
    guard held.isEmpty else { return }
    await withCheckedContinuation { watchers.append($0) }
  }

  func open() {
    isOpen = true
    for continuation in held { continuation.resume() }
    held = []
  }
}

import HTTPTransport
import Testing

@testable import HTTPServing

@Suite("Reading requests")
struct RequestParserTests {
  private let limits = HTTPServerLimits(headerBytes: 300, bodyBytes: 20)

  /// What the parser makes of the text, whole and byte by byte; both must agree.
  private func steps(_ text: String) -> [String] {
    let whole = steps([Array(text.utf8)])
    let single = steps(text.utf8.map { [$0] })
    #expect(whole == single)
    return whole
  }

  private func steps(_ pieces: [[UInt8]]) -> [String] {
    var parser = RequestParser(limits: limits, peer: "p")
    var result: [String] = []
    for piece in pieces {
      piece.withUnsafeBytes { parser.feed($0) }
      reading: while true {
        switch parser.next() {
        case .incomplete: break reading
        case .refused(let status): return result + ["refused \(status)"]
        case .request(let request, let keepsAlive):
          let body = String(decoding: request.body, as: UTF8.self)
          result.append(
            "\(request.method) \(request.target) [\(body)] \(keepsAlive ? "keep" : "close")")
        }
      }
    }
    return result
  }

  @Test(
    "well-formed requests are understood",
    arguments: [
      ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET / [] keep"]),
      ("GET / HTTP/1.1\nHost: a\n\n", ["GET / [] keep"]),
      ("\r\n\r\nGET /a%2F?b=c HTTP/1.1\r\nhost:a\r\n\r\n", ["GET /a%2F?b=c [] keep"]),
      ("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", ["GET / [] close"]),
      ("GET / HTTP/1.0\r\n\r\n", ["GET / [] close"]),
      ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", ["GET / [] keep"]),
      ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", ["OPTIONS * [] keep"]),
      ("GET http://a:1/x?y HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /x?y [] keep"]),
      ("GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", ["GET / [] keep"]),
      ("GET http://a?x=1 HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /?x=1 [] keep"]),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", ["POST / [abc] keep"]),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", ["POST / [] keep"]),
      (
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        ["POST / [abc] keep"]
      ),
      (
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "2\r\nab\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n",
        ["POST / [ab0123456789] keep"]
      ),
      (
        "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nxGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
          + "POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /4 HTTP",
        ["POST /1 [x] keep", "GET /2 [] keep", "POST /3 [] keep"]
      ),
    ])
  func valid(text: String, expected: [String]) {
    #expect(steps(text) == expected)
  }

  @Test(
    "what two readers could understand differently is refused",
    arguments: [
      ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400), ("G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("GET /é HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
      ("GET / XTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", 400),
      (
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400
      ),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -3\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 21\r\n\r\n", 413),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n15\r\n", 413),
      (
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n"
          + "01234567890123456789\r\n1\r\n", 413
      ),
    ])
  func invalid(text: String, status: Int) {
    #expect(steps(text) == ["refused \(status)"])
  }

  @Test("a header past its limit is refused, whether its lines end or not")
  func longHeader() {
    let long = String(repeating: "x", count: 400)
    #expect(steps("GET /\(long)") == ["refused 431"])
    #expect(steps("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n") == ["refused 431"])
    let many = String(repeating: "X: y\r\n", count: 60)
    #expect(steps("GET / HTTP/1.1\r\nHost: a\r\n\(many)\r\n") == ["refused 431"])
    #expect(steps(String(repeating: "\r\n", count: 200)) == ["refused 431"])
    let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let longer = String(repeating: "x", count: 20_000)
    #expect(steps("\(chunked)1;\(longer)") == ["refused 400"])
    #expect(steps("\(chunked)0\r\n\(longer)") == ["refused 400"])
  }

  @Test("each request of a connection has the whole limit")
  func limitPerRequest() {
    let filler = String(repeating: "x", count: 200)
    let request = "GET / HTTP/1.1\r\nHost: a\r\nX: \(filler)\r\n\r\n"
    #expect(steps(request + request) == ["GET / [] keep", "GET / [] keep"])
  }

  @Test("leave to send the body is asked for once")
  func expectContinue() {
    var parser = RequestParser(limits: limits, peer: "p")
    let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
    Array(head.utf8).withUnsafeBytes { parser.feed($0) }
    guard case .incomplete = parser.next() else {
      Issue.record("the body is missing")
      return
    }
    let first = parser.takeContinue()
    let second = parser.takeContinue()
    #expect(first && !second)
    #expect(parser.isInsideBody)
  }
}

@Suite("A request as a handler sees it")
struct HTTPServerRequestTests {
  @Test("path and query are told apart; a broken query has no pairs")
  func parts() {
    let request = HTTPServerRequest(method: "GET", target: "/a%2F?x=1+2&y=%C3%A9?")
    #expect(request.path == "/a%2F")
    #expect(request.rawQuery == "x=1+2&y=%C3%A9?")
    #expect(request.query.map { [$0.0, $0.1] } == [["x", "1 2"], ["y", "é?"]])
    #expect(HTTPServerRequest(method: "GET", target: "/a").rawQuery == nil)
    #expect(HTTPServerRequest(method: "GET", target: "/a?%").query.isEmpty)
  }

  @Test("the media type is lower case and without parameters")
  func contentType() {
    let request = HTTPServerRequest(
      method: "POST", target: "/", headers: ["content-type": "Text/HTML; charset=utf-8"])
    #expect(request.contentType == "text/html")
  }
}

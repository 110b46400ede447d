import Testing

@testable import HTTPTransport

@Suite("Reading responses")
struct ResponseParserTests {
  /// What the parser makes of the text, whole and byte by byte; both must agree.
  private func read(_ text: String, method: String = "GET") -> String {
    let whole = read([Array(text.utf8)], method)
    #expect(read(text.utf8.map { [$0] }, method) == whole)
    return whole
  }

  private func read(_ pieces: [[UInt8]], _ method: String) -> String {
    var parser = ResponseParser(method: method, bodyLimit: 10)
    do {
      for piece in pieces {
        guard !parser.isComplete else { break }
        try parser.feed(piece)
      }
    } catch {
      return "\(error)"
    }
    let atOnce = parser.isComplete
    guard parser.end(), let status = parser.status else { return "cut short" }
    let body = String(decoding: parser.bodyBytes, as: UTF8.self)
    return "\(status) [\(body)]\(atOnce ? "" : " at the end")"
  }

  @Test(
    "the end of a message is found by its own rules (RFC 9112 §6.3)",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200 [hi]"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi", "200 [hi]"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 []"),
      ("HTTP/1.1 200 OK\r\n\r\nhi", "200 [hi] at the end"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "200 [hi]"),
      (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        "200 [x]"
      ),
      ("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", "204 []"),
      ("HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n", "304 []"),
      ("HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 []"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi", "cut short"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "cut short"), ("", "cut short"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", "bodyTooLarge"),
      ("HTTP/1.1 200 OK\r\n\r\n01234567890", "bodyTooLarge"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n", "bodyTooLarge"),
    ])
  func ends(text: String, expected: String) {
    #expect(read(text) == expected)
  }

  @Test("the answer to HEAD has no body, whatever it says")
  func head() {
    #expect(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", method: "HEAD") == "200 []")
    #expect(
      read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", method: "HEAD") == "200 []")
  }

  @Test(
    "what is no response is refused",
    arguments: [
      "HTTP/2 200 OK\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 +20 OK\r\n",
      "HTTP/1.1\r\n", "ICY 200 OK\r\n", "SSH-2.0", "\r\n", "HTTP/1.1 101 Switch\r\n\r\n",
      "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", "HTTP/1.1 200 OK\r\nBad name: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\n folded first\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 1\r\n",
    ])
  func refused(text: String) {
    #expect(read(text).hasPrefix("malformed"))
  }

  @Test("a header without end is cut off")
  func endlessHeader() {
    let line = "X: \(String(repeating: "x", count: 1000))\r\n"
    let header = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 300)
    #expect(read([Array(header.utf8)], "GET") == "lineTooLong")
  }

  @Test(
    "a connection is kept only when both sides agree where the message ended",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true),
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: Close\r\n\r\n", false),
      ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false),
      ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n", true),
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nand more", false),
      ("HTTP/1.1 200 OK\r\n\r\n", false),
      (
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false
      ),
    ])
  func keepsAlive(text: String, expected: Bool) throws {
    var parser = ResponseParser(method: "GET", bodyLimit: 10)
    try parser.feed(Array(text.utf8))
    _ = parser.end()
    #expect(parser.keepsAlive == expected)
  }
}

extension ResponseParser {
  fileprivate mutating func feed(_ bytes: [UInt8]) throws(MessageFault) {
    var fault: MessageFault?
    bytes.withUnsafeBytes { bytes in
      do throws(MessageFault) {
        try feed(bytes)
      } catch {
        fault = error
      }
    }
    if let fault { throw fault }
  }
}

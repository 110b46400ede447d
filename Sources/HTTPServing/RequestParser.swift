import HTTPTransport

/// Reads the requests of one connection from its bytes, in whatever pieces they come
/// (RFC 9112). Anything two readers could understand differently is refused.
struct RequestParser {
  enum Step: Sendable {
    /// More bytes are needed.
    case incomplete
    /// A whole request, and whether another may follow on the connection.
    case request(HTTPServerRequest, keepsAlive: Bool)
    /// Answer with that status and close.
    case refused(status: Int)
  }

  private struct Refusal: Error {
    var status: Int
  }

  private let limits: HTTPServerLimits
  private let peer: String
  private var buffer = MessageBuffer()
  private var lineBytes = 0
  private var lines: [String] = []
  /// The request whose body is being read.
  private var request: HTTPServerRequest?
  private var body: BodyReader?
  private var keepsAlive = false
  private var expectsContinue = false

  init(limits: HTTPServerLimits, peer: String) {
    self.limits = limits
    self.peer = peer
  }

  /// Whether part of a header has arrived.
  var isInsideHead: Bool { request == nil && (!lines.isEmpty || !buffer.isEmpty) }

  /// Whether a header was read and its body is still coming.
  var isInsideBody: Bool { request != nil }

  /// Takes bytes from the connection.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    buffer.feed(bytes)
  }

  /// Whether the client waits for leave to send the body (RFC 9110 §10.1.1); true once a request.
  mutating func takeContinue() -> Bool {
    defer { expectsContinue = false }
    return expectsContinue
  }

  /// Reads on, as far as the bytes go.
  mutating func next() -> Step {
    do throws(Refusal) {
      while request == nil {
        guard try readLine() else { return .incomplete }
      }
      guard try readBody(), var request else { return .incomplete }
      request.body = body?.bytes ?? []
      self.request = nil
      body = nil
      return .request(request, keepsAlive: keepsAlive)
    } catch {
      return .refused(status: error.status)
    }
  }

  /// One line of the header; false when it is not there yet.
  private mutating func readLine() throws(Refusal) -> Bool {
    let line: ArraySlice<UInt8>?
    do throws(MessageFault) {
      line = try buffer.nextLine(used: &lineBytes, limit: limits.headerBytes)
    } catch {
      throw Refusal(status: 431)
    }
    guard let line else { return false }
    guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }),
      let text = String(validating: line, as: UTF8.self)
    else { throw Refusal(status: 400) }
    if !text.isEmpty {
      lines.append(text)
    } else if !lines.isEmpty {
      try readHead()
    }  // Else an empty line before the request, left over from the last one's body.
    return true
  }

  private mutating func readBody() throws(Refusal) -> Bool {
    do throws(MessageFault) {
      return try body?.read(&buffer) ?? true
    } catch {
      throw Refusal(status: error == .bodyTooLarge ? 413 : 400)
    }
  }

  private mutating func readHead() throws(Refusal) {
    defer {
      lines = []
      lineBytes = 0
    }
    let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, String(parts[0]).isToken,
      let target = Self.originForm(String(parts[1]))
    else { throw Refusal(status: 400) }
    guard parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0" else {
      throw Refusal(status: parts[2].hasPrefix("HTTP/") ? 505 : 400)
    }
    var headers = HTTPHeaders()
    for line in lines.dropFirst() {
      // A folded line starts with a space: its "name" is no token.
      let name = String(line.prefix { $0 != ":" })
      guard name.isToken, name.utf8.count < line.utf8.count else { throw Refusal(status: 400) }
      headers.add(name, String(line.dropFirst(name.count + 1)))
    }
    let isCurrent = parts[2] == "HTTP/1.1"
    guard headers.all("Host").count == 1 || !isCurrent && headers["Host"] == nil else {
      throw Refusal(status: 400)
    }
    let connection = headers.items("Connection")
    keepsAlive = isCurrent ? !connection.contains("close") : connection.contains("keep-alive")
    body = try bodyReader(headers)
    request = HTTPServerRequest(
      method: String(parts[0]), target: target, headers: headers, peer: peer)
    expectsContinue = isCurrent && headers.items("Expect") == ["100-continue"]
  }

  private func bodyReader(_ headers: HTTPHeaders) throws(Refusal) -> BodyReader? {
    let coding = headers.items("Transfer-Encoding")
    let length: Int?
    do throws(MessageFault) {
      length = try headers.contentLength()
    } catch {
      throw Refusal(status: 400)
    }
    guard coding.isEmpty else {
      // Both at once is how requests are smuggled (RFC 9112 §6.1).
      guard length == nil else { throw Refusal(status: 400) }
      guard coding == ["chunked"] else { throw Refusal(status: 501) }
      return .chunked(limit: limits.bodyBytes)
    }
    do throws(MessageFault) {
      return try length.map { count throws(MessageFault) in
        try .counted(count, limit: limits.bodyBytes)
      }
    } catch {
      throw Refusal(status: 413)
    }
  }

  /// The target as path and query: of an absolute one scheme and host are dropped (RFC 9112 §3.2).
  private static func originForm(_ target: String) -> String? {
    guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    if target.hasPrefix("/") || target == "*" { return target }
    let lower = target.lowercased()
    guard lower.hasPrefix("http://") || lower.hasPrefix("https://") else { return nil }
    let rest = target.drop { $0 != "/" }.dropFirst(2)
    guard let start = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
    return rest[start] == "/" ? String(rest[start...]) : "/" + rest[start...]
  }
}

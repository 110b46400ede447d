/// Reads the response to one request, in whatever pieces it comes (RFC 9112).
///
/// More lenient than the reader of requests: what a browser would understand is understood, as
/// long as the end of the message is beyond doubt.
struct ResponseParser {
  /// The most a whole header may take.
  private static let headerLimit = 256 * 1024

  private let isHead: Bool
  private let bodyLimit: Int
  private var buffer = MessageBuffer()
  private var lineBytes = 0
  private var lines: [String] = []
  private var body: BodyReader?
  private(set) var status: Int?
  private(set) var headers = HTTPHeaders()
  private(set) var isComplete = false
  /// Whether any byte has arrived.
  private(set) var hasStarted = false
  private var mayKeepAlive = false

  /// A reader for the answer to a request.
  ///
  /// - Parameters:
  ///   - method: an answer to `HEAD` or a successful one to `CONNECT` has no body, whatever it says.
  ///   - bodyLimit: the most bytes the body may have.
  init(method: String, bodyLimit: Int) {
    isHead = method == "HEAD" || method == "CONNECT"
    self.bodyLimit = bodyLimit
  }

  /// The body, once complete.
  var bodyBytes: [UInt8] { body?.bytes ?? [] }

  /// Whether the connection may carry another request.
  var keepsAlive: Bool {
    isComplete && mayKeepAlive && buffer.isEmpty && body?.endsWithConnection != true
  }

  /// Takes bytes and reads on.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(MessageFault) {
    hasStarted = hasStarted || !bytes.isEmpty
    buffer.feed(bytes)
    while body == nil {
      guard
        let line = try buffer.nextLine(used: &lineBytes, limit: Self.headerLimit)
      else { return try checkBeginning() }
      try read(line)
    }
    isComplete = try body?.read(&buffer) ?? false
  }

  /// The other side has finished sending.
  ///
  /// - Returns: whether the response is complete by that.
  mutating func end() -> Bool {
    if body?.endsWithConnection == true { isComplete = true }
    return isComplete
  }

  /// What is no HTTP at all need not send a line end to be found out.
  private func checkBeginning() throws(MessageFault) {
    guard lines.isEmpty, lineBytes == 0 else { return }
    guard buffer.begins(like: "HTTP/") else { throw .malformed("no HTTP") }
  }

  private mutating func read(_ line: ArraySlice<UInt8>) throws(MessageFault) {
    let text = String(decoding: line, as: UTF8.self)
    if lines.isEmpty {
      lines = [text]
      _ = try Self.statusLine(text)
    } else if text.isEmpty {
      try readHead()
    } else if text.first == " " || text.first == "\t", lines.count > 1 {
      lines[lines.count - 1] += " " + text  // Folded, as in old times (RFC 9112 §5.2).
    } else {
      lines.append(text)
    }
  }

  private mutating func readHead() throws(MessageFault) {
    defer {
      lines = []
      lineBytes = 0
    }
    let (status, isCurrent) = try Self.statusLine(lines[0])
    var headers = HTTPHeaders()
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":"), String(line[..<colon]).isToken else {
        throw .malformed("header field")
      }
      headers.add(String(line[..<colon]), String(line[line.index(after: colon)...]))
    }
    // Interim answers are passed over; switching protocols was never asked for.
    guard status >= 200 else {
      guard status != 101 else { throw .malformed("unexpected switch of protocols") }
      return
    }
    let connection = headers.items("Connection")
    mayKeepAlive = isCurrent ? !connection.contains("close") : connection.contains("keep-alive")
    body = try bodyReader(status, headers)
    self.status = status
    self.headers = headers
  }

  private mutating func bodyReader(
    _ status: Int, _ headers: HTTPHeaders
  ) throws(MessageFault) -> BodyReader {
    let length = try headers.contentLength()
    if isHead || status == 204 || status == 304 { return try .counted(0, limit: bodyLimit) }
    let coding = headers.items("Transfer-Encoding")
    guard coding.isEmpty else {
      guard coding == ["chunked"] else { throw .malformed("transfer coding") }
      // A length beside it is ignored, and the connection not trusted again (RFC 9112 §6.3).
      if length != nil { mayKeepAlive = false }
      return .chunked(limit: bodyLimit)
    }
    guard let length else { return .untilEnd(limit: bodyLimit) }
    return try .counted(length, limit: bodyLimit)
  }

  /// `HTTP/1.1 200 OK`; the reason may be missing.
  private static func statusLine(
    _ line: String
  ) throws(MessageFault) -> (status: Int, isCurrent: Bool) {
    guard line.hasPrefix("HTTP/") else { throw .malformed("no HTTP") }
    let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0",
      parts[1].utf8.count == 3, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let status = Int(parts[1]), status >= 100
    else { throw .malformed("status line") }
    return (status, parts[0] == "HTTP/1.1")
  }
}

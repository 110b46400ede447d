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

  /// What the reader waits for.
  private enum Stage {
    case head
    case body(left: Int)
    case chunkSize
    case chunk(left: Int)
    case chunkEnd
    case trailer
  }

  private struct Refusal: Error {
    var status: Int
  }

  private let limits: HTTPServerLimits
  private let peer: String
  private var input: [UInt8] = []
  private var position = 0
  private var stage = Stage.head
  private var lineBytes = 0
  private var lines: [String] = []
  private var request: HTTPServerRequest?
  private var keepsAlive = false
  private var expectsContinue = false

  init(limits: HTTPServerLimits, peer: String) {
    self.limits = limits
    self.peer = peer
  }

  /// Whether part of a header has arrived.
  var isInsideHead: Bool {
    guard case .head = stage else { return false }
    return !lines.isEmpty || position < input.count
  }

  /// Whether a header was read and its body is still coming.
  var isInsideBody: Bool { request != nil }

  /// Takes bytes from the connection.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) {
    if position == input.count {
      input.removeAll(keepingCapacity: true)
      position = 0
    }
    input.append(contentsOf: bytes)
  }

  /// Whether the client waits for leave to send the body (RFC 9110 §10.1.1); true once a request.
  mutating func takeContinue() -> Bool {
    defer { expectsContinue = false }
    return expectsContinue
  }

  /// Reads on, as far as the bytes go.
  mutating func next() -> Step {
    do throws(Refusal) {
      while try advance() {
        if let request = finished() { return .request(request, keepsAlive: keepsAlive) }
      }
      return .incomplete
    } catch {
      return .refused(status: error.status)
    }
  }

  private var isDone = false

  private mutating func finished() -> HTTPServerRequest? {
    guard isDone, let request else { return nil }
    self.request = nil
    isDone = false
    stage = .head
    return request
  }

  /// One step of the reader; false when bytes are missing.
  private mutating func advance() throws(Refusal) -> Bool {
    switch stage {
    case .head:
      guard let line = try nextLine(tooLong: 431) else { return false }
      if !line.isEmpty {
        lines.append(line)
      } else if !lines.isEmpty {
        try readHead()
      }  // Else an empty line before the request, left over from the last one's body.
    case .body(let left):
      let taken = takeBody(left)
      guard taken > 0 || left == 0 else { return false }
      stage = .body(left: left - taken)
      isDone = left == taken
    case .chunkSize:
      guard let line = try nextLine(tooLong: 400) else { return false }
      lineBytes = 0
      let digits = line.prefix { $0 != ";" }.trimmingSpaces
      guard digits.utf8.count <= 8, !digits.isEmpty, digits.utf8.allSatisfy(\.isHexDigit),
        let size = Int(digits, radix: 16)
      else { throw Refusal(status: 400) }
      guard (request?.body.count ?? 0) + size <= limits.bodyBytes else {
        throw Refusal(status: 413)
      }
      stage = size == 0 ? .trailer : .chunk(left: size)
    case .chunk(let left):
      let taken = takeBody(left)
      guard taken > 0 else { return false }
      stage = left == taken ? .chunkEnd : .chunk(left: left - taken)
    case .chunkEnd:
      guard let line = try nextLine(tooLong: 400) else { return false }
      lineBytes = 0
      guard line.isEmpty else { throw Refusal(status: 400) }
      stage = .chunkSize
    case .trailer:
      guard let line = try nextLine(tooLong: 431) else { return false }
      guard line.isEmpty else { return true }  // Trailers are read and dropped.
      lineBytes = 0
      isDone = true
    }
    return true
  }

  private mutating func takeBody(_ left: Int) -> Int {
    let count = min(left, input.count - position)
    request?.body.append(contentsOf: input[position..<position + count])
    position += count
    return count
  }

  /// The next line without its end, or `nil` if that is not there yet.
  private mutating func nextLine(tooLong status: Int) throws(Refusal) -> String? {
    guard let end = input[position...].firstIndex(of: UInt8(ascii: "\n")) else {
      guard lineBytes + input.count - position <= limits.headerBytes else {
        throw Refusal(status: status)
      }
      return nil
    }
    var line = input[position..<end]
    lineBytes += line.count + 1
    position = end + 1
    guard lineBytes <= limits.headerBytes else { throw Refusal(status: status) }
    if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
    guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }),
      let text = String(validating: line, as: UTF8.self)
    else { throw Refusal(status: 400) }
    return text
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
    let connection = headers.tokens("Connection")
    keepsAlive =
      isCurrent ? !connection.contains("close") : connection.contains("keep-alive")
    request = HTTPServerRequest(
      method: String(parts[0]), target: target, headers: headers, peer: peer)
    try chooseBody(headers)
    expectsContinue = isCurrent && headers.tokens("Expect") == ["100-continue"]
  }

  private mutating func chooseBody(_ headers: HTTPHeaders) throws(Refusal) {
    let coding = headers.tokens("Transfer-Encoding")
    let lengths = Set(headers.tokens("Content-Length"))
    if !coding.isEmpty {
      // Both at once is how requests are smuggled (RFC 9112 §6.1).
      guard lengths.isEmpty else { throw Refusal(status: 400) }
      guard coding == ["chunked"] else { throw Refusal(status: 501) }
      stage = .chunkSize
    } else if let length = lengths.first {
      guard lengths.count == 1, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        length.utf8.count < 18, let count = Int(length)
      else { throw Refusal(status: 400) }
      guard count <= limits.bodyBytes else { throw Refusal(status: 413) }
      stage = .body(left: count)
    } else {
      stage = .body(left: 0)
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

extension HTTPHeaders {
  /// The comma-separated items of a field, in lower case.
  fileprivate func tokens(_ name: String) -> [String] {
    all(name).flatMap { $0.split(separator: ",") }
      .map { $0.trimmingSpaces.lowercased() }
      .filter { !$0.isEmpty }
  }
}

extension StringProtocol {
  fileprivate var trimmingSpaces: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}

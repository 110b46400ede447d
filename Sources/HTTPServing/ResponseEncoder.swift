import HTTPTransport

/// The bytes of responses.
enum ResponseEncoder {
  static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Head and body in one piece: two small writes would cost the client 40 ms (Nagle's algorithm
  /// against delayed acknowledgements).
  static func encode(
    _ response: HTTPServerResponse, method: String, keepsAlive: Bool
  ) -> [UInt8] {
    var head = "HTTP/1.1 \(response.status) \(HTTPStatusReason.phrase(for: response.status))\r\n"
    for field in response.headers.fields where !isOurs(field.name) {
      head += "\(field.name): \(field.value)\r\n"
    }
    let hasBody = !(100..<200).contains(response.status) && ![204, 304].contains(response.status)
    if hasBody { head += "Content-Length: \(response.body.count)\r\n" }
    head += "Connection: \(keepsAlive ? "keep-alive" : "close")\r\n\r\n"
    var bytes = Array(head.utf8)
    guard hasBody, method != "HEAD" else { return bytes }
    if response.fault == .truncate {
      bytes += response.body.prefix(response.body.count / 2)
    } else {
      bytes += response.body
    }
    return bytes
  }

  /// A short answer to a request that was not understood.
  static func refusal(status: Int) -> [UInt8] {
    encode(
      .text(HTTPStatusReason.phrase(for: status) + "\n", status: status), method: "GET",
      keepsAlive: false)
  }

  private static func isOurs(_ name: String) -> Bool {
    ["content-length", "connection", "transfer-encoding"].contains(name.lowercased())
  }
}

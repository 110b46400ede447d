import Foundation

/// The head of a request as bytes.
enum RequestEncoder {
  /// Fields this transport writes itself.
  private static let own: Set<String> = [
    "host", "content-length", "connection", "transfer-encoding", "expect", "accept-encoding",
  ]

  /// Request line and fields; `host` becomes the `Host` field, `bodyLength` is `nil` without a body.
  ///
  /// - Throws: `HTTPError.invalidURL` if method or target would not survive the wire.
  static func head(
    _ request: HTTPRequest, host: String, userAgent: String, bodyLength: Int64?
  ) throws(HTTPError) -> [UInt8] {
    guard request.method.isToken, let target = target(request.url) else { throw .invalidURL }
    var head = "\(request.method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
    if request.headers["User-Agent"] == nil { head += "User-Agent: \(userAgent)\r\n" }
    if request.headers["Accept"] == nil { head += "Accept: */*\r\n" }
    // We cannot decompress, and without this field a server might compress all the same.
    head += "Accept-Encoding: identity\r\n"
    for field in request.headers.fields where !own.contains(field.name.lowercased()) {
      head += "\(field.name): \(field.value)\r\n"
    }
    let carriesBody = ["POST", "PUT", "PATCH"].contains(request.method)
    if bodyLength != nil || carriesBody { head += "Content-Length: \(bodyLength ?? 0)\r\n" }
    return Array((head + "\r\n").utf8)
  }

  /// Path and query, escaped as the URL has them.
  private static func target(_ url: URL) -> String? {
    guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
    let path = parts.percentEncodedPath
    let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
    let target = (path.isEmpty ? "/" : path) + query
    let isClean = target.hasPrefix("/") && target.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isClean ? target : nil
  }
}

package import Foundation

/// One HTTP response, of whatever status; a redirect is a response like any other.
package struct HTTPResponse: Equatable, Sendable {
  /// The status code.
  package var status: Int
  /// The fields as they came; repeated ones one by one (FB-F7).
  package var headers: HTTPHeaders
  /// The body, decompressed.
  package var body: [UInt8]
  /// When the last byte arrived, by our clock.
  package var receivedAt: Date

  /// A response.
  package init(
    status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [],
    receivedAt: Date = Date(timeIntervalSince1970: 0)
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.receivedAt = receivedAt
  }

  /// The media type in lower case, without its parameters.
  package var contentType: String? {
    let mediaType = headers.all("Content-Type").first?.prefix { $0 != ";" }
    return mediaType?.trimmingCharacters(in: .whitespaces).lowercased()
  }

  /// When the server says it answered (`Date`).
  package var date: Date? {
    headers.all("Date").first.flatMap(HTTPDate.parse)
  }

  /// The longest wait that is believed: a day.
  package static let longestWait: Double = 86_400

  /// How long the server asks to wait (`Retry-After`, RFC 9110 §10.2.3); never negative, and never more
  /// than ``longestWait``.
  ///
  /// A point in time is measured from the server's own `Date` when there is one, so a wrong clock
  /// on either side does not count.
  package var retryAfter: Duration? {
    guard let value = headers.all("Retry-After").first else { return nil }
    if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int64(value) {
      return .seconds(min(Double(seconds), Self.longestWait))
    }
    guard let moment = HTTPDate.parse(value) else { return nil }
    let wait = moment.timeIntervalSince(date ?? receivedAt)
    return .seconds(min(max(0, wait), Self.longestWait))
  }
}

/// What the standard calls a status code (RFC 9110 §15, RFC 6585).
package enum HTTPStatusReason {
  /// The reason phrase; empty for an unknown code.
  package static func phrase(for status: Int) -> String {
    phrases[status] ?? ""
  }

  private static let phrases = [
    100: "Continue", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
    301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
    307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
    413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
    417: "Expectation Failed", 422: "Unprocessable Content", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
    502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    505: "HTTP Version Not Supported",
  ]
}

package import Foundation

/// What a request carries.
package enum HTTPBody: Equatable, Sendable {
  /// No body at all.
  case none
  /// These bytes.
  case bytes([UInt8])
  /// The content of a file, read while it is sent.
  case file(path: String)
}

/// One HTTP request with its limits.
package struct HTTPRequest: Equatable, Sendable {
  /// The method, in capitals.
  package var method: String
  /// The absolute target; `http` or `https`.
  package var url: URL
  /// The fields to send; `Host`, `Content-Length` and `User-Agent` are the client's business.
  package var headers: HTTPHeaders
  /// The body.
  package var body: HTTPBody
  /// The longest time from the look-up of the host to the last byte of the answer.
  package var deadline: Duration
  /// The largest body of the answer, in bytes after decompression.
  package var maximumBodyBytes: Int

  /// A request; without limits given, 15 seconds and 1 MiB.
  package init(
    method: String = "GET", url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .none,
    deadline: Duration = .seconds(15), maximumBodyBytes: Int = 1 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.deadline = deadline
    self.maximumBodyBytes = maximumBodyBytes
  }
}

package import HTTPTransport

/// What the server shall answer.
package struct HTTPServerResponse: Sendable {
  /// The status code.
  package var status: Int
  /// The fields; `Content-Length` is the server's business. `Connection: close` is obeyed.
  package var headers: HTTPHeaders
  /// The body.
  package var body: [UInt8]
  /// What goes wrong on purpose.
  package var fault: ConnectionFault?

  /// A response.
  package init(
    status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], fault: ConnectionFault? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.fault = fault
  }

  /// A JSON document.
  package static func json(
    _ bytes: [UInt8], status: Int = 200, contentType: String = "application/json"
  ) -> HTTPServerResponse {
    HTTPServerResponse(status: status, headers: ["Content-Type": contentType], body: bytes)
  }

  /// A page.
  package static func html(_ text: String, status: Int = 200) -> HTTPServerResponse {
    HTTPServerResponse(
      status: status, headers: ["Content-Type": "text/html; charset=utf-8"], body: Array(text.utf8))
  }

  /// Plain text.
  package static func text(_ text: String, status: Int = 200) -> HTTPServerResponse {
    HTTPServerResponse(
      status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
      body: Array(text.utf8))
  }

  /// No body.
  package static func empty(status: Int) -> HTTPServerResponse {
    HTTPServerResponse(status: status)
  }

  /// The way to another address.
  package static func redirect(to location: String, status: Int = 303) -> HTTPServerResponse {
    HTTPServerResponse(status: status, headers: ["Location": location])
  }
}

/// A fault of the connection that tests and the sandbox ask for.
package enum ConnectionFault: Sendable, Equatable {
  /// The connection is closed without an answer.
  case dropBeforeAnswer
  /// The connection is reset without an answer.
  case reset
  /// The answer leaves that much later.
  case delay(Duration)
  /// Half of the body is sent, then the connection is closed.
  case truncate
}

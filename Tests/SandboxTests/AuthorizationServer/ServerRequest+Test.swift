import HTTPServing
import HTTPTransport

extension HTTPServerRequest {
  /// A request as the server would have read it from the wire.
  static func test(
    _ method: String, _ target: String, headers: HTTPHeaders = [:], body: [UInt8] = []
  ) -> HTTPServerRequest {
    HTTPServerRequest(method: method, target: target, headers: headers, body: body)
  }
}
